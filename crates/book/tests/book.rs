//! Small books, written to a folder of their own: what they are rendered to, and what is wrong with them.

use delivery_book::{Book, Part};
use std::path::PathBuf;

/// A lab that works: one order, taken by a worker that dies, delivered again to another.
const LAB: &str = r#"title = "A crash"
question = "Who gets order-1?"
opens_at = "2s"

[scenario]
end = "8s"
streams = [{ name = "ORDERS", subjects = ["orders.>"] }]

[[scenario.consumers]]
stream = "ORDERS"
[scenario.consumers.config]
durable_name = "emails"
ack_wait = "5s"
backoff = []
max_deliver = -1

[[scenario.workers]]
name = "first"
behaviour = [{ steps = [{ after = "600ms", do = "crash" }] }]

[[scenario.workers]]
name = "second"
start = "1s"
service_time = "1s"

[[scenario.timeline]]
at = "0s"
op.publish = { subject = "orders.new", data = "order-{i}" }

[[knobs]]
name = "ack_wait"
setting = "consumer.ack_wait"
positions = ["1s", "2s", "5s"]

[[expect]]
id = "again"
claim = "order-1 comes back"
delivered = [{ msg = "order-1", attempt = 2, at = "5s", to = "second" }]

[[knobs]]
name = "backoff"
setting = "consumer.backoff"
positions = ["none", "1s,5s"]

[[knobs]]
name = "max_deliver"
setting = "consumer.max_deliver"
positions = ["1", "unlimited"]
"#;

/// A book in a temporary folder.
struct Small {
    folder: tempfile::TempDir,
}

/// The smallest book without problems: chapter 1 with `body`, placing the lab `crash`.
fn book(body: &str) -> Small {
    let small = Small { folder: tempfile::tempdir().unwrap() };
    small
        .file("book.toml", "title = 'B'\nclaim = 'C'\nabout = 'A'\nfigure = 'crash'\nchecked_against = 'V'\n[[part]]\nid = 'one'\ntitle = 'One'\n")
        .file("labs/crash.toml", LAB)
        .chapter("01-first", &format!("{{{{lab crash}}}}\n\n{body}"))
}

impl Small {
    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("content").join(name)
    }

    fn file(self, name: &str, text: &str) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
        self
    }

    /// A chapter with valid front matter; its body begins at line 7.
    fn chapter(self, name: &str, body: &str) -> Self {
        let front = "title = 'T'\nshort = 'S'\npart = 'one'\nsummary = 'M'\n";
        self.file(&format!("chapters/{name}.md"), &format!("+++\n{front}+++\n{body}"))
    }

    fn load(&self) -> Result<Book, Vec<String>> {
        Book::load(&self.path(""))
            .map_err(|problems| problems.iter().map(ToString::to_string).collect())
    }

    #[track_caller]
    fn good(&self) -> Book {
        self.load()
            .unwrap_or_else(|problems| panic!("unexpected problems:\n{}", problems.join("\n")))
    }

    /// The HTML of the first chapter, labs as `[slug]`.
    #[track_caller]
    fn html(&self) -> String {
        let parts = &self.good().chapters[0].parts;
        parts
            .iter()
            .map(|part| match part {
                Part::Html(html) => html.clone(),
                Part::Lab(slug) => format!("[{slug}]"),
            })
            .collect()
    }

    /// The book has exactly these problems.
    #[track_caller]
    fn has(&self, problems: &[&str]) {
        let found = self.load().map(|_| ()).expect_err("the book should have problems");
        assert_eq!(found, problems);
    }
}

#[test]
fn a_book_has_parts_chapters_and_labs() {
    let book = book("Text.").chapter("02-second", "## A section\n").good();
    assert_eq!((book.title.as_str(), book.parts[0].title.as_str()), ("B", "One"));
    let chapters: Vec<_> =
        book.chapters.iter().map(|c| (c.number, c.slug.as_str(), c.short.as_str())).collect();
    assert_eq!(chapters, [(1, "first", "S"), (2, "second", "S")]);
    assert_eq!(
        book.chapters[0].parts,
        [Part::Lab("crash".into()), Part::Html("<p>Text.</p>\n".into())]
    );
    assert_eq!(book.chapters[1].headings[0].id, "a-section");
    assert_eq!(book.lab("crash").unwrap().slug, "crash");
}

#[test]
fn markdown_is_rendered() {
    for (markdown, html) in [
        ("Plain *and* `code` -- \"so\".", "<p>Plain <em>and</em> <code>code</code> – “so”.</p>\n"),
        (
            "## It's `nak`, twice {#n}",
            "<h2 id=\"n\">It’s <code>nak</code>, twice <a class=\"anchor\" href=\"#n\" aria-label=\"Link to this section: It’s nak, twice\">#</a></h2>\n",
        ),
        (
            "## Why?\n\n## Why?",
            "<h2 id=\"why\">Why? <a class=\"anchor\" href=\"#why\" aria-label=\"Link to this section: Why?\">#</a></h2>\n\
             <h2 id=\"why-2\">Why? <a class=\"anchor\" href=\"#why-2\" aria-label=\"Link to this section: Why?\">#</a></h2>\n",
        ),
        (
            "is :again[handed *out* again], :lost[`x`].",
            "<p>is <em class=\"state again\">handed <em>out</em> again</em>, <em class=\"state lost\"><code>x</code></em>.</p>\n",
        ),
        (
            ":result[It comes back](crash/again).",
            "<p><a class=\"result\" href=\"?#crash\">It comes back</a>.</p>\n",
        ),
        (
            "[The list [1 s, 5 s]](#crash)",
            "<p><a href=\"#crash\">The list [1\u{a0}s, 5\u{a0}s]</a></p>\n",
        ),
        (
            "After 5 s and 200 ms, 3 stay; 10 sheep.",
            "<p>After 5\u{a0}s and 200\u{a0}ms, 3 stay; 10 sheep.</p>\n",
        ),
        (
            "`:again[x]` and time:[x] and \\:again[x]",
            "<p><code>:again[x]</code> and time:[x] and :again[x]</p>\n",
        ),
        (
            "```python\nif a < b: ':again[x]'\n```",
            "<div class=\"code\"><pre tabindex=\"0\"><code class=\"language-python\"><span class=\"k\">if</span> a &lt; b: \
             <span class=\"s\">':again[x]'</span>\n</code></pre></div>\n",
        ),
        (
            "| a | `b` |\n|---|--:|\n| 1 | 2 |",
            "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Table: a, b\">\n\
             <table><thead><tr><th>a</th><th class=\"right\"><code>b</code></th></tr></thead><tbody>\n\
             <tr><td>1</td><td class=\"right\">2</td></tr>\n</tbody></table>\n</div>\n",
        ),
        (
            "|  | b |\n|---|---|\n| 1 | 2 |",
            "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Table: , b\">\n\
             <table><thead><tr><td></td><th>b</th></tr></thead><tbody>\n\
             <tr><td>1</td><td>2</td></tr>\n</tbody></table>\n</div>\n",
        ),
        (
            ":::server 2.10–2.15\n\nOnly to a *waiting* pull.\n\n:::",
            "<aside class=\"note server\" role=\"note\"><p class=\"note-title\">What servers really do <span class=\"seen\">seen on 2.10–2.15</span></p>\n\
             <p>Only to a <em>waiting</em> pull.</p>\n</aside>\n",
        ),
        ("<!-- not\nseen -->\n\nText <!-- nor this -->here", "<p>Text here</p>\n"),
        (
            "A[^1].\n\n[^1]: B.",
            "<p>A<sup class=\"footnote-reference\"><a href=\"#1\">1</a></sup>.</p>\n\
             <div class=\"footnote-definition\" id=\"1\"><sup class=\"footnote-definition-label\">1</sup>\n<p>B.</p>\n</div>\n",
        ),
        (
            "[out](https://nats.io/?a&b), [here](#crash), [there](second), [deep](second#a-section)",
            "<p><a href=\"https://nats.io/?a&amp;b\" rel=\"noreferrer\">out</a>, <a href=\"#crash\">here</a>, \
             <a href=\"../second/\">there</a>, <a href=\"../second/#a-section\">deep</a></p>\n",
        ),
    ] {
        let small = book(markdown).chapter("02-second", "## A section\n");
        assert_eq!(small.html(), format!("[crash]{html}"), "{markdown}");
    }
}

#[test]
fn a_result_leads_to_the_figure_that_shows_it() {
    let turned = "[[expect]]\nid = 'quick'\nclaim = 'at T+2'\nset = { ack_wait = '2s' }\nat = '2s'\n\
                  delivered = [{ msg = 'order-1', attempt = 2, at = '2s' }]\n\
                  [[expect]]\nid = 'later'\nclaim = 'at T+5'\nat = '5s'\ndeliveries = 2\n";
    let labs = format!("{LAB}\n{turned}");
    for (result, href) in [
        ("crash/again", "?#crash"),
        ("crash/later", "?t=5s#crash"),
        ("crash/quick", "?ack_wait=2s#crash"),
        ("other/later", "?other.t=5s#other"),
        ("away/quick", "../second/?ack_wait=2s#away"),
    ] {
        let small = book(&format!("{{{{lab other}}}}\n\n:result[x]({result})"))
            .chapter("02-second", "{{lab away}}\n")
            .file("labs/crash.toml", &labs)
            .file("labs/other.toml", &labs)
            .file("labs/away.toml", &labs);
        let html = small.html();
        assert!(
            html.contains(&format!("<a class=\"result\" href=\"{href}\">x</a>")),
            "{result}: {html}"
        );
    }
}

#[test]
fn what_is_wrong_in_a_chapter_is_said_with_its_line() {
    // The body of the first chapter begins at line 7, after the lab at 7 and an empty line at 8 comes line 9.
    for (body, problem) in [
        (
            "Text\n\n{{lab crsh}}",
            "11: `crsh` is not a lab here (did you mean `crash`?); there is `crash`",
        ),
        ("{{lab crash}}", "9: the lab crash is on this page already; a lab stands once on a page"),
        (
            "{{lab}}",
            "9: `{{lab}}` is not understood; a lab is placed by {{lab its-slug}}, code by {{code its-name}}, a table of runs by {{sweep its-name}}",
        ),
        ("{{code ack}}", "9: `ack` is not a snippet here; there is none"),
        (
            "See {{lab crash}}.",
            "9: a lab stands alone in its paragraph; put an empty line before and after it",
        ),
        (
            "See\n{{lab crash}}",
            "9: a lab, code in tabs or a line of ::: stands alone; put an empty line before and after it",
        ),
        (
            "A :agian[word].",
            "9: `agian` is not a directive here (did you mean `again`?); there are `stored`, `inflight`, `acked`, `again`, `lost`, `dead`, `result`, `msg`, `term`, `def`",
        ),
        (
            "A :again[word](#crash).",
            "9: :again[…] names a state and leads nowhere; remove its target",
        ),
        (
            "A :again[word.",
            "9: `:again[` opens here but is not closed, or has a link or another directive in it",
        ),
        (":result[x](crash)", "9: a result names its lab and claim: :result[words](lab/claim)"),
        (":result[x]", "9: a result names its lab and claim: :result[words](lab/claim)"),
        (
            ":result[x](crash/agian)",
            "9: `agian` is not a claim of the lab crash here (did you mean `again`?); there is `again`",
        ),
        ("a\n\nb\n[x](thrid)", "12: `thrid` is not a chapter here; there is `first`"),
        (
            "## Sec\n\n[x](#sek)",
            "11: `sek` is not a section or lab of first here (did you mean `sec`?); there are `sec`, `crash`",
        ),
        ("[x](ftp://nats.io)", "9: `ftp://nats.io` is not a chapter here; there is `first`"),
        ("# Title", "9: the title of a chapter is in its front matter; begin a section with ##"),
        ("### Sub", "9: the first heading of a chapter is a section, ##"),
        ("## A\n\n#### B", "11: this heading skips a level"),
        ("## A {#crash}", "9: `#crash` is taken; choose another id for this heading"),
        ("## A {#x}\n\n## B {#x}", "11: `#x` is taken; choose another id for this heading"),
        ("    indented", "9: this code does not say its language; write ```text for none"),
        ("```\nx\n```", "9: this code does not say its language; write ```text for none"),
        (
            "```pyhton\nx\n```",
            "9: `pyhton` is not a language of code here (did you mean `python`?); there are `go`, `python`, `rust`, `javascript`, `java`, `csharp`, `console`, `sh`, `bash`, `sql`, `toml`, `yaml`, `json`, `html`, `text`",
        ),
        ("![x](y.png)", "9: pictures are not shown; a picture of a run comes from a lab"),
        ("<b>x</b>", "9: HTML such as `<b>` is not passed on; write Markdown"),
        ("<div>\nx\n</div>", "9: HTML such as `<div>` is not passed on; write Markdown"),
        (":::server 2.10\n\nText", "9: this note is not closed; end it with :::"),
        (":::server\n\n:::", "9: say on which versions this was seen, as :::server 2.10–2.15"),
        (
            ":::sever 2.10",
            "9: `sever` is not a note here (did you mean `server`?); there is `server`",
        ),
        ("Text\n\n:::", "11: this ::: closes nothing"),
    ] {
        let found = book(body).load().map(|_| ()).expect_err(body);
        assert_eq!(found[0], format!("content/chapters/01-first.md:{problem}"), "{body}");
    }
}

#[test]
fn front_matter_and_names_of_chapters_are_checked() {
    let front = "title = 'T'\nshort = 'S'\npart = 'one'\nsummary = 'M'\n";
    for (name, text, problem) in [
        (
            "02-b.md",
            "Text".to_owned(),
            "02-b.md:1: a chapter begins with its title, short, part and summary between two lines of +++",
        ),
        (
            "02-b.md",
            format!("+++\n{front}colour = 1\n+++\n"),
            "02-b.md:6: `colour` is not a setting here; there are `title`, `short`, `part`, `summary`",
        ),
        (
            "02-b.md",
            format!("+++\n{front}+++\n").replace("'T'", "5"),
            "02-b.md:2: found integer `5` where a string belongs",
        ),
        (
            "02-b.md",
            format!("+++\n{front}+++\n").replace("'one'", "'oen'"),
            "02-b.md:4: `oen` is not a part of the book here (did you mean `one`?); there is `one`",
        ),
        ("02-b.md", "+++\ntitle = 'T'\n+++\n".into(), "02-b.md:2: `short` is missing"),
        (
            "b.md",
            format!("+++\n{front}+++\n"),
            "b.md: a chapter's file is called by its number and its address, as 08-the-stopwatch.md",
        ),
        (
            "01-again.md",
            format!("+++\n{front}+++\n"),
            "01-first.md: chapter 1 is also content/chapters/01-again.md; give one of them another number",
        ),
        ("b.txt", String::new(), "b.txt: only .md files belong into this folder"),
    ] {
        book("")
            .file(&format!("chapters/{name}"), &text)
            .has(&[&format!("content/chapters/{problem}")]);
    }
}

#[test]
fn what_is_wrong_in_a_lab_is_said_with_its_line() {
    for (from, to, problem) in [
        (
            "ack_wait = \"5s\"",
            "ack_wiat = \"5s\"",
            "13: `ack_wiat` is not a setting here (did you mean `ack_wait`?); there are ",
        ),
        (
            "ack_wait = \"5s\"",
            "ack_wait = \"5\"",
            "13: `5` is not a duration; write one such as 500ms, 30s or 1m30s",
        ),
        (
            "start = \"1s\"",
            "start = \"soon\"",
            "23: `soon` is not a duration; write one such as 500ms, 30s or 1m30s",
        ),
        (
            "service_time = \"1s\"",
            "service_time = \"2s..1s\"",
            "24: `2s..1s` runs backwards; write the shorter time first",
        ),
        (
            "do = \"crash\"",
            "do = \"crahs\"",
            "19: `crahs` is not a value here (did you mean `crash`?); there are ",
        ),
        (
            "op.publish",
            "op.pubilsh",
            "28: `pubilsh` is not a value here (did you mean `publish`?); there are ",
        ),
        (
            "subject = \"orders.new\"",
            "subjekt = \"orders.new\"",
            "28: `subjekt` is not a setting here (did you mean `subject`?); there are ",
        ),
        ("title = \"A crash\"\n", "", "1: `title` is missing"),
        ("title = \"A crash\"", "title = \"\"", "1: `title` is empty; write one sentence"),
        (
            "opens_at = \"2s\"",
            "opens_at = \"9s\"",
            "3: `opens_at` is T+9.0 s, after the end of the run at T+8.0 s; choose an earlier moment",
        ),
        (
            "\"consumer.ack_wait\"",
            "\"consumer.ack_weit\"",
            "30: knob `ack_wait`: `consumer.ack_weit` is not a setting; there are ",
        ),
        (
            "positions = [\"1s\", \"2s\"",
            "positions = [\"1s\", \"x\"",
            "30: knob `ack_wait`, position 2: `x` is not a duration",
        ),
        ("backoff = []\nmax_deliver = -1", "backoff = [\"1s\", \"2s\"]\nmax_deliver = 1", "15: "),
        (
            "to = \"second\"",
            "to = \"first\"",
            "38: `again` (order-1 comes back) does not hold: delivery 2 of order-1 to first at T+5s is claimed, but in the run delivery 1 goes to first at T+",
        ),
        (
            "at = \"5s\", to",
            "at = \"5.1s\", to",
            "38: `again` (order-1 comes back) does not hold: delivery 2 of order-1 to second at T+5.1s is claimed, but in the run delivery 1 goes to first at T+",
        ),
        (
            "msg = \"order-1\"",
            "msg = \"order-2\"",
            "38: `again` (order-1 comes back) does not hold: `order-2` is not a message here (did you mean `order-1`?); there is `order-1`",
        ),
        (
            "delivered = [{ msg",
            "dellivered = [{ msg",
            "38: `dellivered` is not a setting here (did you mean `delivered`?); there are ",
        ),
        (
            "delivered = [{ msg = \"order-1\", attempt = 2, at = \"5s\", to = \"second\" }]\n",
            "",
            "35: `again` claims something but checks nothing",
        ),
    ] {
        assert!(LAB.contains(from), "{from}");
        let found = book("")
            .file("labs/crash.toml", &LAB.replace(from, to))
            .load()
            .map(|_| ())
            .expect_err(to);
        assert!(
            found.len() == 1 && found[0].starts_with(&format!("content/labs/crash.toml:{problem}")),
            "{to}\n  found    {}\n  expected content/labs/crash.toml:{problem}",
            found.join("\n           ")
        );
    }
}

#[test]
fn a_figure_without_an_account_is_refused() {
    let idle =
        "title = 'T'\nquestion = 'Q?'\nopens_at = '0s'\nknobs = []\n[scenario]\nend = '1s'\n";
    book("")
        .file("labs/crash.toml", idle)
        .has(&["content/labs/crash.toml:5: nothing happens in this lab: its run has no account"]);
    let beside = "[beside]\ntitle = 'Core NATS'\nown_title = 'JetStream'\nscenario.end = '8s'\n";
    let found =
        book("").file("labs/crash.toml", &format!("{LAB}{beside}")).load().map(|_| ()).unwrap_err();
    let sentence = "`beside`: nothing happens in this system: its run has no account";
    assert!(found.len() == 1 && found[0].ends_with(sentence), "{found:?}");
}

#[test]
fn claims_are_held_against_the_run() {
    for (claim, problem) in [
        ("delivered = [{ msg = 'order-1', attempt = 1, to = 'first' }]", None),
        ("handled = [{ msg = 'order-1', at = '6s', by = 'second' }]", None),
        (
            "handled = [{ msg = 'order-1', by = 'first' }]",
            Some(
                "completed work on order-1 by first is claimed, but in the run second completes it at T+6.0",
            ),
        ),
        ("redelivered = ['order-1']", None),
        (
            "redelivered = []",
            Some("nothing is claimed to be delivered more than once, but in the run order-1 is"),
        ),
        ("redelivered = []\nset = { ack_wait = '10s' }", None),
        ("handled_twice = []", None),
        (
            "handled_twice = ['order-1']",
            Some("order-1 is claimed to be handled more than once, but in the run nothing is"),
        ),
        ("worked_on_at_once = []", None),
        ("deliveries = 2", None),
        ("deliveries = 3", Some("3 deliveries are claimed, but the run made 2")),
        ("info = [{ at = '2s', num_ack_pending = 1, num_redelivered = 0, num_pending = 0 }]", None),
        (
            "info = [{ at = '5.5s', num_redelivered = 0 }]",
            Some("num_redelivered = 0 is claimed at T+5.5s, but the run gave 1"),
        ),
        (
            "info = [{ at = '2s', delivered_consumer_seq = 1, ack_floor_stream_seq = 1 }]",
            Some("ack_floor_stream_seq = 1 is claimed at T+2s, but the run gave 0"),
        ),
        ("shows = { redelivered = 1, handled = ['order-1'], lost = 0 }", None),
        (
            "shows = { redelivered = 2 }",
            Some("`redelivered` is claimed otherwise; in the run it fits order-1"),
        ),
        (
            "shows = { redelivered = 1, knobs = { ack_wait = '1s' } }",
            Some("the knobs do not stand as `shows` has them; turn them by `set`"),
        ),
        (
            "shows = { redelivered = 1 }\nbeside = true",
            Some(
                "with these settings the lab does not run: the lab has no second system; leave out `beside`",
            ),
        ),
        ("published = [{ msg = 'order-1', seq = 1, duplicate = false }]", None),
        (
            "published = [{ msg = 'order-1', seq = 2 }]",
            Some(
                "an end of the publish of order-1 is claimed, but in the run its PubAck at T+400us says sequence 1",
            ),
        ),
        (
            "published = [{ msg = 'order-1', error = 'timeout' }]",
            Some("an end of the publish of order-1 is claimed, but in the run its PubAck at"),
        ),
        ("advisories = [{ kind = 'max_deliver', never = true }]", None),
        (
            "advisories = [{ kind = 'max_deliver' }]",
            Some("an advisory is claimed (MaxDeliver), but in the run: there is none"),
        ),
        (
            "advisories = [{ kind = 'max_deliver', msg = 'order-1', deliveries = 1, at = '5s' }]\nset = { max_deliver = '1' }",
            None,
        ),
        ("streams = [{ at = '2s', messages = 1, first_seq = 1, last_seq = 1 }]", None),
        (
            "streams = [{ at = '2s', messages = 0 }]",
            Some("messages = 0 of ORDERS is claimed at T+2s, but the run gave 1"),
        ),
        (
            "info = [{ at = '2s', consumer = 'mails', num_pending = 0 }]",
            Some("`mails` is not a consumer here (did you mean `emails`?); there is `emails`"),
        ),
        (
            "deliveries = 2\nset = { ack_wiat = '1s' }",
            Some(
                "`ack_wiat` is not a knob here (did you mean `ack_wait`?); there are `ack_wait`, `backoff`, `max_deliver`",
            ),
        ),
        (
            "deliveries = 2\nset = { ack_wait = 'long' }",
            Some("`ack_wait` in the address: `long` is not a duration"),
        ),
    ] {
        let lab = format!("{LAB}\n[[expect]]\nid = 'c'\nclaim = 'x'\n{claim}\n");
        match (book("").file("labs/crash.toml", &lab).load().map(|_| ()), problem) {
            (Ok(()), None) => {}
            (Err(found), Some(problem)) => {
                let expected = format!("`c` (x) does not hold: {problem}");
                assert!(
                    found.len() == 1 && found[0].contains(&expected),
                    "{claim}\n{}",
                    found.join("\n")
                );
                let line: usize = found[0].split(':').nth(1).unwrap().parse().unwrap();
                assert!((51..=54).contains(&line), "{claim}\n{}", found.join("\n"));
            }
            (result, _) => panic!("{claim}\nexpected {problem:?}, found {result:?}"),
        }
    }
}

/// A sweep over one knob, with a chart and a claim; its lines are counted in the test below.
const SWEEP: &str = "lab = 'crash'
caption = 'What `ack_wait` does.'
columns = ['deliveries', 'done_after', { count = 'lost', title = 'gone' }]
chart = 'done_after'
end = '30s'
scale = { 'publish.count' = '3' }
[[axes]]
knob = 'ack_wait'
values = ['1s', '5s']
[[expect]]
claim = 'it waits'
set = { ack_wait = '5s' }
counts = { deliveries = 4, lost = 0, done_after = { at_least = 6000, at_most = 6100 } }
";

#[test]
fn a_sweep_is_a_table_of_runs() {
    let html = book("{{sweep waits}}\n").file("sweeps/waits.toml", SWEEP).html();
    for part in [
        "<figure class=\"sweep\" id=\"sweep-waits\">",
        "aria-label=\"all done after, by ack_wait. 1 s: 4\u{a0}s; 5 s: 6\u{a0}s.\"",
        "<th scope=\"col\"><code>ack_wait</code></th><th scope=\"col\" class=\"right\">deliveries</th>",
        "<th scope=\"col\" class=\"right\">gone</th>",
        "<th scope=\"row\"><a class=\"result\" href=\"?ack_wait=1s#crash\">1 s</a></th><td class=\"right\">4</td><td class=\"right\">4\u{a0}s</td><td class=\"right\">0</td>",
        "<th scope=\"row\"><a class=\"result\" href=\"?#crash\">5 s</a></th>",
        ">What <code>ack_wait</code> does.</figcaption>",
    ] {
        assert!(html.contains(part), "{part}\nis not in\n{html}");
    }
    let rows = "lab = 'crash'\ncaption = 'C'\ncolumns = ['redelivered']\n\
                rows = [{ label = 'as it is' }, { label = 'once', set = { max_deliver = '1' } }]\n\
                expect = [{ claim = 'c', counts = { redelivered = 1 } }]\n";
    let html = book("{{sweep rows}}\n").file("sweeps/rows.toml", rows).html();
    assert!(html.contains("href=\"?max_deliver=1#crash\">once</a></th><td class=\"right\">0</td>"));
    assert!(!html.contains("<svg"));
}

#[test]
fn what_is_wrong_in_a_sweep_is_said_with_its_line() {
    for (from, to, problem) in [
        (
            "lab = 'crash'",
            "lab = 'crush'",
            "1: `crush` is not a lab here (did you mean `crash`?); there is `crash`",
        ),
        (
            "'deliveries', 'done",
            "'delivered', 'done",
            "3: `delivered` is not something to count here",
        ),
        ("chart = 'done_after'", "chart = 'rate'", "4: `rate` is not a column here"),
        ("'publish.count'", "'publish.many'", "6: `publish.many` is not a setting"),
        ("'publish.count' = '3'", "'stream.max_msgs' = 'x'", "6: `x` is not a whole number"),
        ("knob = 'ack_wait'", "knob = 'ack_wiat'", "7: `ack_wiat` is not a knob here"),
        ("'1s', '5s'", "'1s', 'long'", "7: `long` is not a duration"),
        (
            "deliveries = 4",
            "deliveries = 5",
            "10: `it waits` does not hold: deliveries is claimed to be 5 in the row `5 s`, but it is 4",
        ),
        (
            "set = { ack_wait = '5s' }",
            "",
            "10: `it waits` does not hold: no row has exactly these settings",
        ),
        (
            "at_least = 6000",
            "at_least = 7000",
            "10: `it waits` does not hold: done_after is claimed to be 7000 to 6100",
        ),
        (
            "counts = { deliveries",
            "counts = { delivered",
            "10: `it waits` does not hold: `delivered` is not something to count",
        ),
        ("knob = 'ack_wait'", "knob = 'ack_wait'\nnob = 1", "9: `nob` is not a setting here"),
    ] {
        assert!(SWEEP.contains(from), "{from}");
        let found = book("{{sweep waits}}\n")
            .file("sweeps/waits.toml", &SWEEP.replace(from, to))
            .load()
            .map(|_| ())
            .expect_err(to);
        assert!(
            found[0].starts_with(&format!("content/sweeps/waits.toml:{problem}")),
            "{to}\n  found    {}\n  expected content/sweeps/waits.toml:{problem}",
            found.join("\n           ")
        );
    }
    book("Text.").file("sweeps/waits.toml", SWEEP).has(&[
        "content/sweeps/waits.toml: no chapter shows this sweep; place it with {{sweep waits}} or remove the file",
    ]);
    book("{{sweep wait}}\n").file("sweeps/waits.toml", SWEEP).has(&[
        "content/chapters/01-first.md:9: `wait` is not a sweep here (did you mean `waits`?); there is `waits`",
        "content/sweeps/waits.toml: no chapter shows this sweep; place it with {{sweep waits}} or remove the file",
    ]);
}

#[test]
fn words_light_up_a_figure() {
    let two = "{{lab crash}}\n\nA B.\n\n## Two\n\nC D.\n\n{{lab other}}\n\n## Three\n\nE F.\n";
    let msg = |words: &str, lab: &str| {
        format!("<span class=\"msg\" data-msg-label=\"order-1\" data-in=\"{lab}\">{words}</span>")
    };
    let again = |words: &str, lab: &str| {
        format!(
            "<span class=\"term state again\" data-term=\"again\" data-in=\"{lab}\">{words}</span>"
        )
    };
    for (place, written, html) in [
        ("A", ":msg[order-1]", msg("order-1", "crash")),
        ("B", ":msg[the first *order*](order-1)", msg("the first <em>order</em>", "crash")),
        ("B", ":msg[`order-1`]{lab=other} then", msg("<code>order-1</code>", "other") + " then"),
        ("B", ":msg[order-1]{lab=other} then", msg("order-1", "other") + " then"),
        ("A", ":term[redelivered], 5 s", again("redelivered", "crash") + ", 5\u{a0}s"),
        ("A", ":term[sent again](redelivered){lab=other}", again("sent again", "other")),
        // The lab of the section, though it comes later and the other is as near.
        ("C", ":msg[order-1]", msg("order-1", "other")),
        // No lab in the section: the last one before.
        ("E", ":msg[order-1]", msg("order-1", "other")),
        ("F", "`:msg[order-1]`", "<code>:msg[order-1]</code>".into()),
        ("F", "\\:msg[order-1] {lab=crash}", ":msg[order-1] {lab=crash}".into()),
    ] {
        let body = two.replacen(place, written, 1);
        let small = book("").chapter("01-first", &body).file("labs/other.toml", LAB);
        assert!(small.html().contains(&html), "{written}\n{}", small.html());
    }
    // Before the first lab: that one.
    let small = book("").chapter("01-first", ":msg[order-1]\n\n## X\n\n{{lab crash}}\n");
    assert!(small.html().contains(&msg("order-1", "crash")), "{}", small.html());
}

#[test]
fn words_that_light_nothing_up_are_refused_with_their_line() {
    for (body, problem) in [
        (
            "x\n:msg[order-2]",
            "10: `order-2` is not a message of the lab crash here (did you mean `order-1`?); there is `order-1`",
        ),
        (
            ":msg[it](order-9)",
            "9: `order-9` is not a message of the lab crash here (did you mean `order-1`?); there is `order-1`",
        ),
        (
            ":msg[order-1]{lab=crahs}",
            "9: `crahs` is not a lab of this page here (did you mean `crash`?); there is `crash`",
        ),
        (
            ":term[redeliverd]",
            "9: `redeliverd` is not a term here (did you mean `redelivered`?); there are `stored`, `delivered`, ",
        ),
        (
            ":term[dead]",
            "9: nothing is dead in the default run of the lab crash, so nothing lights up",
        ),
        (
            ":msg[order-1",
            "9: `:msg[` opens here but is not closed, or has a link or another directive in it",
        ),
    ] {
        let found = book(body).load().map(|_| ()).expect_err(body);
        let expected = format!("content/chapters/01-first.md:{problem}");
        assert!(found.len() == 1 && found[0].starts_with(&expected), "{body}\n{found:?}");
    }
    book("").chapter("02-second", ":msg[order-1]").has(&[
        "content/chapters/02-second.md:7: :msg[…] needs a lab on this page, in which it lights up",
    ]);
    // A lab that does not run is blamed once, not for what is said about it.
    let found = book(":msg[order-1]")
        .file(
            "labs/crash.toml",
            &LAB.replace(
                "backoff = []\nmax_deliver = -1",
                "backoff = [\"1s\", \"2s\"]\nmax_deliver = 1",
            ),
        )
        .load()
        .map(|_| ())
        .expect_err("a lab that does not run");
    assert!(found.iter().all(|problem| problem.contains("crash.toml")), "{found:?}");
}

/// A snippet that is whole: each client acks, the command line cannot.
const SNIPPET: &str = "# Say that a message is `done`

```go
msg.Ack()
```

```python
await msg.ack()
```

```rust
msg.ack().await?;
```

```javascript
m.ack();
```

```java
m.ack();
```

```csharp
await msg.AckAsync();
```

CLI: only with [the first figure](first#crash).
";

#[test]
fn code_for_every_client_stands_in_tabs() {
    let html = book("{{code ack}}").file("snippets/ack.md", SNIPPET).html();
    assert!(
        html.contains(
            "<div class=\"tabs\" role=\"group\" aria-label=\"Say that a message is done\">\n\
             <p class=\"tabs-title\">Say that a message is <code>done</code></p>\n\
             <label class=\"tab\"><input type=\"radio\" name=\"code-ack\" value=\"go\" checked>Go</label>\n\
             <div class=\"panel\"><div class=\"code\"><pre tabindex=\"0\"><code class=\"language-go\">msg.<span class=\"f\">Ack</span>()\n</code></pre></div>\n</div>\n\
             <label class=\"tab\"><input type=\"radio\" name=\"code-ack\" value=\"python\">Python</label>\n"
        ),
        "{html}"
    );
    assert!(
        html.ends_with(
            "<label class=\"tab\"><input type=\"radio\" name=\"code-ack\" value=\"console\">CLI</label>\n\
             <div class=\"panel\"><p>only with <a href=\"../first/#crash\">the first figure</a>.</p>\n</div>\n</div>\n"
        ),
        "{html}"
    );
    assert_eq!(html.matches("<input").count(), 7);
}

#[test]
fn what_is_wrong_in_a_snippet_is_said_with_its_line() {
    for (from, to, problem) in [
        (
            "# Say that a message is `done`\n\n",
            "",
            "1: a snippet begins with what it does, as `# What it does`",
        ),
        (
            "```go\nmsg.Ack()\n```\n",
            "",
            "4: here stands Python, where Go belongs; the clients are, in this order, Go, Python, Rust, JavaScript, Java, .NET, CLI",
        ),
        (
            "CLI: only with [the first figure](first#crash).",
            "",
            " CLI is missing; the clients are, in this order, Go, Python, Rust, JavaScript, Java, .NET, CLI",
        ),
        ("```csharp", "```cs", "23: `cs` is not a client here; there are `go`, `python`, "),
        (
            "CLI: only",
            "Only",
            "27: words stand here only for a client that cannot do it, after its name and a colon, as `CLI: …`",
        ),
        (
            "CLI: only",
            "## Only",
            "27: a snippet has its caption, `# What it does`, and then code alone",
        ),
        (
            "first#crash",
            "frist#crash",
            "27: `frist` is not a chapter here (did you mean `first`?); there is `first`",
        ),
    ] {
        assert!(SNIPPET.contains(from), "{from}");
        let found = book("{{code ack}}")
            .file("snippets/ack.md", &SNIPPET.replace(from, to))
            .load()
            .map(|_| ())
            .expect_err(to);
        let expected = format!("content/snippets/ack.md:{problem}");
        assert!(
            found.len() == 1 && found[0].starts_with(&expected),
            "{to}\n{}\n{expected}",
            found.join("\n")
        );
    }
    book("{{code ack}}\n\n{{code ack}}").file("snippets/ack.md", SNIPPET).has(&[
        "content/chapters/01-first.md:11: the code ack is on this page already; it stands once on a page",
    ]);
    book("").file("snippets/ack.md", SNIPPET).has(&[
        "content/snippets/ack.md: no chapter shows this code; place it with {{code ack}} or remove the file",
    ]);
}

const TERMS: &str = "[[term]]
name = 'stream'
forms = ['streams']
means = 'It stores *messages*; see [here](first#crash) or `ack_wait`.'
chapter = 'first#crash'
lab = 'crash'

[[term]]
name = 'ack'
forms = ['acks', 'acked']
means = 'The answer \"done\".'
chapter = 'first'
";

const SETTINGS: &str = "[[setting]]
name = 'max_deliver'
of = 'consumer'
type = 'number'
default = '−1, no limit'
versions = 'all'
editable = true
does = 'How often a message is delivered.'
run = 'With 1, *nothing* comes back.'
lab = 'crash'
set = { max_deliver = '1' }
t = '6s'
chapter = 'first'
cli = '--max-deliver'

[[setting]]
name = 'ack_wait'
of = 'consumer'
type = 'duration'
default = '30 s'
versions = 'all'
editable = 'yes, for `new` deliveries'
does = 'A.'
run = 'B.'
chapter = 'first#crash'
";

const SYMPTOMS: &str = "[[symptom]]
sees = 'My order came `twice`'
id = 'twice'
because = 'Its [ack](glossary#ack) was late.'
do = '''
Raise [it](settings#ack_wait).

Then look.
'''
lab = 'crash'
chapter = 'first'
";

/// A book that explains its words, settings and symptoms. Its text begins at line 9.
fn reference(body: &str) -> Small {
    book(body)
        .file("glossary.toml", TERMS)
        .file("settings.toml", SETTINGS)
        .file("symptoms.toml", SYMPTOMS)
}

fn def(term: &str, words: &str) -> String {
    format!("<a class=\"def\" href=\"../glossary/#{term}\" data-def=\"{term}\">{words}</a>")
}

#[test]
fn the_first_use_of_a_term_is_explained() {
    let (stream, ack) = (def("stream", "stream"), def("ack", "Acks"));
    for (body, html) in [
        ("A stream, two streams. Acks.", format!("<p>A {stream}, two streams. {ack}.</p>\n")),
        (
            "`stream` [stream](#crash) :again[stream] A *stream*. Acks",
            format!(
                "<p><code>stream</code> <a href=\"#crash\">stream</a> <em class=\"state again\">stream</em> A <em>{stream}</em>. {ack}</p>\n"
            ),
        ),
        // Where the writer explains it, no other use is explained.
        (
            "A stream. Acks. A :def[*place*](streams).",
            format!("<p>A stream. {ack}. A {}.</p>\n", def("stream", "<em>place</em>")),
        ),
        (
            ":def[stream] and an acked one",
            format!("<p>{stream} and an {} one</p>\n", def("ack", "acked")),
        ),
        (
            "| stream |\n|---|\n| acks: a stream |",
            format!(
                "<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"Table: stream\">\n<table><thead><tr><th>stream</th></tr></thead><tbody>\n\
                 <tr><td>{}: a {stream}</td></tr>\n</tbody></table>\n</div>\n",
                def("ack", "acks")
            ),
        ),
    ] {
        assert_eq!(reference(body).html(), format!("[crash]{html}"), "{body}");
    }
    let small = reference("## A stream of acks\n\nAcks of a stream");
    assert!(small.html().ends_with(&format!("<p>{ack} of a {stream}</p>\n")), "{}", small.html());
    let book = small.good();
    assert_eq!(book.chapters[0].terms, ["ack", "stream"], "in the order of the page");
    let meaning = book.meaning("stream").unwrap();
    assert_eq!(meaning.html, "It stores <em>messages</em>; see here or <code>ack_wait</code>.");
}

#[test]
fn what_is_looked_up_has_pages_of_its_own() {
    let links = "[a](symptoms#twice), [b](settings#ack_wait), [c](glossary#ack), [d](settings)";
    let small = reference(&format!("Acks of a stream, `ack_wait`; {links}"));
    let html = small.html();
    for href in ["../symptoms/#twice", "../settings/#ack_wait", "../glossary/#ack", "../settings/"]
    {
        assert!(html.contains(&format!("<a href=\"{href}\">")), "{href}: {html}");
    }
    let book = small.good();
    let pages: Vec<&str> = book.references.iter().map(|page| page.slug).collect();
    assert_eq!(pages, ["symptoms", "settings", "glossary"]);
    let [symptoms, settings, glossary] = &book.references[..] else { panic!() };
    let anchor = |id: &str, words: &str| {
        format!(
            "<a class=\"anchor\" href=\"#{id}\" aria-label=\"Link to this section: {words}\">#</a>"
        )
    };
    assert_eq!(
        symptoms.html,
        format!(
            "<nav class=\"index symptoms\" aria-label=\"All entries\">\n<ul>\n\
             <li><a href=\"#twice\">My order came <code>twice</code></a></li>\n</ul>\n</nav>\n\
             <h2 id=\"twice\">My order came <code>twice</code> {}</h2>\n\
             <p>Its <a href=\"../glossary/#ack\">ack</a> was late.</p>\n\
             <div class=\"cure\">\n<p class=\"note-title\">What to do</p>\n\
             <p>Raise <a href=\"../settings/#ack_wait\">it</a>.</p>\n<p>Then look.</p>\n</div>\n\
             <p class=\"see\"><span>Figure: <a class=\"result\" href=\"../first/#crash\">A crash</a></span> \
             <span>Chapter: <a href=\"../first/\">S</a></span></p>\n",
            anchor("twice", "My order came twice")
        )
    );
    // By what they are of, then by name.
    let headings: Vec<_> =
        settings.headings.iter().map(|h| (h.level, h.id.as_str(), h.html.as_str())).collect();
    assert_eq!(
        headings,
        [
            (2, "of-consumer", "Of a consumer"),
            (3, "ack_wait", "<code>ack_wait</code>"),
            (3, "max_deliver", "<code>max_deliver</code>")
        ]
    );
    let list =
        "<p>Of a consumer</p>\n<ul>\n<li><a href=\"#ack_wait\"><code>ack_wait</code></a></li>\n";
    assert!(settings.html.contains(list), "{}", settings.html);
    let (_, entry) = settings.html.split_once("<h3 id=\"max_deliver\">").unwrap();
    assert_eq!(
        entry.split_once('\n').unwrap().1,
        "<p>How often a message is delivered.</p>\n<p>With 1, <em>nothing</em> comes back.</p>\n<dl class=\"facts\">\n\
         <div><dt>Type</dt><dd>number</dd></div>\n<div><dt>Default</dt><dd>−1, no limit</dd></div>\n\
         <div><dt>Versions</dt><dd>all</dd></div>\n<div><dt>Can be changed</dt><dd>yes</dd></div>\n\
         <div><dt>CLI</dt><dd><code>--max-deliver</code></dd></div>\n</dl>\n\
         <p class=\"see\"><span>Figure: <a class=\"result\" href=\"../first/?max_deliver=1&amp;t=6s#crash\">A crash</a></span> \
         <span>Chapter: <a href=\"../first/\">S</a></span></p>\n"
    );
    let order: Vec<usize> =
        ["id=\"ack\"", "id=\"stream\"", "<a href=\"../first/#crash\">S</a> <a class=\"result\""]
            .iter()
            .map(|part| {
                glossary.html.find(part).unwrap_or_else(|| panic!("{part}: {}", glossary.html))
            })
            .collect();
    assert!(order.is_sorted(), "terms stand by the alphabet: {}", glossary.html);
}

#[test]
fn what_is_wrong_in_a_reference_is_said_with_its_line() {
    let good = "Acks of a stream.";
    for (body, problem) in [
        (
            "Acks of a :def[straem].",
            "chapters/01-first.md:9: `straem` is not a term of the glossary here (did you mean `stream`?); there are `ack`, `stream`",
        ),
        (
            "Acks of a :def[stream",
            "chapters/01-first.md:9: `:def[` opens here but is not closed, or has a link or another directive in it",
        ),
        ("Acks.", "glossary.toml:1: no chapter uses the term `stream`; use it or remove it"),
        (
            "Acks of a stream, `max_ack_pending=1`.",
            "chapters/01-first.md:9: `max_ack_pending` is a setting that settings.toml does not explain",
        ),
    ] {
        let found = reference(body).load().map(|_| ()).expect_err(body);
        assert!(found.contains(&format!("content/{problem}")), "{body}\n{}", found.join("\n"));
    }
    for (file, from, to, problem) in [
        (
            "glossary",
            "'first#crash'",
            "'first#crahs'",
            "5: `crahs` is not a section or lab of first",
        ),
        ("glossary", "[here](first#crash)", "[here](frist)", "4: `frist` is not a chapter here"),
        ("glossary", "lab = 'crash'", "lab = 'crahs'", "6: `crahs` is not a lab here"),
        ("glossary", "'acked'", "'streams'", "8: `streams` is the term `stream` already"),
        (
            "glossary",
            "`ack_wait`",
            "`max_waiting`",
            "4: `max_waiting` is a setting that settings.toml does not explain",
        ),
        (
            "settings",
            "of = 'consumer'\ntype = 'd",
            "of = 'consumr'\ntype = 'd",
            "18: `consumr` is not what a setting can be of here (did you mean `consumer`?)",
        ),
        (
            "settings",
            "name = 'ack_wait'",
            "name = 'max_deliver'",
            "17: there is a `consumer-max_deliver` already",
        ),
        (
            "settings",
            "chapter = 'first#crash'",
            "chapter = 'first#x'",
            "25: `x` is not a section or lab of first",
        ),
        ("settings", "lab = 'crash'", "lab = 'crahs'", "10: `crahs` is not a lab here"),
        (
            "settings",
            "max_deliver = '1'",
            "max_delivr = '1'",
            "11: `max_delivr` is not a knob of the lab crash here (did you mean `max_deliver`?)",
        ),
        (
            "settings",
            "max_deliver = '1'",
            "max_deliver = 'x'",
            "11: `max_deliver` in the address: `x` is not a whole number",
        ),
        (
            "settings",
            "{ max_deliver = '1' }",
            "{ max_deliver = '1', backoff = '1s,5s' }",
            "11: with these settings the lab crash does not run: ",
        ),
        ("settings", "t = '6s'", "t = '60s'", "12: `t` is after the end of the run at "),
        ("settings", "lab = 'crash'\n", "", "10: `set` turns the knobs of a lab; name the `lab`"),
        (
            "settings",
            "run = 'B.'",
            "run = '## B'",
            "24: headings, labs, sweeps and code in tabs stand in chapters alone",
        ),
        ("settings", "editable = true", "editable = []", "7: "),
        (
            "symptoms",
            "settings#ack_wait",
            "settings#ack_wiat",
            "6: `ack_wiat` is not a section or lab of settings here (did you mean `ack_wait`?)",
        ),
        (
            "symptoms",
            "glossary#ack",
            "glossary#akc",
            "4: `akc` is not a section or lab of glossary",
        ),
        (
            "symptoms",
            "id = 'twice'",
            "id = 'Came twice'",
            "3: `Came twice` is no id; write small letters, digits and hyphens, as `came-twice`",
        ),
        (
            "symptoms",
            "because =",
            "becuase =",
            "4: `becuase` is not a setting here (did you mean `because`?)",
        ),
    ] {
        let small = reference(good);
        let text = std::fs::read_to_string(small.path(&format!("{file}.toml"))).unwrap();
        assert!(text.contains(from), "{from}");
        let small = small.file(&format!("{file}.toml"), &text.replacen(from, to, 1));
        let found = small.load().map(|_| ()).expect_err(to);
        let expected = format!("content/{file}.toml:{problem}");
        assert!(
            found.iter().any(|one| one.starts_with(&expected)),
            "{to}\n{}\n{expected}",
            found.join("\n")
        );
    }
    book("").chapter("02-glossary", "Text.").has(&[
        "content/chapters/02-glossary.md: `glossary` is a page of its own; call this chapter otherwise",
    ]);
}

/// Answers and a goal that belong to [`LAB`]; they begin at its line 40.
const TAUGHT: &str = r#"
[[answers]]
text = "the first worker"
right_when = { delivered = { msg = "order-1", attempt = 2, to = "first" } }
say = "It is dead."
because = { delivered = { to = "first" } }

[[answers]]
text = "the second worker"
right_when = { delivered = { msg = "order-1", attempt = 2, to = "second" } }
say = "It asks."
because = { redelivered = ["order-1"] }

[[goals]]
text = "Deliver order-1 within three seconds."
when = { delivered = { attempt = 2, before = "3s" } }
by = { ack_wait = "2000ms" }
"#;

#[test]
fn a_lab_asks_and_sets_goals() {
    let taught = book("").file("labs/crash.toml", &format!("{LAB}{TAUGHT}")).good();
    let lab = taught.lab("crash").unwrap();
    let texts: Vec<&str> = lab.answers.iter().map(|answer| answer.text.as_str()).collect();
    assert_eq!(texts, ["the first worker", "the second worker"]);
    let [goal] = &lab.goals[..] else { panic!("{:?}", lab.goals) };
    assert_eq!(goal.by.query(), "ack_wait=2s", "as an address has it");
    assert_eq!(goal.at.as_ms(), 2_002, "the row of the second delivery");
    assert!(book("").good().lab("crash").unwrap().answers.is_empty(), "a question may be open");
}

#[test]
fn answers_and_goals_are_held_against_the_runs() {
    let again = "delivered = { msg = \"order-1\", attempt = 2, to = \"second\" }";
    for (from, to, problem) in [
        (
            "right_when = { delivered = { msg = \"order-1\", attempt = 2, to = \"first\" } }",
            "right_when = { redelivered = 1 }",
            "58: answer 2: in the default run it is right, and so is answer 1",
        ),
        (
            again,
            "redelivered = 2",
            "50: no answer is right in the default run: one order sent; order-1 was worked on twice",
        ),
        (
            "right_when = { delivered = { msg = \"order-1\", attempt = 2, to = \"first\" } }",
            "right_when = { redelivered = { before = \"3s\" } }",
            "58: answer 2: with ack_wait=1s it is right, and so is answer 1",
        ),
        (
            "text = \"the first worker\"",
            "text = \" \"",
            "51: answer 1: `text` is empty; write one sentence",
        ),
        ("say = \"It asks.\"\n", "", "56: `say` is missing"),
        (again, "", "58: answer 2: `right_when` says nothing about the run"),
        (
            again,
            "delivered = { msg = \"order-2\" }",
            "58: answer 2: `order-2` is not a message here (did you mean `order-1`?); there is `order-1`",
        ),
        (
            again,
            "delivered = { to = \"secnd\" }",
            "58: answer 2: `secnd` is not a client here (did you mean `second`?); there are ",
        ),
        (
            again,
            "knobs = { ack_wiat = \"5s\" }, redelivered = 1",
            "58: answer 2: `ack_wiat` is not a knob here (did you mean `ack_wait`?); there are `ack_wait`, ",
        ),
        (
            again,
            "deliverd = 1",
            "58: `deliverd` is not a setting here (did you mean `delivered`?); there are ",
        ),
        (
            again,
            "redelivered = \"one\"",
            "58: found string \"one\" where a number of messages, a list of them, or a table",
        ),
        (
            "because = { redelivered = [\"order-1\"] }",
            "because = { redelivered = 1, lost = 0 }",
            "60: answer 2: `because` names one event",
        ),
        (
            "because = { redelivered = [\"order-1\"] }",
            "because = { lost = 0 }",
            "60: answer 2: nothing that happens in the default run fits `because`",
        ),
        (
            "before = \"3s\"",
            "before = \"6s\"",
            "64: goal 1: it is reached in the default run already",
        ),
        (
            "by = { ack_wait = \"2000ms\" }",
            "by = { ack_wait = \"4s\" }",
            "65: goal 1: with ack_wait=4s it is not reached: one order sent; order-1 was worked on twice",
        ),
        (
            "by = { ack_wait = \"2000ms\" }",
            "by = { ack_wait = \"soon\" }",
            "65: goal 1: `ack_wait`: `soon` is not a duration; write one such as",
        ),
        (
            "by = { ack_wait = \"2000ms\" }",
            "by = {}",
            "65: goal 1: `by` turns no knob; name settings",
        ),
        ("by = { ack_wait = \"2000ms\" }\n", "", "62: `by` is missing"),
        (
            "when = { delivered = { attempt = 2, before = \"3s\" } }",
            "when = { knobs = { ack_wait = \"2s\" } }",
            "64: goal 1: `when` says nothing about the run",
        ),
        (
            "text = \"Deliver order-1 within three seconds.\"",
            "text = ''",
            "63: goal 1: `text` is empty",
        ),
    ] {
        assert!(TAUGHT.contains(from), "{from}");
        let lab = format!("{LAB}{}", TAUGHT.replacen(from, to, 1));
        let found = book("").file("labs/crash.toml", &lab).load().map(|_| ()).expect_err(to);
        assert!(
            found.len() == 1 && found[0].starts_with(&format!("content/labs/crash.toml:{problem}")),
            "{to}\n  found    {}\n  expected content/labs/crash.toml:{problem}",
            found.join("\n           ")
        );
    }
    let one = TAUGHT.split("[[answers]]\ntext = \"the second").next().unwrap();
    let found =
        book("").file("labs/crash.toml", &format!("{LAB}{one}")).load().map(|_| ()).unwrap_err();
    assert_eq!(
        found.join("\n"),
        "content/labs/crash.toml:50: `answers`: 1 given; a question has two, three or four, or none at all"
    );
}

#[test]
fn all_problems_of_a_book_are_reported_at_once() {
    book("A :agian[word].\n\n[x](thrid)")
        .file("labs/unused.toml", &LAB.replace("\"1s\", \"2s\"", "\"1s\", 2"))
        .file("labs/idle.toml", LAB)
        .has(&[
            "content/chapters/01-first.md:9: `agian` is not a directive here (did you mean `again`?); there are `stored`, `inflight`, `acked`, `again`, `lost`, `dead`, `result`, `msg`, `term`, `def`",
            "content/chapters/01-first.md:11: `thrid` is not a chapter here; there is `first`",
            "content/labs/idle.toml: no chapter shows this lab; place it with {{lab idle}} or remove the file",
            "content/labs/unused.toml: no chapter shows this lab; place it with {{lab unused}} or remove the file",
            "content/labs/unused.toml:33: found integer `2` where a string belongs",
        ]);
}

#[test]
fn where_the_book_is_read_must_be_an_address() {
    let with = |site: &str| {
        let small = book("x");
        let toml = std::fs::read_to_string(small.path("book.toml")).unwrap();
        small.file("book.toml", &format!("site = '{site}'\n{toml}"))
    };
    assert_eq!(book("x").good().site, None);
    for site in ["https://e.org/", "https://e.org/x/", "http://localhost:8080/"] {
        assert_eq!(with(site).good().site.as_deref(), Some(site));
    }
    for site in ["e.org/", "https://e.org", "https:///", "https://e.org/?a/", "ftp://e.org/", "/x/"]
    {
        assert_eq!(
            with(site).load().unwrap_err(),
            [format!(
                "content/book.toml:1: `{site}` is no address of a site; it begins with https:// and ends with a slash"
            )]
        );
    }
}

#[test]
fn a_book_needs_its_files() {
    let small = Small { folder: tempfile::tempdir().unwrap() };
    let found = small.load().map(|_| ()).unwrap_err();
    for file in ["content/book.toml", "content/chapters", "content/labs"] {
        assert!(
            found.iter().any(|p| p.starts_with(&format!("{file}: this "))),
            "{file}: {found:?}"
        );
    }
    let elsewhere =
        std::fs::read_to_string(book("").path("book.toml")).unwrap().replace("'crash'", "'crahs'");
    book("").file("book.toml", &elsewhere).has(&[
        "content/book.toml:4: `crahs` is not a lab here (did you mean `crash`?); there is `crash`",
    ]);
    let twice = format!("{LAB}\n[[expect]]\nid = 'again'\nclaim = 'x'\ndeliveries = 2\n");
    book("")
        .file("labs/crash.toml", &twice)
        .has(&["content/labs/crash.toml:51: there are two claims with the id `again`"]);
}

/// The book that readers get: every link leads somewhere, every lab runs, every claim holds.
#[test]
fn the_book_itself_has_no_problems() {
    let content = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../content");
    match Book::load(&content) {
        Ok(book) => assert!(book.chapters.iter().any(|c| c.slug == "the-stopwatch")),
        Err(problems) => {
            let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
            panic!("{}", all.join("\n"));
        }
    }
}

/// Two questions and three outcomes: one with a snippet, two with configurations.
const CHOOSER: &str = "[[question]]
id = 'loss'
text = 'Is a loss bad?'
option = [{ id = 'no', text = 'No.', short = 'a loss is fine' }, { id = 'yes', text = 'Yes.', short = 'a loss is bad' }]

[[question]]
id = 'order'
text = 'Is order kept?'
option = [{ id = 'free', text = 'No.', short = 'any order' }, { id = 'strict', text = 'Yes.', short = 'in order' }]

[[outcome]]
id = 'core'
title = 'Core <NATS>'
when = { loss = 'no' }
why = 'It *forgets*.'
see = 'See :result[this](crash/again).'
code = 'ack'

[[outcome]]
id = 'queue'
title = 'A queue'
when = { loss = 'yes', order = 'free' }
why = 'It keeps.'
see = ':result[That](crash/again).'
stream = { name = 'ORDERS', subjects = ['orders.>'], retention = 'workqueue' }
consumer = { durable_name = 'emails', ack_wait = '30s', max_deliver = 3 }

[[outcome]]
id = 'in-order'
title = 'One by one'
when = { loss = ['yes'], order = ['strict'] }
why = 'It waits.'
see = ':result[That](crash/again).'
stream = { name = 'ORDERS', subjects = ['orders.>'] }
consumer = { durable_name = 'emails', backoff = ['30s', '1m'], max_ack_pending = 1 }
";

fn choosing(body: &str, chooser: &str) -> Small {
    book(body).file("snippets/ack.md", SNIPPET).file("chooser.toml", chooser)
}

#[test]
fn the_chooser_is_there_without_a_script() {
    let small = choosing("[A queue](#choose-queue).\n\n{{chooser}}", CHOOSER);
    assert!(small.good().chapters[0].chooser);
    let html = small.html();
    for part in [
        "<p><a href=\"#choose-queue\">A queue</a>.</p>\n<div class=\"chooser\" id=\"choose\">\n<form autocomplete=\"off\">\n",
        "<fieldset><legend>1. Is a loss bad?</legend>\n",
        "<label><input type=\"radio\" name=\"order\" value=\"strict\" hidden> Yes.</label>\n</fieldset>\n",
        "<section class=\"outcome\" id=\"choose-core\" data-when=\"loss:no\">\n<h3>Core &lt;NATS&gt; <a class=\"anchor\" href=\"#choose-core\"",
        "<p class=\"if\">For: a loss is fine.</p>\n<p>It <em>forgets</em>.</p>\n<div class=\"tabs\"",
        "data-when=\"loss:yes order:strict\">",
        "<p class=\"if\">For: a loss is bad; in order.</p>",
        "name=\"code-choose-queue\" value=\"console\">CLI</label>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    assert_eq!(html.matches("<section class=\"outcome\"").count(), 3);
    assert_eq!(html.matches("class=\"result\"").count(), 3);
    assert_eq!(html.matches("consumer.json").count(), 3, "two files, and the line that reads one");
}

#[test]
fn what_is_wrong_in_the_chooser_is_said_with_its_line() {
    for (from, to, problem) in [
        ("order = 'free' }", "order = 'strict' }", ": no outcome fits loss=yes, order=free"),
        (
            "when = { loss = 'no' }",
            "when = {}",
            ":22: outcome `queue`: with loss=yes, order=free it fits, and so does `core`",
        ),
        (
            "loss = ['yes'], order = ['strict']",
            "loss = [], order = 'strict'",
            ": no outcome fits loss=yes, order=strict",
        ),
        (
            "max_ack_pending = 1",
            "max_deliver = 1",
            ":35: outcome `in-order`: consumer `emails`: the server refuses it with 10116 `max deliver is required to be > length of backoff values`",
        ),
        (
            "{ loss = 'no' }",
            "{ los = 'no' }",
            ":14: outcome `core`: `los` is not a question here (did you mean `loss`?)",
        ),
        (
            "{ loss = 'no' }",
            "{ loss = 'nope' }",
            ":14: outcome `core`: `nope` is not an answer to `loss` here",
        ),
        ("id = 'queue'", "id = 'core'", ":20: outcome `core`: it is there twice"),
        (
            "code = 'ack'",
            "",
            ":12: outcome `core`: it needs either `code` or both a `stream` and a `consumer`",
        ),
        ("code = 'ack'", "code = 'akc'", ":17: outcome `core`: `akc` is not a snippet here"),
        ("See :result[this](crash/again).", "See.", ":16: outcome `core`: `see` shows no result"),
        ("crash/again", "crash/agian", ":16: `agian` is not a claim of the lab crash here"),
        ("id = 'free'", "id = 'Free'", ":7: question `order`: `Free` stands in addresses"),
        (
            ", { id = 'strict', text = 'Yes.', short = 'in order' }",
            "",
            ":7: question `order`: it needs two answers or more",
        ),
    ] {
        assert!(CHOOSER.contains(from), "{from}");
        let found = choosing("{{chooser}}", &CHOOSER.replacen(from, to, 1))
            .load()
            .map(|_| ())
            .expect_err(to);
        let expected = format!("content/chooser.toml{problem}");
        assert!(
            found.iter().any(|found| found.starts_with(&expected)),
            "{to}\n{}\n{expected}",
            found.join("\n")
        );
    }
    choosing("{{code ack}}", CHOOSER).has(&[
        "content/chooser.toml: no chapter shows the chooser; place it with {{chooser}} or remove the file",
    ]);
    book("{{chooser}}")
        .has(&["content/chapters/01-first.md:9: there is no `chooser.toml` to be placed here"]);
}
