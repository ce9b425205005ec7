//! Subjects: dotted strings, and patterns with `*` for one token and `>` for the rest (R1).

/// Whether `pattern` matches `subject`.
pub fn matches(pattern: &str, subject: &str) -> bool {
    let (mut pattern, mut subject) = (pattern.split('.'), subject.split('.'));
    loop {
        match (pattern.next(), subject.next()) {
            (Some(">"), Some(_)) | (None, None) => return true,
            (Some("*"), Some(_)) => {}
            (Some(p), Some(s)) if p == s => {}
            _ => return false,
        }
    }
}

/// Whether some subject is matched by both patterns.
pub fn overlap(a: &str, b: &str) -> bool {
    let (mut a, mut b) = (a.split('.'), b.split('.'));
    loop {
        match (a.next(), b.next()) {
            (Some(">"), Some(_)) | (Some(_), Some(">")) | (None, None) => return true,
            (Some(x), Some(y)) if x == y || x == "*" || y == "*" => {}
            _ => return false,
        }
    }
}

/// Whether every subject that `inner` matches is matched by `outer` as well.
pub fn covers(outer: &str, inner: &str) -> bool {
    let (mut outer, mut inner) = (outer.split('.'), inner.split('.'));
    loop {
        match (outer.next(), inner.next()) {
            (Some(">"), Some(_)) | (None, None) => return true,
            (Some("*"), Some(token)) if token != ">" => {}
            (Some(x), Some(y)) if x == y => {}
            _ => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns() {
        for (pattern, subject, expected) in [
            ("orders.new", "orders.new", true),
            ("orders.*", "orders.new", true),
            ("orders.*", "orders.new.eu", false),
            ("orders.>", "orders.new.eu", true),
            ("orders.>", "orders", false),
            (">", "anything.at.all", true),
            ("*.new", "orders.new", true),
            ("*.new", "orders.old", false),
            ("orders", "orders.new", false),
        ] {
            assert_eq!(matches(pattern, subject), expected, "{pattern} {subject}");
        }
    }

    #[test]
    fn overlaps_and_covers() {
        for (a, b, meet, cover) in [
            ("s.>", "s.a", true, true),
            ("s.*", "s.>", true, false),
            ("s.a", "s.*", true, false),
            ("s.a", "s.b", false, false),
            ("*.b", "a.*", true, false),
            ("a", "a.b", false, false),
            (">", "a.>", true, true),
        ] {
            assert_eq!(
                (overlap(a, b), overlap(b, a), covers(a, b)),
                (meet, meet, cover),
                "{a} {b}"
            );
        }
    }
}
