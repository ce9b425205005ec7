//! The list of causes: why each message that was delivered again was.

use crate::html;
use crate::run::Run;
use delivery_figure::put::Put as _;

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
        out.put("<li><button type=\"button\" data-row=\"");
        out.put(&row.to_string());
        out.put("\">");
        html::escape(&mut out, &of.at.to_string());
        out.put("</button><span>");
        html::element(&mut out, "b", &of.which);
        out.put(": ");
        html::escape(&mut out, &of.why);
        out.put("</span></li>");
    }
    out.put("</ol>");
    out
}
