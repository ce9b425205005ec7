//! Writes the site: every chapter, the pages to look something up, the front page, every lab for an iframe and the page for what is not there, into one
//! finished template.
//!
//! ```text
//! press [TEMPLATE]
//! ```
//!
//! The template is the `index.html` that trunk has made (`TRUNK_STAGING_DIR` names its folder in a hook; otherwise give the
//! file or its folder); pages are written beside it. The book is read from `content/` in the current folder. What is wrong
//! with either is printed, a sentence a line, and the exit code is 1; then nothing has been written.

mod contents;
mod embed;
mod markup;
mod pages;
mod paper;
mod preview;
mod reader;
mod search;
mod site;
mod template;
mod text;
mod twin;
mod words;
mod worker;

use delivery_book::Book;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use template::Template;
use text::count;

fn main() -> ExitCode {
    match press() {
        Ok(said) => {
            println!("{said}");
            ExitCode::SUCCESS
        }
        Err(sentences) => {
            for sentence in &sentences {
                eprintln!("{sentence}");
            }
            eprintln!("The site was not written: {} to mend.", count(sentences.len(), "problem"));
            ExitCode::FAILURE
        }
    }
}

fn press() -> Result<String, Vec<String>> {
    let given = std::env::args_os().nth(1).or_else(|| std::env::var_os("TRUNK_STAGING_DIR"));
    let Some(given) = given.map(PathBuf::from) else {
        return Err(vec![
            "press: name the template, the index.html that trunk has made, or its folder".into(),
        ]);
    };
    let file = if given.is_dir() { given.join("index.html") } else { given };
    let folder = file.parent().unwrap_or(Path::new("")).to_owned();
    let template = std::fs::read_to_string(&file)
        .map_err(|error| format!("{}: the template cannot be read: {error}", file.display()))
        .and_then(|text| Template::new(text).map_err(|why| format!("{}: {why}", file.display())))
        .map_err(|sentence| vec![sentence])?
        .with_one_sheet(&folder)
        .map_err(|sentence| vec![sentence])?;
    let book = Book::load(Path::new("content"))
        .map_err(|problems| problems.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let template = template.of(&book.title, book.site.as_deref());
    for (name, content) in site::files(&template, &book, &folder)? {
        let path = folder.join(name);
        let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        made.and_then(|()| std::fs::write(&path, content))
            .map_err(|error| vec![format!("{}: cannot be written: {error}", path.display())])?;
    }
    let unknown = if template.address().is_some() {
        ""
    } else {
        " Without an address of the site (`site` in content/book.toml, or built for https://…) there is no sitemap."
    };
    let chapters = count(book.chapters.len(), "chapter");
    Ok(format!("{chapters} and the front page were written.{unknown}"))
}
