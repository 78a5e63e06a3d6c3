//! The journal's file: read once, locked while the batch lives, and synchronized to the disk step by step.

use super::step::{DocumentProgress, Header, Line, Service, Step};
use crate::error::Error;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::JoinHandle;

/// The longest line that is read: a validation may have found much.
const LONGEST_LINE: u64 = 16 << 20;

/// Where the steps of a batch are written; without a file, nowhere.
#[derive(Debug)]
pub(super) struct Journal {
    sender: Option<Sender<Entry>>,
    thread: Option<JoinHandle<()>>,
    process: u32,
}

/// A line, and whom to tell when it is on the disk.
#[derive(Debug)]
struct Entry {
    line: Vec<u8>,
    written: SyncSender<Result<(), Error>>,
}

/// A line that is read.
#[derive(Deserialize)]
#[serde(untagged)]
enum Known {
    Header(Header),
    Line(Line),
}

impl Journal {
    /// Keeps nothing.
    pub(super) fn none() -> Self {
        Self { sender: None, thread: None, process: std::process::id() }
    }

    /// Opens the journal at `path`, or begins one. Returns how far the documents in it got.
    pub(super) fn open(
        path: &Path,
        header: &Header,
    ) -> Result<(Self, HashMap<PathBuf, DocumentProgress>), Error> {
        let cannot = |what: &str, error| {
            Error::io(format_args!("cannot {what} the journal {}", path.display()), error)
        };
        let mut options = File::options();
        let mut file = options.read(true).append(true).create(true).open(path).map_err(|error| {
            cannot("open", error).advise("Give a path in a directory that may be written to")
        })?;
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return Err(Error::config(format!("the journal {} would be no file", path.display()))
                .advise("Give a path where there is a journal, or nothing"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::config(format!(
                    "the journal {} is in use by another batch",
                    path.display()
                ))
                .advise("Wait for that one, or give this one a journal of its own"));
            }
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "the journal cannot be locked here: nothing keeps a second batch from it");
            }
        }
        let (progress, length) = read(&file, path, header)?;
        // A line that was cut off by the end of its process was never acted upon.
        file.set_len(length).map_err(|error| cannot("write", error))?;
        write(&mut file, &line(header)).map_err(|error| cannot("write", error))?;
        synchronize_directory(path).map_err(|error| cannot("write", error))?;
        let (sender, entries) = mpsc::channel();
        let named = std::thread::Builder::new().name("recto-journal".to_owned());
        let path = path.to_owned();
        let thread = named
            .spawn(move || keep(file, &path, &entries))
            .map_err(|error| Error::io("cannot start the thread of the journal", error))?;
        let journal = Self { sender: Some(sender), thread: Some(thread), process: std::process::id() };
        Ok((journal, progress))
    }

    /// Writes a step, and returns when it is on the disk.
    pub(super) fn write(&self, item: &Path, step: Step) -> Result<(), Error> {
        let Some(sender) = &self.sender else { return Ok(()) };
        let (written, is_written) = mpsc::sync_channel(1);
        let entry = Entry { line: line(&Line { item: item.to_owned(), step }), written };
        let gone = || Error::config("the journal is closed");
        sender.send(entry).map_err(|_| gone())?;
        is_written.recv().map_err(|_| gone())?
    }

    /// Whether there is a file.
    pub(super) fn is_kept(&self) -> bool {
        self.sender.is_some()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let (sender, thread) = (self.sender.take(), self.thread.take());
        if self.process != std::process::id() {
            // The thread did not come along when this process was forked: there is nobody to tell or to wait for.
            std::mem::forget((sender, thread));
            return;
        }
        drop(sender);
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }
}

fn line(value: &impl Serialize) -> Vec<u8> {
    // Texts and numbers: this cannot fail.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Writes what comes; what came together is brought to the disk together.
fn keep(mut file: File, path: &Path, entries: &Receiver<Entry>) {
    let mut broken: Option<Error> = None;
    while let Ok(first) = entries.recv() {
        let together: Vec<_> = std::iter::once(first).chain(entries.try_iter()).collect();
        let lines: Vec<u8> = together.iter().flat_map(|entry| entry.line.iter().copied()).collect();
        if broken.is_none()
            && let Err(error) = write(&mut file, &lines)
        {
            // After a part of a line nothing may follow.
            let error = Error::io(format_args!("cannot write the journal {}", path.display()), error);
            broken = Some(error.advise("Make room on its disk, and run the batch again: it goes on"));
        }
        for entry in together {
            let _ = entry.written.send(broken.clone().map_or(Ok(()), Err));
        }
    }
}

fn write(file: &mut File, lines: &[u8]) -> std::io::Result<()> {
    file.write_all(lines)?;
    file.sync_data()
}

/// Reads the whole lines; returns how far the documents got, and how long the whole lines are.
pub(super) fn read(
    file: impl Read,
    path: &Path,
    header: &Header,
) -> Result<(HashMap<PathBuf, DocumentProgress>, u64), Error> {
    let damaged = |number: usize, why: &str| {
        Error::config(format!("the journal {} cannot be read: line {number} {why}", path.display()))
            .advise("Give a journal that a batch wrote, or a path where there is none")
    };
    let mut reader = BufReader::new(file);
    let mut progress: HashMap<PathBuf, DocumentProgress> = HashMap::new();
    let (mut length, mut number, mut bytes) = (0, 0, Vec::new());
    let mut last: Option<Header> = None;
    loop {
        bytes.clear();
        number += 1;
        let read = (&mut reader)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut bytes)
            .map_err(|error| Error::io(format_args!("cannot read the journal {}", path.display()), error))?;
        if read as u64 == LONGEST_LINE {
            return Err(damaged(number, "is too long"));
        }
        if bytes.last() != Some(&b'\n') {
            // Only a line of ours may be cut off: a file that is none must not lose its end.
            if last.is_none()
                && !bytes.is_empty()
                && !b"{\"batch\":".starts_with(&bytes[..bytes.len().min(9)])
            {
                return Err(damaged(number, "was not written by a batch"));
            }
            break;
        }
        match serde_json::from_slice(&bytes) {
            Ok(Known::Header(found)) => {
                if let Some(why) = header.differs(&found) {
                    let error = Error::config(format!("the journal {} {why}", path.display()));
                    return Err(error.advise("Give this batch a journal of its own, or run it as it was"));
                }
                part(&mut progress, last.as_ref(), &found);
                last = Some(found);
            }
            Ok(Known::Line(line)) if last.is_some() => {
                progress.entry(line.item).or_default().take(line.step);
            }
            _ => return Err(damaged(number, "was not written by a batch")),
        }
        length += read as u64;
    }
    part(&mut progress, last.as_ref(), header);
    Ok((progress, length))
}

/// Between two runs an embedded service has ended.
fn part(progress: &mut HashMap<PathBuf, DocumentProgress>, before: Option<&Header>, after: &Header) {
    if let Some(Header { service: service @ Service::Embedded(_), .. }) = before
        && *service != after.service
    {
        progress.values_mut().for_each(DocumentProgress::without_service);
    }
}

/// A new file is only there after a crash when its directory says so.
pub(super) fn synchronize_directory(of: &Path) -> std::io::Result<()> {
    #[cfg(unix)]
    {
        let parent = of.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(parent)?.sync_all()?;
    }
    #[cfg(not(unix))]
    let _ = of;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use serde_json::json;

    fn header(operation: &str, service: Service) -> Header {
        let header = json!({"batch": 1, "operation": operation, "service": {"at": "x"}});
        Header { service, ..serde_json::from_value(header).unwrap() }
    }

    fn standing() -> Header {
        header("optimize", Service::At("http://h".into()))
    }

    fn started(id: &str) -> Step {
        Step::Started { operation_id: id.into() }
    }

    fn id_of<'p>(progress: &'p HashMap<PathBuf, DocumentProgress>, item: &str) -> Option<&'p str> {
        progress.get(Path::new(item))?.operation_id.as_deref()
    }

    #[test]
    fn a_journal_is_read_back_and_a_torn_line_is_dropped() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        let (journal, progress) = Journal::open(&path, &standing()).unwrap();
        assert!(progress.is_empty());
        journal.write("/a".as_ref(), started("1")).unwrap();
        journal.write("/b".as_ref(), started("2")).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for end in whole.len() - 20..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let (journal, progress) = Journal::open(&path, &standing()).unwrap();
            assert_eq!((id_of(&progress, "/a"), id_of(&progress, "/b")), (Some("1"), None));
            drop(journal);
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                text.ends_with('\n') && text.lines().all(|line| line.starts_with('{') && line.ends_with('}'))
            );
        }
    }

    #[test]
    fn a_line_that_is_wrong_in_the_midst_is_no_journal() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        drop(Journal::open(&path, &standing()).unwrap());
        let good = std::fs::read_to_string(&path).unwrap();
        for text in ["x\n".to_owned(), "x".to_owned(), format!("{good}x\n{good}"), format!("{{}}\n{good}")] {
            std::fs::write(&path, &text).unwrap();
            assert_eq!(Journal::open(&path, &standing()).unwrap_err().kind(), ErrorKind::Config, "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_journal_belongs_to_one_operation_and_one_service_and_one_batch_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        let open = |header: &Header| Journal::open(&path, header);
        let journal = open(&standing()).unwrap();
        assert!(open(&standing()).unwrap_err().message().contains("in use"));
        drop(journal);
        for other in [
            header("encrypt", Service::At("http://h".into())),
            header("optimize", Service::At("http://other".into())),
            header("optimize", Service::Embedded("http://h".into())),
            Header { options: json!({"profile": "web"}), ..standing() },
        ] {
            assert_eq!(open(&other).unwrap_err().kind(), ErrorKind::Config);
        }
        assert!(open(&standing()).is_ok());
    }

    #[test]
    fn what_was_in_an_embedded_service_is_forgotten_with_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        let embedded = |port: u16| header("optimize", Service::Embedded(format!("http://127.0.0.1:{port}")));
        let (journal, _) = Journal::open(&path, &embedded(1)).unwrap();
        journal.write("/a".as_ref(), started("1")).unwrap();
        drop(journal);
        let (journal, progress) = Journal::open(&path, &embedded(1)).unwrap();
        assert_eq!(id_of(&progress, "/a"), Some("1"));
        drop(journal);
        let (journal, progress) = Journal::open(&path, &embedded(2)).unwrap();
        assert_eq!(id_of(&progress, "/a"), None);
        journal.write("/a".as_ref(), started("2")).unwrap();
        drop(journal);
        assert_eq!(id_of(&Journal::open(&path, &embedded(2)).unwrap().1, "/a"), Some("2"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_full_disk_is_said_to_all_that_wait() {
        let (sender, entries) = mpsc::channel();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let thread = std::thread::spawn(move || keep(full, "full".as_ref(), &entries));
        let journal = Journal { sender: Some(sender), thread: Some(thread), process: std::process::id() };
        for _ in 0..2 {
            assert_eq!(journal.write("/a".as_ref(), Step::Deleted).unwrap_err().kind(), ErrorKind::Io);
        }
    }
}
