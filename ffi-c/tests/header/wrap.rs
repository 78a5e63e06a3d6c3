//! Breaks the long comment lines of generated headers.

/// The maximum length of a comment line.
const WIDTH: usize = 120;

/// The text with its long comment lines broken.
pub fn comments(text: &str) -> String {
    text.lines().map(|line| broken(line) + "\n").collect()
}

fn broken(line: &str) -> String {
    let comment = line.trim_start();
    let indent = " ".repeat(line.len() - comment.len());
    let next = if comment.starts_with("/** ") { format!("{indent} *") } else { format!("{indent}*") };
    let is_comment = comment.starts_with("/** ") || comment.starts_with("* ");
    if line.len() <= WIDTH || !is_comment {
        return line.to_owned();
    }
    // The end of the comment stays on the line of the last word.
    let (text, end) = comment.strip_suffix(" */").map_or((comment, ""), |text| (text, " */"));
    let mut words = text.split(' ').peekable();
    let mut lines = vec![indent + words.next().unwrap_or_default()];
    while let Some(word) = words.next() {
        let end = if words.peek().is_none() { end } else { "" };
        let fits = lines.last().is_some_and(|line| line.len() + 1 + word.len() + end.len() <= WIDTH);
        if !fits {
            lines.push(next.clone());
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
            line.push_str(end);
        }
    }
    lines.join("\n")
}
