//! The root folder of a worker that starts programs. It contains only the files that the programs need, mounted
//! read-only, and scratch space of a fixed size in memory. All other files, and the sockets in other folders, do not
//! exist for the worker: neither Landlock nor seccomp can prevent connections to such sockets.

use super::system_paths::{READABLE, READABLE_DEVICES, WRITABLE_DEVICES, WRITABLE_FOLDERS};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::statvfs::{FsFlags, statvfs};
use nix::unistd::pivot_root;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{DirBuilderExt as _, symlink};
use std::path::{Component, Path, PathBuf};

/// The size of the root folder. It contains only folders, links, and empty files as mount points.
const ROOT_BYTES: u64 = 4 << 20;

/// The maximum number of files and folders in the scratch space.
const SCRATCH_FILES: u32 = 100_000;

/// The maximum number of links in a path, as in the kernel.
const MAX_LINKS: u32 = 40;

const NONE: Option<&str> = None;

/// Replaces the root folder of this process, which must have its own mount namespace. `directory` remains the folder of
/// the worker, but is now empty and in memory. Together with `/tmp` and `/run`, it has room for `scratch_bytes`. The
/// folders `installed` remain readable.
pub(super) fn replace(directory: &Path, installed: &[PathBuf], scratch_bytes: u64) -> Result<(), String> {
    try_replace(directory, installed, scratch_bytes).map_err(|error| format!("mounts: {error}"))
}

fn try_replace(directory: &Path, installed: &[PathBuf], scratch_bytes: u64) -> io::Result<()> {
    // With this setting, the mounts of this process are not visible to other processes.
    mount(NONE, "/", NONE, MsFlags::MS_REC | MsFlags::MS_PRIVATE, NONE)?;
    // The new root folder is mounted over the worker's own folder: this folder certainly exists, and is not used.
    let mut root = NewRoot { root: directory.canonicalize()?, shown: Vec::new() };
    mount_memory(&root.root, &format!("size={ROOT_BYTES},mode=0755"), MsFlags::empty())?;
    let covered = |path: &&Path| WRITABLE_FOLDERS.iter().any(|folder| path.starts_with(folder));
    let installed = || installed.iter().map(PathBuf::as_path);
    root.show_all(READABLE.iter().map(Path::new).chain(installed().filter(|path| !covered(path))))?;
    root.show_processes()?;
    root.add_scratch(directory, scratch_bytes)?;
    root.show_all(installed().filter(covered))?;
    root.make_read_only()?;
    for path in READABLE_DEVICES.iter().chain(WRITABLE_DEVICES) {
        root.show(Path::new(path), 0)?;
    }
    root.enter()?;
    std::env::set_current_dir(directory)
}

/// A root folder that is not yet the root folder of this process.
struct NewRoot {
    root: PathBuf,
    /// The real paths of the folders and files that are already in the new root folder.
    shown: Vec<PathBuf>,
}

impl NewRoot {
    /// Where the file with the absolute path `path` is in the new root folder.
    fn place(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Makes all `paths` that exist visible. Folders come before the folders below them, and before the links to them.
    fn show_all<'a>(&mut self, paths: impl Iterator<Item = &'a Path>) -> io::Result<()> {
        let mut paths: Vec<(bool, usize, &Path)> = paths
            .map(|path| {
                let real = path.canonicalize().is_ok_and(|real| real == path);
                (!real, path.components().count(), path)
            })
            .collect();
        paths.sort();
        paths.into_iter().try_for_each(|(_, _, path)| self.show(path, 0))
    }

    /// Makes `path` visible at the same place in the new root folder. If a part of the path is a link, makes the link
    /// and the file that it leads to visible. Does nothing if `path` does not exist.
    fn show(&mut self, path: &Path, links: u32) -> io::Result<()> {
        if self.shown.iter().any(|shown| path.starts_with(shown)) || !path.exists() || links > MAX_LINKS {
            return Ok(());
        }
        let link = path.ancestors().filter(|part| part.is_symlink()).last();
        if let Some(link) = link {
            let (to, place) = (fs::read_link(link)?, self.place(link));
            make_folders(place.parent().unwrap_or(&self.root))?;
            if place.symlink_metadata().is_err() {
                symlink(&to, &place)?;
            }
            let folder = link.parent().unwrap_or(Path::new("/"));
            let rest = path.strip_prefix(link).unwrap_or(Path::new(""));
            return self.show(&without_dots(&folder.join(to).join(rest)), links + 1);
        }
        let place = self.place(path);
        if path.is_dir() {
            make_folders(&place)?;
        } else {
            make_folders(place.parent().unwrap_or(&self.root))?;
            File::create(&place)?;
        }
        self.shown.push(path.to_owned());
        // The mounts below `path` are included: without them, the files that they hide would be visible, and the kernel
        // refuses this.
        Ok(mount(Some(path), &place, NONE, MsFlags::MS_BIND | MsFlags::MS_REC, NONE)?)
    }

    /// Shows the processes of the worker in `/proc`. If the system does not allow this, shows the `/proc` of the
    /// system, whose files Landlock protects. Programs find their libraries with `/proc/self/exe`.
    fn show_processes(&mut self) -> io::Result<()> {
        let place = self.place(Path::new("/proc"));
        make_folders(&place)?;
        let flags = MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV | MsFlags::MS_NOEXEC;
        mount(Some("proc"), &place, Some("proc"), flags, NONE)
            .map_err(io::Error::from)
            .or_else(|_| self.show(Path::new("/proc"), 0))
    }

    /// Adds the folders that programs can write to: parts of one file system in memory.
    fn add_scratch(&self, directory: &Path, bytes: u64) -> io::Result<()> {
        let scratch = self.place(Path::new("/scratch"));
        make_folders(&scratch)?;
        let options = format!("size={bytes},nr_inodes={SCRATCH_FILES},mode=0700");
        mount_memory(&scratch, &options, MsFlags::MS_NOEXEC)?;
        for (number, folder) in WRITABLE_FOLDERS.iter().map(Path::new).chain([directory]).enumerate() {
            let (part, place) = (scratch.join(number.to_string()), self.place(folder));
            make_folders(&part)?;
            make_folders(&place)?;
            mount(Some(&part), &place, NONE, MsFlags::MS_BIND, NONE)?;
        }
        umount2(&scratch, MntFlags::MNT_DETACH)?;
        fs::remove_dir(&scratch)
    }

    /// Makes all mounts of the system's files read-only, and those below them.
    fn make_read_only(&self) -> io::Result<()> {
        for mounted in mounts_below(&self.root)? {
            let path = Path::new("/").join(mounted.strip_prefix(&self.root).unwrap_or(&mounted));
            if self.shown.iter().any(|shown| path.starts_with(shown)) {
                add_flags(&mounted, MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV)?;
            }
        }
        Ok(())
    }

    /// Makes this folder the root folder, and removes the previous one.
    fn enter(&self) -> io::Result<()> {
        std::env::set_current_dir(&self.root)?;
        // Both folders may be the same: the previous root folder is then mounted over the new one, see pivot_root(2).
        pivot_root(".", ".")?;
        umount2(".", MntFlags::MNT_DETACH)?;
        add_flags(Path::new("/"), MsFlags::MS_RDONLY | MsFlags::MS_NOSUID | MsFlags::MS_NODEV)
    }
}

fn mount_memory(place: &Path, options: &str, flags: MsFlags) -> io::Result<()> {
    let flags = flags | MsFlags::MS_NOSUID | MsFlags::MS_NODEV;
    Ok(mount(Some("tmpfs"), place, Some("tmpfs"), flags, Some(options))?)
}

/// Creates private folders.
fn make_folders(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o755).create(path)
}

/// Adds `flags` to the flags of a mount. The kernel may not allow to remove the present flags.
fn add_flags(place: &Path, flags: MsFlags) -> io::Result<()> {
    let present = statvfs(place)?.flags();
    let kept = [
        (FsFlags::ST_RDONLY, MsFlags::MS_RDONLY),
        (FsFlags::ST_NOSUID, MsFlags::MS_NOSUID),
        (FsFlags::ST_NODEV, MsFlags::MS_NODEV),
        (FsFlags::ST_NOEXEC, MsFlags::MS_NOEXEC),
        (FsFlags::ST_NOATIME, MsFlags::MS_NOATIME),
        (FsFlags::ST_NODIRATIME, MsFlags::MS_NODIRATIME),
        (FsFlags::ST_RELATIME, MsFlags::MS_RELATIME),
    ];
    let kept = kept.into_iter().filter(|(flag, _)| present.contains(*flag)).map(|(_, flag)| flag);
    let flags = kept.fold(flags, |flags, flag| flags | flag);
    Ok(mount(NONE, place, NONE, MsFlags::MS_REMOUNT | MsFlags::MS_BIND | flags, NONE)?)
}

/// The mount points below `folder`, from the table in `/proc`: see proc_pid_mountinfo(5).
fn mounts_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let table = fs::read("/proc/self/mountinfo")?;
    let places =
        table.split(|byte| *byte == b'\n').filter_map(|line| line.split(|byte| *byte == b' ').nth(4));
    let below = |place: &PathBuf| place.starts_with(folder) && place != folder;
    Ok(places.map(unescaped).filter(below).collect())
}

/// A path in the table of mounts, in which white space and backslashes are three octal digits.
fn unescaped(place: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(place.len());
    let mut rest = place;
    while let Some((first, after)) = rest.split_first() {
        let digits = after.get(..3).filter(|digits| digits.iter().all(|digit| (b'0'..=b'7').contains(digit)));
        let code = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 8).ok());
        match code.filter(|_| *first == b'\\') {
            Some(code) => {
                bytes.push(code);
                rest = after.get(3..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    OsString::from_vec(bytes).into()
}

/// An absolute path without `.` and `..`. Only the last part of the path may contain links.
fn without_dots(path: &Path) -> PathBuf {
    let mut clean = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                clean.pop();
            }
            Component::Normal(name) => clean.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_in_the_table_of_mounts_are_decoded() {
        assert_eq!(unescaped(br"/a\040b\134c"), Path::new(r"/a b\c"));
        assert_eq!(unescaped(br"/a\04"), Path::new(r"/a\04"));
        assert_eq!(unescaped(br"\777\"), Path::new(r"\777\"));
    }

    #[test]
    fn links_are_followed_without_dots() {
        assert_eq!(without_dots(Path::new("/usr/bin/../lib/./x")), Path::new("/usr/lib/x"));
        assert_eq!(without_dots(Path::new("/../../x")), Path::new("/x"));
    }
}
