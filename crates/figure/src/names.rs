//! Messages and numbers in words.

use delivery_sim::Trace;
use delivery_sim::trace::Msg;

/// A number as a word up to twelve, with a capital letter where it begins a sentence.
pub(crate) fn number(n: u64, capital: bool) -> String {
    const WORDS: [&str; 13] = [
        "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
        "eleven", "twelve",
    ];
    let mut word = WORDS.get(n as usize).map_or_else(|| n.to_string(), |word| (*word).to_owned());
    if capital && let Some(first) = word.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    word
}

/// A label in its word and its number: `order-7` is `order-` and 7.
fn parts(label: &str) -> Option<(&str, u64)> {
    let word = label.trim_end_matches(|c: char| c.is_ascii_digit());
    Some((word, label[word.len()..].parse().ok()?))
}

/// What these messages are: `orders` if they are all `order-` and a number, else `messages`.
pub(crate) fn noun(trace: &Trace, msgs: &[Msg], one: bool) -> String {
    let label = msgs.first().map(|msg| trace.label(*msg)).unwrap_or_default();
    let word = parts(&label).map_or("", |(word, _)| word);
    let plain = word.trim_end_matches(['-', ' ', '_', '#']);
    let named = !plain.is_empty()
        // The tables of all letters there are would be 1 KB to download.
        && plain.chars().all(|c| !c.is_ascii() || c.is_ascii_alphabetic())
        && msgs.iter().all(|msg| parts(&trace.label(*msg)).is_some_and(|(other, _)| other == word));
    let noun = if named { plain } else { "message" };
    format!("{noun}{}", if one { "" } else { "s" })
}

/// Messages by name: `order-1 and order-2`, `order-5 to order-10`, `order-1, order-7, order-9 and three more`.
pub(crate) fn names(trace: &Trace, msgs: &[Msg]) -> String {
    const MOST: usize = 3;
    let mut once: Vec<Msg> = Vec::with_capacity(msgs.len().min(64));
    for msg in msgs {
        if once.last() != Some(msg) {
            once.push(*msg);
        }
    }
    let label = |i: usize| trace.label(once[i]);
    match once.len() {
        0 => String::new(),
        1 => label(0),
        2 => format!("{} and {}", label(0), label(1)),
        n => {
            let (first, last) = (label(0), label(n - 1));
            let run = match (parts(&first), parts(&last)) {
                (Some((word, low)), Some((other, high))) => {
                    word == other
                        && high.checked_sub(low) == Some(n as u64 - 1)
                        && (1..n).all(|i| parts(&label(i)) == Some((word, low + i as u64)))
                }
                _ => false,
            };
            if run {
                format!("{first} to {last}")
            } else if n <= MOST + 1 {
                let head: Vec<String> = (0..n - 1).map(label).collect();
                format!("{} and {last}", head.join(", "))
            } else {
                let head: Vec<String> = (0..MOST).map(label).collect();
                format!("{} and {} more", head.join(", "), number((n - MOST) as u64, false))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;

    #[test]
    fn messages_are_named_in_short() {
        let trace = fixture::batch_ageing();
        for (list, named) in [
            (vec![], ""),
            (vec![1], "order-1"),
            (vec![1, 1, 2], "order-1 and order-2"),
            (vec![5, 6, 7, 8, 9, 10], "order-5 to order-10"),
            (vec![1, 3, 5], "order-1, order-3 and order-5"),
            (vec![1, 3, 5, 7, 9], "order-1, order-3, order-5 and two more"),
        ] {
            let list: Vec<Msg> = list.into_iter().map(|n| Msg(n - 1)).collect();
            assert_eq!(names(&trace, &list), named);
        }
    }

    #[test]
    fn numbers_and_nouns() {
        for (n, word) in [(0, "no"), (1, "one"), (12, "twelve"), (13, "13")] {
            assert_eq!(number(n, false), word);
        }
        assert_eq!(number(2, true), "Two");
        let trace = fixture::batch_ageing();
        assert_eq!(
            (noun(&trace, &[Msg(0)], true), noun(&trace, &[Msg(0), Msg(1)], false)),
            ("order".into(), "orders".into())
        );
        assert_eq!(noun(&trace, &[], false), "messages");
    }
}
