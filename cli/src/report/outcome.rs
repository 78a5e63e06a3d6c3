//! Prints the outcome of an operation: the saved file, the status, the validation report or the resume token.

use crate::exit;
use crate::report::{json, line, size};
use clap::ArgMatches;
use recto::{Operation, OperationResult, ValidationReport};
use serde_json::json as value;
use std::path::Path;

/// Prints the path of the saved result file, its size, and the size of the input document.
pub fn print_file(
    operation: &Operation,
    label: &str,
    input_bytes: Option<u64>,
    saved: &Path,
    matches: &ArgMatches,
) {
    let output_bytes = std::fs::metadata(saved).map(|found| found.len()).unwrap_or_default();
    if matches.get_flag("json") {
        let outcome = value!({
            "operation": operation.name(), "operationId": operation.id(), "input": label,
            "output": saved.display().to_string(), "inputBytes": input_bytes, "outputBytes": output_bytes,
        });
        json(&outcome);
    } else if !matches.get_flag("quiet") {
        let was = input_bytes.map_or_else(String::new, |bytes| format!(" (was {})", size(bytes)));
        line(&format!("{}: {}{was}", saved.display(), size(output_bytes)));
    }
}

/// Prints the result of an operation whose result file is not downloaded, or that has no result file. Returns the exit
/// code: the exit code of a validation depends on whether the document conforms.
pub fn print_result(
    label: &str,
    operation: &Operation,
    result: &OperationResult,
    matches: &ArgMatches,
) -> u8 {
    let Some(report) = &result.validation else {
        if matches.get_flag("json") {
            let output = result.output.as_ref();
            let outcome = value!({"operation": operation.name(), "operationId": operation.id(),
                "status": result.status, "fileId": output.and_then(|output| output.file_id.as_deref()),
                "name": output.and_then(|output| output.name.as_deref())});
            json(&outcome);
        } else if !matches.get_flag("quiet") {
            line(&format!("{label}: {}", result.status));
        }
        return exit::OK;
    };
    let conforms = report.is_conforming.unwrap_or(false);
    if matches.get_flag("json") {
        let outcome = value!({"operation": "validate", "input": label, "isConforming": conforms,
            "conformance": report.conformance, "errors": report.errors});
        json(&outcome);
    } else if !matches.get_flag("quiet") {
        print_validation(label, report);
    }
    if conforms { exit::OK } else { exit::FAILED }
}

/// Prints a validation report.
pub fn print_validation(label: &str, report: &ValidationReport) {
    let verdict = if report.is_conforming == Some(true) { "conforms" } else { "does not conform" };
    let declared = report.conformance.as_ref().map_or_else(String::new, |level| format!(" (claims {level})"));
    line(&format!("{label}: {verdict}{declared}"));
    report.errors.iter().for_each(|error| line(&format!("  {error}")));
}

/// Prints the resume token of an operation whose end the command does not wait for. `recto fetch` and `recto wait`
/// accept this token.
pub fn print_token(operation: &Operation, matches: &ArgMatches) -> u8 {
    let token = operation.token();
    if matches.get_flag("json") {
        let outcome = value!({"operation": operation.name(), "operationId": operation.id(),
            "token": token});
        json(&outcome);
    } else {
        line(&token);
    }
    exit::OK
}
