//! The finished template that every page is put into, with one style sheet and the policy of the site.

use crate::text::escaped;
use crate::{paper, reader, twin, worker};
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

/// What a finished page is made from.
pub(crate) struct Template {
    text: String,
    /// Where the site's files are, seen from its front page: `./`, or `/x/`.
    pub(crate) base: String,
    /// The name of the site.
    name: String,
    /// Where the site will be, `https://example.org/x/`; empty if that is not known.
    address: String,
}

const TITLE: &str = "<title></title>";
const MAIN: &str = "<main id=\"content\"></main>";

/// What one page puts into the template.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) description: &'a str,
    /// Where it is, seen from the front page: `the-stopwatch/`; empty for the front page itself.
    pub(crate) path: &'a str,
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
        Ok(Self { text, base, name: String::new(), address: String::new() })
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
        if !in_frame(page) {
            head.push_str(&reader::head(&self.base, self.reloads()));
            head.push_str(&about(self, page));
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

    /// The same for a site of this name. Its address is what it was built for, else the one that its book names.
    pub(crate) fn of(mut self, name: &str, address: Option<&str>) -> Self {
        let built_for = Some(self.base.as_str()).filter(|base| base.contains("://"));
        self.address = built_for.or(address).unwrap_or_default().to_owned();
        name.clone_into(&mut self.name);
        self
    }

    /// Where the site will be; none if that is not known.
    pub(crate) fn address(&self) -> Option<&str> {
        Some(self.address.as_str()).filter(|address| !address.is_empty())
    }

    /// The way to the front page from any place: absolute, as far as the site knows where it is.
    pub(crate) fn absolute(&self) -> String {
        match self.address().and_then(|address| address.split_once("://")?.1.split_once('/')) {
            Some((_, path)) if self.base.starts_with('.') => format!("/{path}"),
            _ => self.base.clone(),
        }
    }

    /// The names of the files that every page loads, or may load: they lie beside the front page.
    pub(crate) fn files(&self) -> Vec<&str> {
        let starts =
            self.text.match_indices("=\"").map(|(at, quote)| &self.text[at + quote.len()..]);
        let mut names: Vec<&str> = starts
            .filter_map(|rest| rest.split('"').next()?.strip_prefix(&self.base))
            .filter(|name| name.contains('.') && !name.contains('/'))
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether the page will reload itself while its writer works on it.
    pub(crate) fn reloads(&self) -> bool {
        self.text.contains(".well-known/trunk/ws")
    }

    /// Nothing but the site's own files; with trunk's reload script in the page, that as well.
    fn policy(&self) -> String {
        let (script, connect) =
            if self.reloads() { (" 'unsafe-inline'", " ws: wss:") } else { ("", "") };
        format!(
            "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{script}; style-src 'self'; \
             img-src 'self' data:; connect-src 'self'{connect}; font-src 'self'; manifest-src 'self'; \
             base-uri 'none'; form-action 'none'"
        )
    }
}

/// What a page says of itself to those who show links to it, and where else it can be read.
fn about(site: &Template, page: &Page<'_>) -> String {
    let Template { base, name, .. } = site;
    let mut out = String::new();
    let title = page.title.strip_suffix(&format!(" · {name}")).unwrap_or(page.title);
    // Who shows a link wants whole addresses; without one of its own the site gives what it can.
    let whole = site.address().unwrap_or(base);
    let picture = if has_preview(page.path) { page.path } else { "" };
    let kind = if page.path.is_empty() { "website" } else { "article" };
    for (property, content) in [
        ("type", kind.to_owned()),
        ("site_name", name.clone()),
        ("title", title.to_owned()),
        ("description", page.description.to_owned()),
        ("image", format!("{whole}{picture}{PREVIEW}")),
        ("image:width", "1200".into()),
        ("image:height", "630".into()),
        ("image:alt", title.to_owned()),
    ] {
        let _ =
            writeln!(out, "<meta property=\"og:{property}\" content=\"{}\">", escaped(&content));
    }
    out.push_str("<meta name=\"twitter:card\" content=\"summary_large_image\">\n");
    if let Some(address) = site.address().filter(|_| !page.path.ends_with(".html")) {
        let _ = writeln!(out, "<meta property=\"og:url\" content=\"{address}{}\">", page.path);
        let _ = writeln!(out, "<link rel=\"canonical\" href=\"{address}{}\">", page.path);
    }
    if has_twin(page.path) {
        let twin = twin::place(page.path);
        let _ =
            writeln!(out, "<link rel=\"alternate\" type=\"text/markdown\" href=\"{base}{twin}\">");
    }
    let _ = writeln!(out, "<link rel=\"manifest\" href=\"{base}{MANIFEST}\">");
    let _ = writeln!(out, "<link rel=\"apple-touch-icon\" href=\"{base}{ICON}\">");
    out
}

/// The picture that a link to a page shows, in its folder.
pub(crate) const PREVIEW: &str = "preview.png";
/// What the site is to a device that keeps it.
pub(crate) const MANIFEST: &str = "site.webmanifest";
/// The icon of the site where it is larger than in a tab.
pub(crate) const ICON: &str = "icon-180.png";

/// Whether a page has a twin in Markdown: those that are read, and not the book on paper.
pub(crate) fn has_twin(path: &str) -> bool {
    let other = [paper::PATH, worker::OFFLINE].contains(&path);
    !other && !path.ends_with(".html") && !path.starts_with("embed/")
}

/// Whether a page has a preview of its own.
fn has_preview(path: &str) -> bool {
    has_twin(path)
}

/// Whether a page is a figure for the page of somebody else.
fn in_frame(page: &Page<'_>) -> bool {
    page.path.strip_prefix("embed/").is_some_and(|rest| !rest.is_empty())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use delivery_book::Book;
    use std::sync::OnceLock;

    /// The book in `content`, loaded once for all tests.
    pub(crate) fn the_book() -> &'static Book {
        static BOOK: OnceLock<Book> = OnceLock::new();
        BOOK.get_or_init(|| Book::load(Path::new("content")).unwrap())
    }

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
            path: "",
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
            assert_eq!(template.files(), ["lab-1.js", "lab-1.wasm", "page-1.css"]);
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
    fn a_page_tells_those_who_show_links_what_it_is() {
        let page = |template: &Template, path| {
            template.fill(&Page {
                title: "The stopwatch · Book",
                description: "D",
                path,
                root: "../",
                head: "",
                body: String::new(),
            })
        };
        let known = template("./", "").of("Book", Some("https://e.org/x/"));
        let text = page(&known, "the-stopwatch/");
        for part in [
            "<meta property=\"og:title\" content=\"The stopwatch\">",
            "<meta property=\"og:image\" content=\"https://e.org/x/the-stopwatch/preview.png\">",
            "<link rel=\"canonical\" href=\"https://e.org/x/the-stopwatch/\">",
            "<link rel=\"alternate\" type=\"text/markdown\" href=\"../the-stopwatch/index.md\">",
            "<link rel=\"manifest\" href=\"../site.webmanifest\">",
        ] {
            assert_eq!(text.matches(part).count(), 1, "{part}\n{text}");
        }
        // Where the address is not known nothing is made up, and the page for what is not there is nowhere.
        let unknown = page(&template("/x/", "").of("Book", None), "the-stopwatch/");
        assert!(unknown.contains("og:image\" content=\"/x/the-stopwatch/preview.png"), "{unknown}");
        for text in [unknown, page(&known, "404.html")] {
            assert!(!text.contains("canonical") && !text.contains("og:url"), "{text}");
        }
        // What it was built for is its address, whatever the book says.
        let built = template("https://e.org/y/", "").of("Book", Some("https://e.org/x/"));
        assert_eq!(built.address(), Some("https://e.org/y/"));
        // From an address that leads nowhere only an absolute way leads back.
        for (template, way) in [
            (template("./", "").of("Book", Some("https://e.org/x/")), "/x/"),
            (template("./", "").of("Book", Some("https://e.org/")), "/"),
            (template("/x/", "").of("Book", Some("https://e.org/y/")), "/x/"),
            (template("./", "").of("Book", None), "./"),
        ] {
            assert_eq!(template.absolute(), way);
        }
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
