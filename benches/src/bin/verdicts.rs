//! Runs `validate` on many documents and prints the verdicts and the time for each document.
//!
//! ```text
//! printf '%s\tpdf_a2_b\n' *.pdf | cargo run --release -p recto-benches --bin verdicts
//! ```
//!
//! A line of standard input contains a path, a tab and a standard. For each of these lines, a line is printed with the
//! fields path, verdict (PASS, FAIL or ERROR), standard, clauses of the findings, and milliseconds, separated by tabs.
//! With `-v`, the findings are printed below that line, indented.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use recto_engine::{Input, Job, Output, run};
use recto_interface::Options;
use recto_interface::options::ValidateOptions;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let shown = std::env::args().any(|argument| argument == "-v");
    for line in std::io::stdin().lines() {
        let line = line?;
        let Some((path, standard)) = line.split_once('\t') else { continue };
        let bytes = std::fs::read(path)?;
        let started = Instant::now();
        let options = Options::Validate(ValidateOptions { conformance: Some(standard.to_owned()) });
        let outcome = run(&options, Input { bytes: &bytes, name: path }, &Job::default());
        let milliseconds = started.elapsed().as_millis();
        let (verdict, findings) = match outcome {
            Ok(Output::Report(report)) if report.is_conforming == Some(true) => ("PASS", report.errors),
            Ok(Output::Report(report)) => ("FAIL", report.errors),
            Ok(Output::File(_)) => ("ERROR", vec!["a file came back".to_owned()]),
            Err(error) => ("ERROR", vec![error.to_string()]),
        };
        let clauses: Vec<&str> = findings.iter().map(|finding| clause(finding)).collect();
        println!("{path}\t{verdict}\t{standard}\t{}\t{milliseconds}", clauses.join(","));
        if shown {
            findings.iter().for_each(|finding| println!("    {finding}"));
        }
    }
    Ok(())
}

/// The number of the clause that a finding cites: `6.1.9` if the finding ends with `(ISO 19005-2, 6.1.9).`, `-` if the
/// finding cites no clause.
fn clause(finding: &str) -> &str {
    let end = finding.trim_end_matches(['.', ')']);
    end.rsplit_once("(ISO ")
        .and_then(|(_, clause)| clause.rsplit_once(", "))
        .map_or("-", |(_, clause)| clause)
}
