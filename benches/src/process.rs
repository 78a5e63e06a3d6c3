//! The memory and the processor time of this process, and the time that other processes take.

use std::io;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The resident memory of this process now, in bytes. Returns 0 if `/proc/self/status` cannot be read.
pub fn resident() -> u64 {
    status("VmRSS:")
}

/// The peak of the resident memory, in bytes, since this process started or since the last [`forget_peak`]. Returns 0
/// if `/proc/self/status` cannot be read.
pub fn peak() -> u64 {
    status("VmHWM:")
}

/// Resets the value of [`peak`].
///
/// # Errors
/// If `/proc/self/clear_refs` cannot be written. [`peak`] then remains the peak since the process started.
pub fn forget_peak() -> io::Result<()> {
    std::fs::write("/proc/self/clear_refs", "5")
}

fn status(line: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kilobytes = status
        .lines()
        .find_map(|found| found.strip_prefix(line)?.trim().strip_suffix(" kB")?.trim().parse().ok());
    kilobytes.map_or(0, |kilobytes: u64| kilobytes * 1024)
}

/// The processor time of this thread in seconds, from `/proc/thread-self/schedstat`.
///
/// # Errors
/// If the kernel does not provide the processor time.
pub fn thread_seconds() -> io::Result<f64> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = counts.split_whitespace().next().and_then(|count| count.parse::<f64>().ok());
    Ok(nanoseconds.ok_or(io::ErrorKind::InvalidData)? / 1e9)
}

/// The processor time of all threads of this process in seconds, from `/proc/self/stat`, in steps of 0.01 s.
///
/// # Errors
/// If the kernel does not provide the processor time.
pub fn processor_seconds() -> io::Result<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let fields = std::fs::read_to_string("/proc/self/stat")?;
    // The program name, in parentheses, can contain spaces: split after it. Field 14 is user time, 15 is system time.
    let after_name = fields.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: Vec<f64> =
        after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    match ticks.as_slice() {
        [user, system] => Ok((user + system) / TICKS_PER_SECOND),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Runs a command to its end. Returns the time that it took, in seconds, and its standard output.
///
/// # Errors
/// If the command cannot be started, or fails. The error of a command that fails contains its standard error.
pub fn timed(command: &mut Command) -> io::Result<(f64, String)> {
    let began = Instant::now();
    let output = command.stdin(Stdio::null()).output()?;
    let seconds = began.elapsed().as_secs_f64();
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(io::Error::other(format!("{command:?}: {}: {said}", output.status)));
    }
    Ok((seconds, String::from_utf8_lossy(&output.stdout).into_owned()))
}
