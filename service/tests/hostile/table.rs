//! The table of refused system calls in the documentation.

use crate::calls::{Call, Expected};
use std::fmt::Write as _;
use std::fs;

const BEGIN: &str = "<!-- The test `hostile` of recto-service writes this table. -->\n";
const END: &str = "<!-- End of the table. -->\n";

/// One system call of the table.
pub struct Columns {
    group: &'static str,
    name: &'static str,
    with_programs: Expected,
    without_namespaces: Expected,
}

impl Columns {
    pub fn of(call: &Call) -> Self {
        let Call { group, name, with_programs, without_namespaces, .. } = *call;
        Self { group, name, with_programs, without_namespaces }
    }
}

/// Compares the table in the documentation with `rows`. Writes it if `RECTO_UPDATE_DOCS` is set.
pub fn compare(rows: &[Columns]) -> Result<(), libtest_mimic::Failed> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/security.md");
    let page = fs::read_to_string(path)?;
    let (before, rest) = page.split_once(BEGIN).ok_or("docs/security.md has no table of system calls")?;
    let (_, after) = rest.split_once(END).ok_or("the table in docs/security.md has no end")?;
    let expected = format!("{before}{BEGIN}\n{}\n{END}{after}", table(rows));
    if std::env::var_os("RECTO_UPDATE_DOCS").is_some() {
        fs::write(path, &expected)?;
    } else if page != expected {
        return Err("the table in docs/security.md is not current: run RECTO_UPDATE_DOCS=1 cargo test -p \
                    recto-service --test hostile"
            .into());
    }
    Ok(())
}

/// The table: calls of the same group with the same outcome share a row.
fn table(rows: &[Columns]) -> String {
    let mut lines: Vec<(String, String, Vec<&str>)> = Vec::new();
    for row in rows {
        let cells = format!("refused | {} | {}", cell(row.with_programs), cell(row.without_namespaces));
        match lines.iter_mut().find(|(group, known, _)| group == row.group && *known == cells) {
            Some((_, _, names)) => names.push(row.name),
            None => lines.push((row.group.to_owned(), cells, vec![row.name])),
        }
    }
    let mut text =
        "| Target | System calls | worker | LibreOffice's worker | the same without namespaces |\n\
                    |---|---|---|---|---|\n"
            .to_owned();
    for (group, cells, names) in lines {
        let _ = writeln!(text, "| {group} | {} | {cells} |", names.join(", "));
    }
    text
}

fn cell(expected: Expected) -> String {
    match expected {
        Expected::Refused => "refused".to_owned(),
        Expected::Allowed(why) => format!("allowed: {why}"),
    }
}
