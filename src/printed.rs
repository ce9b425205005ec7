//! A lab as it stands on paper, in plain text and in a preview: its default run as pictures and in words, without controls.

use crate::run::Run;
use delivery_figure::condition::Facts;
use delivery_figure::lab::Lab;
use delivery_figure::scene::Layout;
use delivery_sim::Time;

/// The default run of a lab.
pub struct Printed {
    /// Its picture as SVG and, where the lab has two systems, before it that of the other; each with what it is called, which is
    /// nothing where there is one.
    pub pictures: Vec<(String, String)>,
    /// The run in words.
    pub account: String,
    /// Which answer to the lab's question is right.
    pub right: Option<usize>,
}

/// Runs a lab and draws it in the wide layout, at the end of the run or at the moment it opens on.
pub fn printed(lab: &Lab, at_end: bool) -> Printed {
    let run = Run::of_default(lab);
    let t = if at_end { Time::NEVER } else { lab.opens_at };
    let picture = |run: &Run, id: &str, title: &str| {
        run.picture(id, title, &run.scene(Layout::Wide, None), t.min(run.trace.end))
    };
    let mut pictures = Vec::new();
    let mut name = String::new();
    if let Some(beside) = &lab.beside
        && let Some(other) = Run::beside(lab, &run.values)
    {
        let id = [&lab.slug, "-other"].concat();
        pictures.push((beside.title.clone(), picture(&other, &id, &beside.title)));
        name.clone_from(&beside.own_title);
    }
    pictures.push((name, picture(&run, &lab.slug, &lab.title)));
    let facts = Facts::new(&run.trace);
    let right =
        lab.answers.iter().position(|answer| facts.holds(&answer.right_when, lab, &run.values));
    let account = run.rows.account(&run.outcome.conclusion);
    Printed { pictures, account, right }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::tests::{asking, lab};
    use delivery_figure::lab::Beside;

    #[test]
    fn a_lab_on_paper_is_a_picture_and_an_account() {
        let on_paper = printed(&asking(), true);
        let [(name, svg)] = &on_paper.pictures[..] else { panic!("one picture") };
        assert!(name.is_empty() && svg.starts_with("<svg") && svg.contains("id=\"crash-wide-t\""));
        assert!(on_paper.account.len() > 40, "{}", on_paper.account);
        assert_eq!(on_paper.right, Some(1));
        // At the end nothing is veiled; at the moment it opens on the rest of the run is.
        assert_ne!(printed(&asking(), false).pictures, on_paper.pictures);
    }

    #[test]
    fn two_systems_are_two_pictures() {
        let mut lab = lab();
        lab.beside = Some(Beside {
            title: "Before".into(),
            own_title: "After".into(),
            scenario: lab.scenario.clone(),
        });
        let names: Vec<String> =
            printed(&lab, true).pictures.into_iter().map(|(name, _)| name).collect();
        assert_eq!(names, ["Before", "After"]);
    }
}
