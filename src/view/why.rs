//! The list of causes: why each message that was delivered again was.

use crate::html;
use crate::run::Run;

/// One item for every redelivery; its time is a button that shows the moment in which it arrives.
pub(super) fn html(run: &Run) -> String {
    let again = run.rows.again();
    if again.is_empty() {
        return "<p>Nothing was delivered again in this run.</p>".into();
    }
    let mut out = String::from("<ol class=\"rows\">");
    for of in again {
        // It is told in the first row that is over when it has arrived.
        let row = run.rows.before(of.arrived);
        out.push_str("<li><button type=\"button\" data-row=\"");
        out.push_str(&row.to_string());
        out.push_str("\">");
        html::escape(&mut out, &of.at.to_string());
        out.push_str("</button><span>");
        html::element(&mut out, "b", &of.which);
        out.push_str(": ");
        html::escape(&mut out, &of.why);
        out.push_str("</span></li>");
    }
    out.push_str("</ol>");
    out
}
