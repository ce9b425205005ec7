//! Code in colours: what the words of a listing are, said by classes.
//!
//! | class | what |
//! |---|---|
//! | `k` | a keyword |
//! | `t` | a type, or the key of a setting |
//! | `f` | a function or command |
//! | `s` | a string |
//! | `n` | a number or constant |
//! | `c` | a comment |
//! | `p` | the prompt of a console |
//! | `o` | what is printed in a console |

use crate::source::nearest;
use crate::text::escaped_words;
use std::sync::LazyLock;
use syntect::parsing::{ParseState, Scope, ScopeStack, SyntaxReference, SyntaxSet};

/// The languages that code may be in, and the grammar of each; none has colours without one.
const LANGUAGES: [(&str, &str); 15] = [
    ("go", "Go"),
    ("python", "Python"),
    ("rust", "Rust"),
    ("javascript", "JavaScript"),
    ("java", "Java"),
    ("csharp", "C#"),
    (CONSOLE, "Bourne Again Shell (bash)"),
    ("sh", "Bourne Again Shell (bash)"),
    ("bash", "Bourne Again Shell (bash)"),
    ("sql", "SQL"),
    ("toml", "TOML"),
    ("yaml", "YAML"),
    ("json", "JSON"),
    ("html", "HTML"),
    ("text", ""),
];
/// What is typed after a prompt, and what is printed then.
const CONSOLE: &str = "console";
/// What stands before a command in a console.
const PROMPT: &str = "$ ";

/// The grammars. They are read when the first listing needs one.
static SYNTAXES: LazyLock<SyntaxSet> = LazyLock::new(two_face::syntax::extra_newlines);

/// The beginnings of the names by which grammars tell what a word is; the first that fits the innermost name decides.
static CLASSES: LazyLock<Vec<(Scope, &'static str)>> = LazyLock::new(|| {
    [
        ("comment", "c"),
        ("string", "s"),
        ("constant.character.escape", "s"),
        ("constant.other.placeholder", "s"),
        ("constant", "n"),
        ("keyword.operator.word", "k"),
        ("keyword.operator.logical.python", "k"),
        ("keyword.operator", ""),
        ("keyword", "k"),
        ("storage.type.string", "s"),
        ("storage.type.primitive", "t"),
        ("storage.type.numeric", "n"),
        ("storage", "k"),
        ("variable.language", "k"),
        ("entity.name.function", "f"),
        ("variable.function", "f"),
        ("support.function", "f"),
        ("entity.name.tag", "t"),
        ("entity.name.type", "t"),
        ("entity.name.class", "t"),
        ("entity.name.struct", "t"),
        ("entity.name.table", "t"),
        ("support.class", "t"),
        ("support.type", "t"),
        // Code within a string is not the string.
        ("meta.interpolation", ""),
    ]
    .into_iter()
    .filter_map(|(name, class)| Some((Scope::new(name).ok()?, class)))
    .collect()
});

/// The code as HTML without the element around it.
///
/// # Errors
/// If there is no such language.
pub(crate) fn html(language: &str, code: &str) -> Result<String, String> {
    let Some((_, grammar)) = LANGUAGES.iter().find(|(name, _)| *name == language) else {
        let known: Vec<&str> = LANGUAGES.iter().map(|(name, _)| *name).collect();
        return Err(nearest(language, "a language of code", &known));
    };
    let Some(grammar) = SYNTAXES.find_syntax_by_name(grammar) else {
        return Ok(escaped_words(code));
    };
    let mut out = Coloured::default();
    if language == CONSOLE && code.lines().any(|line| line.starts_with(PROMPT)) {
        console(grammar, code, &mut out);
    } else {
        source(grammar, code, &mut out);
    }
    Ok(out.finish())
}

/// Commands after prompts, and what they print. A command goes on after a line that ends with a backslash.
fn console(grammar: &SyntaxReference, code: &str, out: &mut Coloured) {
    let mut goes_on = false;
    for line in code.split_inclusive('\n') {
        let command = line.strip_prefix(PROMPT);
        if command.is_some() {
            out.push("p", PROMPT);
        }
        match command.or(goes_on.then_some(line)) {
            Some(command) => {
                source(grammar, command, out);
                goes_on = command.trim_end().ends_with('\\');
            }
            None => out.push("o", line),
        }
    }
}

fn source(grammar: &SyntaxReference, code: &str, out: &mut Coloured) {
    let mut state = ParseState::new(grammar);
    let mut stack = ScopeStack::new();
    for line in code.split_inclusive('\n') {
        // A grammar that fails leaves the line without colours.
        let Ok(changes) = state.parse_line(line, &SYNTAXES) else {
            out.push("", line);
            continue;
        };
        let mut from = 0;
        for (at, change) in changes {
            out.push(class(&stack), &line[from..at]);
            from = at;
            // A grammar that closes what it did not open only loses a colour.
            let _ = stack.apply(&change);
        }
        out.push(class(&stack), &line[from..]);
    }
}

/// What the innermost name with a meaning says.
fn class(stack: &ScopeStack) -> &'static str {
    let meaning = |scope: &Scope| CLASSES.iter().find(|(name, _)| name.is_prefix_of(*scope));
    stack.as_slice().iter().rev().find_map(meaning).map_or("", |(_, class)| class)
}

/// HTML in which neighbours of one class share an element.
#[derive(Default)]
struct Coloured {
    html: String,
    class: &'static str,
}

impl Coloured {
    fn push(&mut self, class: &'static str, text: &str) {
        if text.is_empty() {
            return;
        }
        // Space has no colour, so it ends none.
        if class != self.class && !text.trim().is_empty() {
            self.close();
            if !class.is_empty() {
                self.html.push_str(&["<span class=\"", class, "\">"].concat());
            }
            self.class = class;
        }
        self.html.push_str(&escaped_words(text));
    }

    fn close(&mut self) {
        if !self.class.is_empty() {
            // The space at the end is not part of it.
            let space = self.html.len() - self.html.trim_end().len();
            self.html.insert_str(self.html.len() - space, "</span>");
        }
    }

    fn finish(mut self) -> String {
        self.close();
        self.html
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_code_have_their_class() {
        for (language, code, expected) in [
            (
                "go",
                "// ack it\nif err := msg.Ack(); err != nil {\n\treturn 5\n}\n",
                "<span class=\"c\">// ack it</span>\n<span class=\"k\">if</span> err := msg.<span class=\"f\">Ack</span>(); err != \
                 <span class=\"n\">nil</span> {\n\t<span class=\"k\">return</span> <span class=\"n\">5</span>\n}\n",
            ),
            (
                "python",
                "await js.publish(\"a\", b'<x>')\n",
                "<span class=\"k\">await</span> js.<span class=\"f\">publish</span>(<span class=\"s\">\"a\"</span>, \
                 <span class=\"s\">b'&lt;x&gt;'</span>)\n",
            ),
            (
                "toml",
                "[a]\nb = \"5s\" # c\n",
                "[<span class=\"t\">a</span>]\n<span class=\"t\">b</span> = <span class=\"s\">\"5s\"</span> <span class=\"c\"># c</span>\n",
            ),
            (
                "sql",
                "SELECT 1 FROM done;\n",
                "<span class=\"k\">SELECT</span> <span class=\"n\">1</span> <span class=\"k\">FROM</span> done;\n",
            ),
            (
                "console",
                "$ nats pub a.b \\\n  \"x\"\nif\n",
                "<span class=\"p\">$</span> <span class=\"f\">nats</span> pub a.b \\\n  <span class=\"s\">\"x\"</span>\n<span class=\"o\">if</span>\n",
            ),
            ("console", "nats pub a\n", "<span class=\"f\">nats</span> pub a\n"),
            ("text", "if a < b\n", "if a &lt; b\n"),
        ] {
            let found = html(language, code).unwrap();
            assert_eq!(found, expected, "{language}");
        }
    }

    #[test]
    fn every_language_has_its_grammar() {
        for (language, grammar) in LANGUAGES {
            let there = grammar.is_empty() || SYNTAXES.find_syntax_by_name(grammar).is_some();
            assert!(there, "{language}: {grammar}");
            let code = "x = 1 /* \"y\" */ <z> 'w' # v\n\n";
            let html = html(language, code).unwrap();
            let words =
                html.split('<').map(|part| part.rsplit_once('>').map_or(part, |(_, words)| words));
            assert_eq!(
                words.collect::<String>(),
                escaped_words(code),
                "{language}: nothing is lost"
            );
        }
    }

    #[test]
    fn an_unknown_language_is_refused() {
        let sentence = html("pyhton", "x").unwrap_err();
        assert!(
            sentence.starts_with(
                "`pyhton` is not a language of code here (did you mean `python`?); there are `go`, "
            ),
            "{sentence}"
        );
    }
}
