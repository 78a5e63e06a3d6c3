//! Where the result file goes: checks before the operation that the file can be written there, and saves the file after
//! the operation.

use crate::exit::{self, Failure};
use crate::inputs::{self, is_standard_stream};
use crate::report::outcome;
use crate::report::progress::DocumentBar;
use clap::ArgMatches;
use recto::{Call, Operation};
use std::path::Path;

/// Checks that the result can be written to `output`. This check runs before the operation, so that no work is lost.
pub fn check_writable(output: &Path) -> Result<(), Failure> {
    if is_standard_stream(output) {
        return Ok(());
    }
    if inputs::is_address(output) {
        let shown = inputs::label(output);
        return Err(Failure::usage(format!(
            "{shown}: a result is written to a file or folder, not to an address"
        )));
    }
    let folder = match output.parent() {
        _ if output.is_dir() => output,
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let refused = |why: &str| Err(Failure::file(format!("{}: cannot write here: {why}", output.display())));
    match std::fs::metadata(folder) {
        Ok(found) if !found.is_dir() => refused(&format!("{} is not a folder", folder.display())),
        Ok(found) if found.permissions().readonly() => {
            refused(&format!("the folder {} is read-only", folder.display()))
        }
        Ok(_) => Ok(()),
        Err(error) => refused(&format!("the folder {}: {}", folder.display(), exit::io_reason(&error))),
    }
}

/// Whether a result may replace an existing file.
pub fn may_overwrite(matches: &ArgMatches) -> bool {
    !matches.try_get_one::<bool>("no-overwrite").ok().flatten().copied().unwrap_or_default()
}

/// Whether the files of an operation are deleted from the service when its result is saved. An operation without a
/// result file does not have this flag.
pub fn deletes(matches: &ArgMatches) -> bool {
    matches.try_get_one::<bool>("delete-after").ok().flatten().copied().unwrap_or_default()
}

/// Waits for a result file, saves it to `output`, and prints its size. `input_bytes` is the size of the input document,
/// if that size is known.
pub fn save(
    operation: &Operation,
    output: &Path,
    call: &Call<'_>,
    bar: &DocumentBar,
    label: &str,
    input_bytes: Option<u64>,
    matches: &ArgMatches,
) -> Result<u8, Failure> {
    let saved = if is_standard_stream(output) {
        operation.write_to(&mut std::io::stdout().lock(), call).map(|_| None)
    } else {
        operation.save(output, call).map(Some)
    };
    bar.finish();
    if let Some(path) = saved.map_err(|error| Failure::of(&error, label))? {
        outcome::print_file(operation, label, input_bytes, &path, matches);
    }
    Ok(exit::OK)
}
