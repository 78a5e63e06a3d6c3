//! Measures uploads and downloads of large files: the growth of memory, and the throughput compared with curl.
//!
//!     cargo run --release -p recto-benches --bin transfers -- [RUNS]
//!
//! Every time is the time of a whole process that makes one transfer on loopback. Recto and curl run alternately.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout)]

use recto::{Call, Client, Source};
use recto_benches::{process, server, spread::Spread};
use recto_interface::options::OptimizeOptions;
use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::process::Command;

const MIB: u64 = 1 << 20;
type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["upload", base_url, path] => upload(base_url, path),
        ["download", base_url, path] => download(base_url, path),
        [] => compare(5),
        [runs] => compare(runs.parse()?),
        _ => Err("usage: transfers [RUNS]".into()),
    }
}

fn compare(runs: usize) -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    println!("| transfer | recto seconds | curl seconds | throughput, recto / curl | memory growth, MiB |");
    println!("|---|---|---|---|---|");
    for (size, runs) in [(256 * MIB, runs), (4096 * MIB, runs.div_ceil(3))] {
        let base_url = format!("http://{}", server::start(size)?);
        let source = folder.path().join("source.pdf");
        File::create(&source)?.set_len(size)?;
        let target = folder.path().join("target.pdf");
        for direction in ["upload", "download"] {
            let mut turns = Vec::new();
            let path = if direction == "upload" { &source } else { &target };
            // Read the file once before the first turn. Otherwise only the first program would read it from the disk.
            std::io::copy(&mut File::open(&source)?, &mut std::io::sink())?;
            for run in 0..runs {
                let ours = || -> Outcome<(f64, f64)> {
                    settle(&target)?;
                    let mut command = Command::new(std::env::current_exe()?);
                    let (seconds, said) = process::timed(command.arg(direction).arg(&base_url).arg(path))?;
                    Ok((seconds, said.trim().parse::<f64>()?))
                };
                let theirs = || -> Outcome<f64> {
                    settle(&target)?;
                    curl(direction, &base_url, path)
                };
                let ((ours, growth), theirs) = if run % 2 == 0 {
                    (ours()?, theirs()?)
                } else {
                    let theirs = theirs()?;
                    (ours()?, theirs)
                };
                turns.push((ours, theirs, growth));
            }
            println!(
                "| {direction} {} MiB | {} | {} | {} | {:.1} |",
                size / MIB,
                Spread::of(turns.iter().map(|turn| turn.0)),
                Spread::of(turns.iter().map(|turn| turn.1)),
                Spread::of(turns.iter().map(|turn| turn.1 / turn.0)),
                Spread::of(turns.iter().map(|turn| turn.2)),
            );
        }
    }
    Ok(())
}

/// Removes the file that the previous turn downloaded, and waits until all changes are on the disk.
fn settle(target: &Path) -> Outcome<()> {
    if target.exists() {
        std::fs::remove_file(target)?;
    }
    Ok(process::timed(&mut Command::new("sync")).map(drop)?)
}

fn curl(direction: &str, base_url: &str, path: &Path) -> Outcome<f64> {
    let mut command = Command::new("curl");
    command.args(["--silent", "--show-error", "--fail", "--noproxy", "*"]);
    match direction {
        "upload" => command
            .arg("--upload-file")
            .arg(path)
            .arg(format!("{base_url}/upload"))
            .args(["--output", "/dev/null"]),
        _ => command.arg("--output").arg(path).arg(format!("{base_url}/download")),
    };
    Ok(process::timed(&mut command)?.0)
}

fn upload(base_url: &str, path: &str) -> Outcome<()> {
    let client = warm(base_url)?;
    let growth = growth(|| Ok(client.files().upload(Source::path(path), &Call::new()).map(drop)?))?;
    println!("{growth}");
    Ok(())
}

fn download(base_url: &str, path: &str) -> Outcome<()> {
    let client = warm(base_url)?;
    let started =
        client.start(Source::bytes(&b"%PDF-1.7"[..], "a.pdf"), OptimizeOptions::default(), &Call::new())?;
    // The result of a resumed operation is requested at once, without an initial wait: curl does not wait either.
    let operation = client.resume(&started.token())?;
    let growth = growth(|| Ok(operation.save(path, &Call::new()).map(drop)?))?;
    println!("{growth}");
    Ok(())
}

/// A client that has already made one upload. Its runtime and its connection exist, so only the transfer that is
/// measured makes the memory grow.
fn warm(base_url: &str) -> Outcome<Client> {
    let client = Client::builder().base_url(base_url).no_proxy().build()?;
    client.files().upload(Source::bytes(&b"%PDF-1.7"[..], "a.pdf"), &Call::new())?;
    Ok(client)
}

/// Does `work` and returns the growth of memory in MiB: the peak during `work`, less the memory in use before.
fn growth(work: impl FnOnce() -> Outcome<()>) -> Outcome<f64> {
    let before = process::resident();
    process::forget_peak()?;
    work()?;
    Ok(process::peak().saturating_sub(before) as f64 / MIB as f64)
}
