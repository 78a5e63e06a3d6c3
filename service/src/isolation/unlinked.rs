//! The size of unlinked files: files that have no name any more, but that a process still has open. They use disk
//! space, and no folder contains them.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::os::unix::fs::MetadataExt as _;

/// The size of the unlinked files that the process `leader`, its descendants and the processes of its group have open.
/// Files that are only mapped into memory are not counted. Without privileges, the files of a process that is not dumpable
/// cannot be seen, so the sandbox lets no process become so.
pub(super) fn bytes(leader: u32) -> u64 {
    let mut counted = HashSet::new();
    let mut total = 0_u64;
    for process in processes_of(leader) {
        for descriptor in fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten() {
            // This follows the link in `/proc` to the open file.
            let Ok(file) = fs::metadata(descriptor.path()) else { continue };
            if file.is_file() && file.nlink() == 0 && counted.insert((file.dev(), file.ino())) {
                total = total.saturating_add(file.blocks().saturating_mul(512));
            }
        }
    }
    total
}

/// The process `leader`, its descendants, and the processes of its group, whose parents may have ended.
fn processes_of(leader: u32) -> Vec<u32> {
    let mut parents: HashMap<u32, Vec<u32>> = HashMap::new();
    let mut found = vec![leader];
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        // The fields after the name, which is in parentheses and may contain spaces: state, parent, process group.
        let mut fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(1);
        let mut next = || fields.next().and_then(|field| field.parse::<u32>().ok());
        let (Some(parent), Some(group)) = (next(), next()) else { continue };
        parents.entry(parent).or_default().push(process);
        if group == leader && process != leader {
            found.push(process);
        }
    }
    let mut at = 0;
    while let Some(parent) = found.get(at) {
        let children = parents.remove(parent).unwrap_or_default();
        found.extend(children);
        at += 1;
    }
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn an_unlinked_file_is_counted_once() {
        let before = bytes(std::process::id());
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![7; 3 << 20]).unwrap();
        file.sync_all().unwrap();
        let _again = file.try_clone().unwrap();
        let named = tempfile::NamedTempFile::new().unwrap();
        named.as_file().write_all(&vec![7; 5 << 20]).unwrap();
        let counted = bytes(std::process::id()) - before;
        assert!((3 << 20..4 << 20).contains(&counted), "{counted}");
    }
}
