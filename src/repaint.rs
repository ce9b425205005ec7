//! A new picture in the place of an old one: only the marks that differ are taken out and put in.
//!
//! Of a turn of a knob most of a picture stays: lanes, ticks, what happened before. A browser takes longer to lay out a
//! label than the simulator to run, so what stays is left alone.

use crate::player::MOVERS;
use crate::view::{each, find};
use delivery_figure::put::Put as _;
use wasm_bindgen::JsCast as _;
use web_sys::Element;

/// How many marks of the old picture are looked through for one of the new.
const FAR: usize = 40;

/// The picture in `place` becomes `new`, an `<svg>` as [`delivery_figure::svg::write`] gives it; `old` is what was put there
/// last, empty if nothing was. What else stands in it, apart from attributes, is taken out.
pub(crate) fn repaint(place: &Element, old: &str, new: &str) {
    let (mut was, is) = (marks(old), marks(new));
    let same_frame = !old.is_empty() && was[0] == is[0];
    let Some(svg) = find(place, "svg").filter(|_| same_frame) else {
        return place.set_inner_html(new);
    };
    each(&svg, ".differs", &|notches| notches.remove());
    // Those that are seen are the last of a picture; when it has moved, there are others as well.
    each(&svg, MOVERS, &|mover| mover.remove());
    was.retain(|mark| !mark.starts_with("<g class=\"mover"));
    // What is new is read in one piece, and then moved to where it belongs.
    let mut fresh = String::new();
    let mut stays = Vec::with_capacity(is.len());
    let mut next = 1;
    for mark in &is[1..] {
        let far = was.len().min(next + FAR);
        let place = (next..far).find(|&i| was[i] == *mark);
        match place {
            Some(i) => next = i + 1,
            None => fresh.put(mark),
        }
        stays.push(place);
    }
    let Ok(spare) = svg.clone_node() else { return place.set_inner_html(new) };
    let spare = spare.unchecked_into::<Element>();
    spare.set_inner_html(&fresh);
    let mut node = svg.first_element_child();
    let mut next = 1;
    for place in stays {
        if let Some(place) = place {
            while next < place {
                node = take(node);
                next += 1;
            }
            node = node.and_then(|node| node.next_element_sibling());
            next += 1;
        } else if let Some(mark) = spare.first_element_child() {
            let _ = svg.insert_before(&mark, node.as_deref());
        }
    }
    while node.is_some() {
        node = take(node);
    }
}

/// Takes an element out; the one after it.
fn take(node: Option<Element>) -> Option<Element> {
    let node = node?;
    let next = node.next_element_sibling();
    node.remove();
    next
}

/// The tag that opens a picture, and then each of its children whole. Neither text nor attributes hold a bracket.
fn marks(picture: &str) -> Vec<&str> {
    let mut marks = Vec::new();
    let (mut from, mut depth) = (0, 0);
    for (at, _) in picture.match_indices('>') {
        let open = picture[..at].rfind('<').unwrap_or(0);
        let tag = &picture[open..at];
        if tag.starts_with("</") {
            depth -= 1;
        } else if !tag.ends_with('/') {
            depth += 1;
        }
        if depth <= 1 {
            marks.push(&picture[from..=at]);
            from = at + 1;
        }
    }
    // What closes the picture is no mark.
    marks.pop();
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_falls_into_its_marks() {
        let picture = "<svg class=\"scene\"><title id=\"t\">A &gt; B</title><path d=\"M0 0h5\"/>\
                       <g><rect y=\"1\"/><text>1 <tspan>x</tspan></text></g></svg>";
        assert_eq!(
            marks(picture),
            [
                "<svg class=\"scene\">",
                "<title id=\"t\">A &gt; B</title>",
                "<path d=\"M0 0h5\"/>",
                "<g><rect y=\"1\"/><text>1 <tspan>x</tspan></text></g>",
            ]
        );
        assert!(marks("").is_empty());
    }

    #[test]
    fn the_pictures_of_a_lab_fall_into_marks_that_make_them_up() {
        let lab = crate::view::tests::lab();
        let values = lab.default_position().values;
        let run = crate::run::Run::new(&lab, &values).unwrap();
        let scene = run.scene(delivery_figure::scene::Layout::Wide, None);
        let picture = run.picture("x", "A & <b>", &scene, delivery_sim::Time::ms(6_000));
        assert_eq!(marks(&picture).concat() + "</svg>", picture);
    }
}
