//! Every word that the press writes around the text. Those of the figures are in `src/view` and `crates/figure`.

/// The first link of a page.
pub(crate) const SKIP: &str = "Skip to the text";
/// The list of chapters that unfolds, and its name for those who do not see it.
pub(crate) const CONTENTS: &str = "Contents";
pub(crate) const CHAPTERS: &str = "Chapters";
pub(crate) const ON_THIS_PAGE: &str = "On this page";
/// What the pages are called that are no chapters.
pub(crate) const REFERENCE: &str = "Reference";
/// Where the next chapter is led to.
pub(crate) const AROUND: &str = "Chapters before and after";
pub(crate) const BEFORE: &str = "Before this";
pub(crate) const NEXT: &str = "Next";
/// Of a chapter whose end was reached.
pub(crate) const READ: &str = "read";

/// The switch between light and dark.
pub(crate) const SCHEME: &str = "Colours";
pub(crate) const SCHEMES: [(&str, &str); 3] =
    [("", "As the system"), ("light", "Light"), ("dark", "Dark")];

/// The search.
pub(crate) const SEARCH: &str = "Search";

/// The page for what is not there.
pub(crate) const MISSING: &str = "There is no such page";
pub(crate) const MISSING_TITLE: &str = "No such page";
pub(crate) const MISSING_WHY: &str = "The address leads nowhere in this book. Its pages are in the contents, and the search looks through all of them.";
pub(crate) const MEANT: &str = "Perhaps this was meant:";
pub(crate) const TO_FRONT: &str = "To the front page";

/// The page that lists the figures, and the line below a figure in the page of somebody else.
pub(crate) const FIGURES: &str = "Figures for a page of yours";
pub(crate) const FIGURES_WHAT: &str =
    "The figures of this book, each by itself, to be shown in other pages.";
pub(crate) const FROM: &str = "From";

/// The foot of a page.
pub(crate) const EMBED: &str = "Put a figure into a page of yours.";
pub(crate) const QUIET: &str = "Nothing leaves this page: no cookies, no requests to anybody else. What you have read, and the colours you chose, \
     this browser alone remembers.";

/// Above a chapter.
pub(crate) fn eyebrow(number: u32, part: &str) -> String {
    format!("{}, {part}", chapter(number))
}

/// A chapter by its number.
pub(crate) fn chapter(number: u32) -> String {
    format!("Chapter {number}")
}

/// On the front page, before the name of the first chapter.
pub(crate) const BEGIN: &str = "Begin with";

/// What the figures were checked against.
pub(crate) fn checked(against: &str) -> String {
    format!("The simulator behind the figures was checked against recordings of {against}.")
}

/// Under which terms the book stands.
pub(crate) fn terms(licence: &str) -> String {
    format!("Text and code: {licence}.")
}

/// A figure in plain Markdown and on paper.
pub(crate) const FIGURE: &str = "Figure";
pub(crate) const WHAT_HAPPENS: &str = "What happens:";
pub(crate) const SETTING: &str = "Setting";
pub(crate) const HERE: &str = "in this run";
pub(crate) const MAY_BE: &str = "may be";
pub(crate) const ACCOUNT: &str = "The run in words:";
pub(crate) const TRY: &str = "Try it:";
pub(crate) const LIVE: &str = "The live figure";

/// The words of the scripts, by the name that stands for them there between double braces; `#` in them stands for what comes in.
pub(crate) const SCRIPTS: [(&str, &str); 18] = [
    ("SEARCH", SEARCH),
    ("SEARCH_FOR", "A word, a setting, what you see going wrong"),
    (
        "SEARCH_IN",
        "Chapters and their sections, figures, symptoms, settings and terms are searched.",
    ),
    ("RESULTS", "Results"),
    ("ONE_RESULT", "1 result"),
    ("RESULTS_N", "# results"),
    ("NOTHING", "Nothing in the book has “#”."),
    (
        "NO_INDEX",
        "The index of the book did not load. Without a network it is there after a first search.",
    ),
    ("NO_SEARCH", "Search did not load"),
    ("CLOSE", "Close"),
    ("SYMPTOMS", "Symptoms"),
    ("SETTINGS", "Settings"),
    ("CHAPTERS", CHAPTERS),
    ("TERMS", "Terms"),
    ("ELSEWHERE", "Elsewhere in the book"),
    ("READ", READ),
    ("READ_N", "# of # chapters read"),
    ("GO_ON", "Go on with"),
];
/// Before the settings of a figure in the search.
pub(crate) const TURNED: &str = "Settings:";

/// The book on paper.
pub(crate) const WHOLE: &str = "The whole book, to print";
pub(crate) const PRINT: &str = "Print";
/// The page for what is not kept while there is no network.
pub(crate) const OFFLINE: &str = "This page is not kept on your device";
pub(crate) const OFFLINE_WHY: &str = "There is no network now, and this page was not among those that were kept. The chapters that are kept open from the contents.";
