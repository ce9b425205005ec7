//! The finished template that every page is put into, with one style sheet and the policy of the site.

use crate::text::escaped;
use std::fmt::Write as _;
use std::path::Path;

/// A style sheet without what only people need.
fn minified(css: &str) -> Result<String, String> {
    use lightningcss::stylesheet::{MinifyOptions, ParserOptions, PrinterOptions, StyleSheet};
    let mut sheet =
        StyleSheet::parse(css, ParserOptions::default()).map_err(|error| error.to_string())?;
    sheet.minify(MinifyOptions::default()).map_err(|error| error.to_string())?;
    let options = PrinterOptions { minify: true, ..PrinterOptions::default() };
    sheet.to_css(options).map(|out| out.code).map_err(|error| error.to_string())
}

/// FNV-1a: names a file by what is in it.
pub(crate) fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The name of a script, which changes with it.
pub(crate) fn script(name: &str, text: &str) -> String {
    format!("{name}-{:016x}.js", fingerprint(text.as_bytes()))
}

/// What a finished page is made from.
pub(crate) struct Template {
    text: String,
    /// Where the site's files are, seen from its front page: `./`, or `/x/`.
    pub(crate) base: String,
}

const TITLE: &str = "<title></title>";
const MAIN: &str = "<main id=\"content\"></main>";

/// What one page puts into the template.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    /// The way from the page to the front page.
    pub(crate) root: &'a str,
    /// What it has in the head besides what every page has; addresses from the [base](Template::base) of the site.
    pub(crate) head: &'a str,
    /// What stands in the body.
    pub(crate) body: String,
}

impl Template {
    pub(crate) fn new(text: String) -> Result<Self, String> {
        for part in [TITLE, MAIN, "<head>"] {
            if text.matches(part).count() != 1 {
                return Err(format!("the template needs `{part}` exactly once"));
            }
        }
        let base = text
            .split_once("data-js=\"")
            .and_then(|(_, rest)| rest.split_once('"'))
            .and_then(|(path, _)| path.rsplit_once('/'))
            .map_or_else(|| "./".to_owned(), |(base, _)| format!("{base}/"));
        Ok(Self { text, base })
    }

    /// Makes one style sheet of those in the template, minified: fewer requests, and they compress together.
    pub(crate) fn with_one_sheet(mut self, folder: &Path) -> Result<Self, String> {
        let mut css = String::new();
        let mut links = Vec::new();
        let open = "<link rel=\"stylesheet\" href=\"";
        for (start, _) in self.text.match_indices(open) {
            let rest = &self.text[start..];
            let (link, _) = rest.split_once('>').ok_or("a link in the template has no end")?;
            let href = link[open.len()..].split('"').next().unwrap_or_default();
            let name = href.rsplit('/').next().unwrap_or_default();
            let path = folder.join(name);
            let sheet = std::fs::read_to_string(&path).map_err(|error| {
                format!("{}: the style sheet cannot be read: {error}", path.display())
            })?;
            css.push_str(&sheet);
            css.push('\n');
            links.push((format!("{link}>"), path));
        }
        let Some((first, _)) = links.first().cloned() else { return Ok(self) };
        let css = minified(&css).map_err(|why| format!("the style sheets are not sound: {why}"))?;
        let name = format!("style-{:016x}.css", fingerprint(css.as_bytes()));
        let path = folder.join(&name);
        std::fs::write(&path, &css)
            .map_err(|error| format!("{}: cannot be written: {error}", path.display()))?;
        let link = format!("{open}{}{name}\">", self.base);
        // Pressed before, it is that sheet already.
        links.retain(|(_, old)| *old != path);
        self.text = self.text.replacen(&first, &link, 1);
        for (link, path) in &links {
            self.text = self.text.replace(link, "");
            // What is left behind only takes room; not being able to remove it harms nobody.
            let _ = std::fs::remove_file(path);
        }
        Ok(self)
    }

    pub(crate) fn fill(&self, page: &Page<'_>) -> String {
        let mut head = String::new();
        let mut meta = |key: &str, name: &str, rest: &str| {
            let tag = format!("<meta {key}=\"{name}\" ");
            if !self.text.contains(&tag) {
                let _ = writeln!(head, "{tag}{rest}>");
            }
        };
        meta("http-equiv", "Content-Security-Policy", &format!("content=\"{}\"", self.policy()));
        meta("name", "viewport", "content=\"width=device-width, initial-scale=1\"");
        meta("name", "description", &format!("content=\"{}\"", escaped(page.description)));
        meta("name", "color-scheme", "content=\"light dark\"");
        // Where a copied iframe leads, for the script that copies; an embed adds its chapter.
        if !page.head.contains("name=\"lab-places\"") {
            meta("name", "lab-places", &format!("data-embed=\"{}embed/\"", self.base));
        }
        for (scheme, paper) in [("light", "#fbfaf6"), ("dark", "#16171a")] {
            let _ = writeln!(
                head,
                "<meta name=\"theme-color\" media=\"(prefers-color-scheme: {scheme})\" content=\"{paper}\">"
            );
        }
        head.push_str(page.head);
        let charset = "<meta charset=\"utf-8\">";
        let text = self.text.replace(charset, "").replacen(
            "<head>",
            &format!("<head>\n{charset}\n{head}"),
            1,
        );
        let text = if self.base.starts_with('.') {
            text.replace("=\"./", &format!("=\"{}", page.root))
        } else {
            text
        };
        text.replacen(TITLE, &format!("<title>{}</title>", escaped(page.title)), 1)
            .replacen(MAIN, &page.body, 1)
    }

    /// Nothing but the site's own files; with trunk's reload script in the page, that as well.
    fn policy(&self) -> String {
        let reloads = self.text.contains(".well-known/trunk/ws");
        let (script, connect) = if reloads { (" 'unsafe-inline'", " ws: wss:") } else { ("", "") };
        format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{script}; style-src 'self'; \
             img-src 'self' data:; connect-src 'self'{connect}; font-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'none'"
        )
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn template(base: &str, more: &str) -> Template {
        let text = format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title></title>\
             <meta name=\"lab-assets\" data-js=\"{base}lab-1.js\" data-wasm=\"{base}lab-1.wasm\">\
             <link rel=\"stylesheet\" href=\"{base}page-1.css\"></head>\
             <body><main id=\"content\"></main>{more}</body></html>"
        );
        Template::new(text).unwrap()
    }

    fn fill(template: &Template, root: &str) -> String {
        template.fill(&Page {
            title: "A < B",
            description: "\"C\"",
            root,
            head: "",
            body: "<main>x</main>".into(),
        })
    }

    #[test]
    fn a_page_finds_its_files_at_every_depth_and_base() {
        for (base, root, found) in [
            ("./", "./", "./"),
            ("./", "../", "../"),
            ("./", "../../", "../../"),
            ("/", "../", "/"),
            ("/x/", "../", "/x/"),
            ("/x/", "./", "/x/"),
        ] {
            let template = template(base, "");
            assert_eq!(template.base, base);
            let page = fill(&template, root);
            for file in [
                "data-js=\"{}lab-1.js\"",
                "data-wasm=\"{}lab-1.wasm\"",
                "href=\"{}page-1.css\"",
                "data-embed=\"{}embed/\"",
            ] {
                assert!(page.contains(&file.replace("{}", found)), "{base} {root}: {page}");
            }
        }
    }

    #[test]
    fn a_page_says_what_it_is_and_lets_nothing_else_in() {
        let page = fill(&template("./", ""), "./");
        for part in [
            "<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; ",
            "connect-src 'self'; ",
            "<title>A &lt; B</title>",
            "<meta name=\"description\" content=\"&quot;C&quot;\">",
            "<meta name=\"color-scheme\" content=\"light dark\">",
            "<body><main>x</main></body>",
        ] {
            assert_eq!(page.matches(part).count(), 1, "{part}\n{page}");
        }
        assert_eq!(page.matches("charset").count(), 1, "{page}");
        assert!(!page.contains("unsafe-inline"), "{page}");
    }

    #[test]
    fn while_serving_the_reload_script_may_run() {
        let page = fill(&template("./", "<script>'/.well-known/trunk/ws'</script>"), "./");
        assert!(page.contains("script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline';"), "{page}");
        assert!(page.contains("connect-src 'self' ws: wss:;"), "{page}");
    }

    #[test]
    fn a_template_without_its_places_is_refused() {
        for (text, sentence) in [
            (
                "<head><title></title></head>",
                "the template needs `<main id=\"content\"></main>` exactly once",
            ),
            (
                "<head></head><main id=\"content\"></main>",
                "the template needs `<title></title>` exactly once",
            ),
        ] {
            assert_eq!(Template::new(text.into()).err().as_deref(), Some(sentence));
        }
    }
}
