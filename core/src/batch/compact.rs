//! Removes from a journal the lines of documents that nothing has to be known about: those whose files a watch has moved
//! or deleted. Otherwise the journal of a watch would grow as long as it exists.

use super::step::{DocumentProgress, Header, Line};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The length in bytes from which a journal is shortened.
pub(super) const LEAST: u64 = 1 << 20;

#[derive(Deserialize)]
#[serde(untagged)]
enum Kept {
    Header(#[allow(dead_code, reason = "only its kind matters")] Header),
    Line(Line),
}

/// Writes the lines of the documents in `progress` to a new file, which replaces the journal at `path` if it is at most half
/// as long. `length` is the length of the complete lines. Returns the new file, which is locked; `None` if the journal
/// stays.
pub(super) fn shortened(
    path: &Path,
    length: u64,
    progress: &HashMap<PathBuf, DocumentProgress>,
) -> io::Result<Option<File>> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut part = tempfile::Builder::new().prefix(".recto-").suffix(".part").tempfile_in(folder)?;
    let kept = copy_lines(BufReader::new(File::open(path)?), part.as_file_mut(), length, progress)?;
    if kept > length / 2 {
        return Ok(None);
    }
    part.as_file().set_permissions(std::fs::metadata(path)?.permissions())?;
    part.as_file().sync_all()?;
    // The file is locked before other processes see it. As for any journal, a file system without locks is no error.
    let _ = part.as_file().try_lock();
    let mut file = part.persist(path).map_err(|failed| failed.error)?;
    file.seek(SeekFrom::End(0))?;
    Ok(Some(file))
}

/// Copies the lines that are kept. Returns their length.
fn copy_lines(
    mut from: impl BufRead,
    to: impl Write,
    length: u64,
    progress: &HashMap<PathBuf, DocumentProgress>,
) -> io::Result<u64> {
    let mut to = BufWriter::new(to);
    let (mut read, mut kept, mut line) = (0_u64, 0_u64, Vec::new());
    // Of several headers without lines between them, only the last one counts.
    let mut header = Vec::new();
    while read < length {
        line.clear();
        let count = from.read_until(b'\n', &mut line)? as u64;
        if count == 0 {
            break;
        }
        read += count;
        match serde_json::from_slice(&line) {
            Ok(Kept::Header(_)) => header.clone_from(&line),
            Ok(Kept::Line(found)) if !progress.contains_key(&found.item) => {}
            _ => {
                kept += (header.len() + line.len()) as u64;
                to.write_all(&header)?;
                to.write_all(&line)?;
                header.clear();
            }
        }
    }
    kept += header.len() as u64;
    to.write_all(&header)?;
    to.flush()?;
    Ok(kept)
}
