//! Appends text to a string by one function, where the standard library's own is copied to each of hundreds of places.

/// A text that grows.
pub trait Put {
    /// Appends `text`, as [`String::push_str`] does.
    fn put(&mut self, text: &str);
}

impl Put for String {
    #[inline(never)]
    fn put(&mut self, text: &str) {
        self.push_str(text);
    }
}
