//! Writes every lab as a page with both pictures and all words: `cargo run -p delivery-figure --example look -- FOLDER [QUERY [LABS]]`.
//! `LABS` is a folder of labs from the root of the repository, `content/labs` if it is not given.

use delivery_figure::lab::Lab;
use delivery_figure::scene::{Layout, Scene};
use delivery_figure::{svg, words};
use std::error::Error;
use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = args.next().ok_or("name the folder to write to")?;
    let query = args.next().unwrap_or_default();
    let labs = args.next().unwrap_or_else(|| "content/labs".into());
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut style = String::new();
    for sheet in ["tokens.css", "page.css", "lab.css", "lanes.css"] {
        style.push_str(&fs::read_to_string(root.join("style").join(sheet))?);
    }
    fs::create_dir_all(&folder)?;
    for entry in fs::read_dir(root.join(labs))? {
        let path = entry?.path();
        let slug = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut table: toml::Table = fs::read_to_string(&path)?.parse()?;
        table.remove("expect");
        let mut lab: Lab = table.try_into()?;
        lab.slug.clone_from(&slug);
        for fault in lab.check() {
            println!("{slug}: {fault}");
        }
        let (position, said) = lab.read_query(&query, true);
        for sentence in said {
            println!("{slug}: {sentence}");
        }
        let trace = lab.run(&position.values).map_err(|faults| faults.join(" "))?;
        let conclusion = words::conclusion(&trace);
        let mut page = format!(
            "<!doctype html><html lang=en><meta charset=utf-8><title>{slug}</title><meta name=viewport content=\"width=device-width\"><style>{style} body{{margin:0;background:var(--panel)}} svg.scene.wide{{width:920px}} svg.scene.tall{{width:360px;display:block!important}}</style><body class=lab>"
        );
        for layout in [Layout::Wide, Layout::Tall] {
            let picture = svg::write(
                &Scene::new(&trace, layout),
                "figure",
                &lab.title,
                &conclusion,
                position.t,
            );
            println!("{slug} {layout:?}: {} bytes", picture.len());
            page.push_str(&picture);
            fs::write(Path::new(&folder).join(format!("{slug}-{layout:?}.svg")), picture)?;
        }
        page.push_str("<ol>");
        for row in words::rows(&trace) {
            page.push_str(&format!("<li><b>{}</b> [{}] ", row.at, row.who));
            for span in row.what {
                page.push_str(&format!(
                    "<b class=\"{}\" style=\"color:var(--{})\">{}</b>",
                    span.state, span.state, span.text
                ));
            }
        }
        page.push_str(&format!("</ol><p>{conclusion}<p>{:?}", words::counts(&trace)));
        fs::write(Path::new(&folder).join(format!("{slug}.html")), page)?;
    }
    Ok(())
}
