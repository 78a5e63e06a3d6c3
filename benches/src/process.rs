//! This process's memory and processor time, and other processes' time.

use std::io;
use std::process::{Command, Stdio};
use std::time::Instant;

/// Bytes of memory that this process holds now, from `/proc/self/status`.
pub fn resident() -> u64 {
    status("VmRSS:")
}

/// The most bytes of memory that this process has held since it began, or since [`forget_peak`].
pub fn peak() -> u64 {
    status("VmHWM:")
}

/// Begins a new count of [`peak`].
///
/// # Errors
/// Where `/proc/self/clear_refs` cannot be written: the peak would then be that of the whole process.
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

/// The seconds of processor time that this thread has taken, from `/proc/thread-self/schedstat`.
///
/// # Errors
/// Where the kernel does not count them.
pub fn thread_seconds() -> io::Result<f64> {
    let counts = std::fs::read_to_string("/proc/thread-self/schedstat")?;
    let nanoseconds = counts.split_whitespace().next().and_then(|count| count.parse::<f64>().ok());
    Ok(nanoseconds.ok_or(io::ErrorKind::InvalidData)? / 1e9)
}

/// The seconds of processor time that all threads of this process have taken, from `/proc/self/stat`: to a hundredth.
///
/// # Errors
/// Where the kernel does not count them.
pub fn processor_seconds() -> io::Result<f64> {
    const TICKS_PER_SECOND: f64 = 100.0;
    let fields = std::fs::read_to_string("/proc/self/stat")?;
    // The name of the program, in parentheses, may hold spaces; user and system time are the 14th and 15th field.
    let after_name = fields.rsplit_once(')').map_or("", |(_, after)| after);
    let ticks: Vec<f64> =
        after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    match ticks.as_slice() {
        [user, system] => Ok((user + system) / TICKS_PER_SECOND),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}

/// Runs a command to its end and returns the seconds it took and what it printed.
///
/// # Errors
/// When it cannot be started, or fails: with what it said.
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
