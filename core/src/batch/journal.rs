//! The journal file. It is read once when a batch begins, locked while the batch exists, and synchronized to disk
//! after each step.

use super::compact;
use super::step::{DocumentProgress, Header, Line, Service, Step};
use crate::error::Error;
use crate::runtime::signals;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::{File, TryLockError};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread::JoinHandle;

/// The length limit of a line in bytes. It is large because a line may contain a long validation report.
const LONGEST_LINE: u64 = 16 << 20;

/// Writes a journal. [`Journal::none`] has no file and writes nothing.
#[derive(Debug)]
pub(super) struct Journal {
    sender: Option<Sender<Entry>>,
    thread: Option<JoinHandle<()>>,
    /// Whether a line could not be written: then no further line is written either.
    broken: Arc<AtomicBool>,
    process: u32,
}

/// A line to write, and the channel that reports when the line is on disk.
#[derive(Debug)]
struct Entry {
    line: Vec<u8>,
    written: SyncSender<Result<(), Error>>,
}

/// A line of a journal file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Known {
    Header(Header),
    Line(Line),
}

impl Journal {
    /// A journal that writes nothing.
    pub(super) fn none() -> Self {
        Self { sender: None, thread: None, broken: Arc::default(), process: std::process::id() }
    }

    /// Opens the journal at `path`, or creates it. Returns the progress of the documents that the journal lists.
    pub(super) fn open(
        path: &Path,
        header: &Header,
    ) -> Result<(Self, HashMap<PathBuf, DocumentProgress>), Error> {
        Self::open_and_shorten(path, header, compact::LEAST)
    }

    /// [`open`](Self::open); a journal of at least `shorten_from` bytes is shortened if most of it is not needed.
    fn open_and_shorten(
        path: &Path,
        header: &Header,
        shorten_from: u64,
    ) -> Result<(Self, HashMap<PathBuf, DocumentProgress>), Error> {
        let cannot = |what: &str, error| {
            Error::io(format_args!("cannot {what} the journal {}", path.display()), error)
        };
        let mut options = File::options();
        let mut file = options
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .map_err(|error| cannot("open", error).advise("Choose a path in a writable directory"))?;
        if !file.metadata().is_ok_and(|found| found.is_file()) {
            return Err(Error::config(format!("the journal {} is not a regular file", path.display()))
                .advise("Choose the path of an earlier journal or a new path"));
        }
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(Error::config(format!(
                    "the journal {} is in use by another batch",
                    path.display()
                ))
                .advise("Wait for that batch, or choose another journal for this one"));
            }
            Err(TryLockError::Error(error)) => {
                tracing::warn!(%error, "the journal cannot be locked on this file system: a second batch could use it at the same time");
            }
        }
        let (progress, length) = read(&file, path, header)?;
        // If the process of an earlier run was killed while it wrote a line, the line is incomplete, and its step has
        // had no effect yet: the line is removed.
        file.set_len(length).map_err(|error| cannot("write", error))?;
        let mut replaced = None;
        if length >= shorten_from {
            match compact::shortened(path, length, &progress) {
                // The replaced file stays locked, for a process that has opened it before it was replaced.
                Ok(Some(shorter)) => replaced = Some(std::mem::replace(&mut file, shorter)),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "the journal cannot be shortened"),
            }
        }
        write(&mut file, &line(header)).map_err(|error| cannot("write", error))?;
        synchronize_directory(path).map_err(|error| cannot("write", error))?;
        let (sender, entries) = mpsc::channel();
        let (path, broken) = (path.to_owned(), Arc::<AtomicBool>::default());
        let is_broken = Arc::clone(&broken);
        let work = move || {
            write_entries(file, &path, &entries, &is_broken);
            drop(replaced);
        };
        let thread = signals::spawn("recto-journal", work)
            .map_err(|error| Error::io("cannot start the thread of the journal", error))?;
        let journal =
            Self { sender: Some(sender), thread: Some(thread), broken, process: std::process::id() };
        Ok((journal, progress))
    }

    /// Writes a step, and returns when the step is on disk.
    pub(super) fn write(&self, item: &Path, step: Step) -> Result<(), Error> {
        let Some(sender) = &self.sender else { return Ok(()) };
        let (written, is_written) = mpsc::sync_channel(1);
        let entry = Entry { line: line(&Line { item: item.to_owned(), step }), written };
        let gone = || Error::config("the journal is closed");
        sender.send(entry).map_err(|_| gone())?;
        is_written.recv().map_err(|_| gone())?
    }

    /// Whether a line could not be written.
    pub(super) fn is_broken(&self) -> bool {
        self.broken.load(Ordering::Acquire)
    }

    /// Whether the journal is written to a file.
    pub(super) fn is_kept(&self) -> bool {
        self.sender.is_some()
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        let (sender, thread) = (self.sender.take(), self.thread.take());
        if self.process != std::process::id() {
            // In a forked child process the thread does not exist: waiting for it would never end.
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
    // The value consists of strings and numbers: serializing it cannot fail.
    let mut line = serde_json::to_vec(value).unwrap_or_default();
    line.push(b'\n');
    line
}

/// The thread of the journal. Entries that arrive at the same time are written together, and synchronized to disk
/// once.
fn write_entries(mut file: File, path: &Path, entries: &Receiver<Entry>, is_broken: &AtomicBool) {
    let mut broken: Option<Error> = None;
    while let Ok(first) = entries.recv() {
        let together: Vec<_> = std::iter::once(first).chain(entries.try_iter()).collect();
        let lines: Vec<u8> = together.iter().flat_map(|entry| entry.line.iter().copied()).collect();
        if broken.is_none()
            && let Err(error) = write(&mut file, &lines)
        {
            // After an error, the last line of the journal may be incomplete: no further line is written.
            let error = Error::io(format_args!("cannot write the journal {}", path.display()), error);
            is_broken.store(true, Ordering::Release);
            broken = Some(error.advise("Make space on the disk, and run the batch again to resume it"));
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

/// Reads the complete lines of a journal. Returns the progress of the documents, and the total length of these lines.
pub(super) fn read(
    file: impl Read,
    path: &Path,
    header: &Header,
) -> Result<(HashMap<PathBuf, DocumentProgress>, u64), Error> {
    let damaged = |number: usize, why: &str| {
        Error::config(format!("invalid journal {}: line {number} {why}", path.display()))
            .advise("Choose a journal of an earlier batch, or a new path")
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
            // An incomplete last line is removed only if the file is a journal: a file of any other kind must not be
            // changed.
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
                    return Err(error
                        .advise("Choose another journal for this batch, or run it with the same settings"));
                }
                end_embedded(&mut progress, last.as_ref(), &found);
                last = Some(found);
            }
            Ok(Known::Line(line)) if last.is_some() => {
                progress.entry(line.item).or_default().apply(line.step);
            }
            _ => return Err(damaged(number, "was not written by a batch")),
        }
        length += read as u64;
    }
    end_embedded(&mut progress, last.as_ref(), header);
    progress.retain(|_, progress| !progress.set_aside);
    Ok((progress, length))
}

/// Removes the progress that depended on an embedded service: the service and its files end with the run.
fn end_embedded(progress: &mut HashMap<PathBuf, DocumentProgress>, before: Option<&Header>, after: &Header) {
    if let Some(Header { service: service @ Service::Embedded(_), .. }) = before
        && *service != after.service
    {
        progress.values_mut().for_each(DocumentProgress::without_service);
    }
}

/// Synchronizes the directory of a new file: otherwise a crash could remove the file again.
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

    fn remote() -> Header {
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
        let (journal, progress) = Journal::open(&path, &remote()).unwrap();
        assert!(progress.is_empty());
        journal.write("/a".as_ref(), started("1")).unwrap();
        journal.write("/b".as_ref(), started("2")).unwrap();
        drop(journal);
        let whole = std::fs::read(&path).unwrap();
        for end in whole.len() - 20..whole.len() {
            std::fs::write(&path, &whole[..end]).unwrap();
            let (journal, progress) = Journal::open(&path, &remote()).unwrap();
            assert_eq!((id_of(&progress, "/a"), id_of(&progress, "/b")), (Some("1"), None));
            drop(journal);
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(
                text.ends_with('\n') && text.lines().all(|line| line.starts_with('{') && line.ends_with('}'))
            );
        }
    }

    #[test]
    fn a_journal_is_shortened_without_a_change_of_what_it_says() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        for number in 0..60 {
            let (journal, _) = Journal::open(&path, &remote()).unwrap();
            let item = PathBuf::from(format!("/in/{number}"));
            journal.write(&item, started(&number.to_string())).unwrap();
            if number % 20 != 0 {
                journal.write(&item, Step::SetAside { to: None }).unwrap();
            }
        }
        let before = std::fs::metadata(&path).unwrap().len();
        let (_, unshortened) = Journal::open(&path, &remote()).unwrap();
        let (journal, progress) = Journal::open_and_shorten(&path, &remote(), 1).unwrap();
        assert!(progress == unshortened && progress.len() == 3);
        assert!(std::fs::metadata(&path).unwrap().len() < before / 5);
        // The new file is locked and written to.
        assert!(Journal::open(&path, &remote()).unwrap_err().message().contains("in use"));
        journal.write("/in/new".as_ref(), started("new")).unwrap();
        drop(journal);
        let (_, again) = Journal::open(&path, &remote()).unwrap();
        assert_eq!((again.len(), id_of(&again, "/in/new")), (4, Some("new")));
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_with_an_invalid_line_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        drop(Journal::open(&path, &remote()).unwrap());
        let good = std::fs::read_to_string(&path).unwrap();
        for text in ["x\n".to_owned(), "x".to_owned(), format!("{good}x\n{good}"), format!("{{}}\n{good}")] {
            std::fs::write(&path, &text).unwrap();
            assert_eq!(Journal::open(&path, &remote()).unwrap_err().kind(), ErrorKind::Config, "{text}");
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
    }

    #[test]
    fn a_journal_belongs_to_one_operation_and_one_service_and_one_batch_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("j");
        let open = |header: &Header| Journal::open(&path, header);
        let journal = open(&remote()).unwrap();
        assert!(open(&remote()).unwrap_err().message().contains("in use"));
        drop(journal);
        for other in [
            header("encrypt", Service::At("http://h".into())),
            header("optimize", Service::At("http://other".into())),
            header("optimize", Service::Embedded("http://h".into())),
            Header { options: json!({"profile": "web"}), ..remote() },
        ] {
            assert_eq!(open(&other).unwrap_err().kind(), ErrorKind::Config);
        }
        assert!(open(&remote()).is_ok());
    }

    #[test]
    fn files_of_an_embedded_service_are_forgotten_after_its_run() {
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
    fn a_full_disk_is_reported_to_every_waiting_writer() {
        let (sender, entries) = mpsc::channel();
        let full = File::options().write(true).open("/dev/full").unwrap();
        let broken = Arc::<AtomicBool>::default();
        let is_broken = Arc::clone(&broken);
        let thread = std::thread::spawn(move || write_entries(full, "full".as_ref(), &entries, &is_broken));
        let process = std::process::id();
        let journal = Journal { sender: Some(sender), thread: Some(thread), broken, process };
        for _ in 0..2 {
            assert_eq!(journal.write("/a".as_ref(), Step::Deleted).unwrap_err().kind(), ErrorKind::Io);
            assert!(journal.is_broken());
        }
    }
}
