//! The rows of the event table for other programs: as text in columns, as CSV, as JSON.

use crate::kinds::KINDS;
use crate::put::Put as _;
use crate::words::Row;

/// The forms that rows can be copied in.
pub const FORMS: [&str; 3] = ["text", "CSV", "JSON"];

/// Rows in the form at that place of [`FORMS`].
pub fn write(rows: &[Row], form: usize) -> String {
    match form {
        0 => text(rows),
        1 => csv(rows),
        _ => json(rows),
    }
}

/// One line a row, in columns: when, who, what happens.
fn text(rows: &[Row]) -> String {
    let wide = |text: &str| text.chars().count();
    let mut times: Vec<String> = Vec::with_capacity(rows.len());
    let (mut when, mut who) = (0, 0);
    for row in rows {
        let time = row.at.to_string();
        when = when.max(wide(&time));
        who = who.max(wide(&row.who));
        times.push(time);
    }
    let mut out = String::new();
    for (row, time) in rows.iter().zip(&times) {
        for (cell, to) in [(time, when), (&row.who, who)] {
            out.put(cell);
            for _ in wide(cell)..to + 2 {
                out.push(' ');
            }
        }
        said(&mut out, row, &mut |out, text| out.put(text));
        out.push('\n');
    }
    out
}

/// RFC 4180: lines end with CR LF, every text is quoted. Lists have a blank between their items.
fn csv(rows: &[Row]) -> String {
    let mut out = String::from("time_ms,who,messages,kinds,what\r\n");
    for row in rows {
        out.put(&row.at.as_ms().to_string());
        out.put(",\"");
        quoted(&mut out, &row.who);
        out.put("\",\"");
        list(&mut out, &row.messages, " ", quoted);
        out.put("\",\"");
        list(&mut out, &kinds(row), " ", quoted);
        out.put("\",\"");
        said(&mut out, row, &mut quoted);
        out.put("\"\r\n");
    }
    out
}

/// Appends a text of a CSV between its quotes.
fn quoted(out: &mut String, text: &str) {
    for c in text.chars() {
        if c == '"' {
            out.push('"');
        }
        out.push(c);
    }
}

/// A list of objects, one a line.
fn json(rows: &[Row]) -> String {
    let mut out = String::from("[");
    for (i, row) in rows.iter().enumerate() {
        out.put(if i > 0 { ",\n{\"time_ms\":" } else { "\n{\"time_ms\":" });
        out.put(&row.at.as_ms().to_string());
        out.put(",\"who\":\"");
        escaped(&mut out, &row.who);
        out.put("\",\"messages\":[");
        strings(&mut out, &row.messages);
        out.put("],\"kinds\":[");
        strings(&mut out, &kinds(row));
        out.put("],\"what\":\"");
        said(&mut out, row, &mut escaped);
        out.put("\"}");
    }
    out.put("\n]\n");
    out
}

/// Appends texts as the strings of a JSON list.
fn strings(out: &mut String, texts: &[String]) {
    if !texts.is_empty() {
        out.push('"');
        list(out, texts, "\",\"", escaped);
        out.push('"');
    }
}

/// Appends a text of a JSON string between its quotes.
fn escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '"' => out.put("\\\""),
            '\\' => out.put("\\\\"),
            ..' ' => {
                let digit = |n: u32| char::from(b"0123456789abcdef"[n as usize & 15]);
                out.put("\\u00");
                out.push(digit(c as u32 >> 4));
                out.push(digit(c as u32));
            }
            _ => out.push(c),
        }
    }
}

fn list(out: &mut String, texts: &[String], between: &str, write: fn(&mut String, &str)) {
    for (i, text) in texts.iter().enumerate() {
        if i > 0 {
            out.put(between);
        }
        write(out, text);
    }
}

fn said(out: &mut String, row: &Row, write: &mut dyn FnMut(&mut String, &str)) {
    for span in &row.what {
        write(out, &span.text);
    }
}

/// The names of a row's kinds; in one word each.
fn kinds(row: &Row) -> Vec<String> {
    let of_it = KINDS.iter().filter(|kind| row.kinds & kind.bit != 0);
    of_it.map(|kind| kind.name.replace(' ', "-")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture;
    use crate::words::{Span, rows};
    use delivery_sim::Time;
    use serde_json::{Value, json};

    /// A row with everything that has to be escaped somewhere.
    fn awkward() -> Row {
        let span = |text: &str, state| Span { text: text.into(), state };
        Row {
            at: Time::ms(61_250),
            who: "emails, \"run 1\"".into(),
            messages: vec!["a\\b".into(), "c, \"d\"\r\n".into()],
            what: vec![span("Ünï \"dies\"\t", ""), span("lost\u{1}\u{1f}", "lost"), span(".", "")],
            kinds: 1 | 8,
        }
    }

    /// Reads CSV as RFC 4180 has it.
    fn read_csv(text: &str) -> Vec<Vec<String>> {
        let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
        let (mut chars, mut inside) = (text.chars().peekable(), false);
        while let Some(c) = chars.next() {
            match c {
                '"' if inside && chars.peek() == Some(&'"') => cell.extend(chars.next()),
                '"' => inside = !inside,
                ',' if !inside => line.push(std::mem::take(&mut cell)),
                '\r' if !inside => {
                    assert_eq!(chars.next(), Some('\n'), "a lone CR");
                    line.push(std::mem::take(&mut cell));
                    lines.push(std::mem::take(&mut line));
                }
                _ => cell.push(c),
            }
        }
        assert!(!inside && cell.is_empty() && line.is_empty(), "it ends with its last line");
        lines
    }

    #[test]
    fn what_was_written_can_be_read_back() {
        let runs = [fixture::crash_redelivery(), fixture::batch_ageing()];
        let mut rows: Vec<Row> = runs.iter().flat_map(rows).collect();
        rows.push(awkward());
        let json: Vec<Value> = serde_json::from_str(&write(&rows, 2)).unwrap();
        let csv = read_csv(&write(&rows, 1));
        assert_eq!(csv[0], ["time_ms", "who", "messages", "kinds", "what"]);
        assert_eq!((json.len(), csv.len()), (rows.len(), rows.len() + 1));
        for ((row, json), csv) in rows.iter().zip(json).zip(&csv[1..]) {
            let (ms, kinds) = (row.at.as_ms(), kinds(row));
            assert_eq!(
                json,
                json!({
                    "time_ms": ms, "who": row.who, "messages": row.messages, "kinds": kinds, "what": row.text()
                })
            );
            let lists = [row.messages.join(" "), kinds.join(" ")];
            let [messages, kinds] = &lists;
            assert_eq!(csv[..], [&ms.to_string()[..], &row.who, messages, kinds, &row.text()]);
        }
        assert_eq!(write(&[], 2), "[\n]\n");
        assert_eq!(read_csv(&write(&[], 1)).len(), 1);
    }

    #[test]
    fn kinds_are_one_word_each() {
        assert_eq!(kinds(&awkward()), ["loss", "dead-letter"]);
    }

    #[test]
    fn text_stands_in_columns() {
        let rows = rows(&fixture::crash_redelivery());
        let text = write(&[0, 2, 5].map(|row| rows[row].clone()), 0);
        assert_eq!(
            text,
            "T+0.0 s  publisher, run 1  Publisher sends order-1 and order-2. Run 1 starts and asks for work.\n\
             T+0.6 s  run 1             Run 1 dies with order-1 unfinished. The server takes no notice: the stopwatch runs on until T+5.0 s.\n\
             T+5.0 s  orders            The stopwatch of order-1 runs out. It waits for a worker that asks.\n"
        );
    }
}
