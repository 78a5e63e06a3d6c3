//! The report of a comparison as one HTML file that loads nothing: its pictures are in it.

use crate::compare::{ComparedPage, Summary};
use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;
use recto_interface::printable::printable;
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};

/// Text as HTML: without characters that are markup, that control a terminal, or that reorder the text.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in printable(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// A share as a percentage: a difference is never shown as 0.
pub fn percent(share: f64) -> String {
    match share * 100.0 {
        0.0 => "0 %".to_owned(),
        percent if percent < 0.01 => "less than 0.01 %".to_owned(),
        percent => format!("{percent:.2} %"),
    }
}

/// The sentence about a page.
pub fn verdict(page: &ComparedPage, labels: [&str; 2]) -> String {
    let [a, b] = labels;
    let size = if page.difference.size_differs() { ", and its size differs" } else { "" };
    match page.is_in() {
        [true, false] => format!("only in {a}"),
        [false, true] => format!("only in {b}"),
        _ if page.difference.differing() == 0 => format!("the same{size}"),
        _ => format!("{} differs{size}", percent(page.share())),
    }
}

/// The sentence about the documents.
pub fn conclusion(summary: &Summary, labels: [&str; 2]) -> String {
    let [a, b] = labels;
    let share = percent(summary.share());
    let pages = if summary.pages == 1 { "1 page" } else { &format!("{} pages", summary.pages) };
    match (summary.is_same(), summary.share() > 0.0) {
        (true, false) => format!("{a} and {b}: the same, {pages}"),
        (true, true) => {
            format!("{a} and {b}: the same within the threshold, {pages}, {share} of the area differs")
        }
        _ => format!("{a} and {b}: {} of {pages} differ, {share} of the area", summary.differing_pages),
    }
}

/// The style of a report, and a policy by which a browser loads nothing.
pub const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'\">\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
    <style>body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:80rem;padding:0 1rem}\
    table{border-collapse:collapse}td,th{padding:.2rem 1rem .2rem 0;text-align:left}\
    td.n,th.n{text-align:right}img{max-width:100%;border:1px solid #888}\
    .bar{background:#2a6;height:.8rem}.bar.before{background:#999}</style>\n";

/// A report that is written page by page. The pages wait in a temporary file, because the figures come first.
pub struct Pages {
    labels: [String; 2],
    rows: File,
    sections: File,
}

impl Pages {
    /// A report without pages.
    ///
    /// # Errors
    /// The error of the system if a temporary file cannot be created.
    pub fn new(labels: [&str; 2]) -> io::Result<Self> {
        Ok(Self { labels: labels.map(escape), rows: tempfile::tempfile()?, sections: tempfile::tempfile()? })
    }

    /// Adds a page.
    ///
    /// # Errors
    /// The error of a temporary file.
    pub fn add(&mut self, page: &ComparedPage, with_picture: bool) -> io::Result<()> {
        let number = page.number;
        let [a, b] = &self.labels;
        // The labels are escaped already, and the rest of the verdict has no markup.
        let verdict = verdict(page, [a, b]);
        if !with_picture {
            return writeln!(self.rows, "<tr><td class=\"n\">{number}<td>{verdict}");
        }
        writeln!(self.rows, "<tr><td class=\"n\"><a href=\"#page-{number}\">{number}</a><td>{verdict}")?;
        write!(
            self.sections,
            "<section id=\"page-{number}\">\n<h2>Page {number}: {verdict}</h2>\n\
             <img alt=\"Page {number} of both documents\" loading=\"lazy\" src=\"data:image/png;base64,"
        )?;
        write_base64(page, &mut self.sections)?;
        writeln!(self.sections, "\">\n</section>")
    }

    /// Writes the report.
    ///
    /// # Errors
    /// The error of a temporary file or of the writer.
    pub fn finish(mut self, summary: &Summary, writer: &mut impl Write) -> io::Result<()> {
        let [a, b] = &self.labels;
        let conclusion = conclusion(summary, [a, b]);
        write!(
            writer,
            "{HEAD}<title>{a} and {b}</title>\n<h1>Comparison</h1>\n<p>{conclusion}.</p>\n\
             <p>Left: {a}. Right: {b}. The parts that differ are outlined in red.</p>\n\
             <table>\n<tr><th class=\"n\">Page<th>Difference\n"
        )?;
        self.rows.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.rows, writer)?;
        writeln!(writer, "</table>")?;
        self.sections.seek(SeekFrom::Start(0))?;
        io::copy(&mut self.sections, writer)?;
        writeln!(writer, "</html>")
    }
}

fn write_base64(page: &ComparedPage, file: &mut File) -> io::Result<()> {
    let mut encoder = EncoderWriter::new(io::BufWriter::new(file), &STANDARD);
    page.write_png(&mut encoder)?;
    encoder.finish()?.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_invisible_characters_are_escaped() {
        assert_eq!(escape("<b> & \"x\" 'y'"), "&lt;b&gt; &amp; &quot;x&quot; &#39;y&#39;");
        assert_eq!(escape("\u{1b}[31m\u{202e}fdp"), "\\u{1b}[31m\\u{202e}fdp");
    }

    #[test]
    fn a_small_difference_is_not_shown_as_zero() {
        let shown = [0.0, 0.000_001, 0.000_1, 0.5, 1.0].map(percent);
        assert_eq!(shown, ["0 %", "less than 0.01 %", "0.01 %", "50.00 %", "100.00 %"]);
    }
}
