//! Documents that are read from pipes: waiting for a writer can be cancelled and can time out.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Call, Cancel, Client, ErrorKind};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use support::{Reply, Server};

/// A named pipe in a new folder.
fn pipe() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("document.pdf");
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    (folder, path)
}

/// A service that takes an upload.
fn service() -> (Server, Client) {
    let port = std::sync::Arc::new(std::sync::OnceLock::new());
    let known = port.clone();
    let server = Server::start(move |request, _| match request.method.as_str() {
        "POST" => Reply::json(
            200,
            format!(r#"{{"fileId":"f","uploadUrl":"http://127.0.0.1:{}/put"}}"#, known.get().unwrap()),
        ),
        _ => Reply::status(200),
    });
    port.set(server.port).unwrap();
    let client = Client::builder().base_url(server.url()).build().unwrap();
    (server, client)
}

/// Writes `parts` to the pipe, with a pause before each part, as a slow program does.
fn writer(path: &Path, parts: &'static [&'static [u8]]) -> std::thread::JoinHandle<()> {
    let path = path.to_owned();
    std::thread::spawn(move || {
        let mut pipe = File::options().write(true).open(path).unwrap();
        for part in parts {
            std::thread::sleep(Duration::from_millis(60));
            pipe.write_all(part).unwrap();
        }
    })
}

#[test]
fn a_pipe_is_read_to_the_end_of_its_writer() {
    let (_folder, path) = pipe();
    let (server, client) = service();
    let writing = writer(&path, &[b"%PDF-1.7 ", b"slow ", b"end"]);
    client.files().upload(path.as_path(), &Call::new().timeout(Duration::from_secs(60))).unwrap();
    writing.join().unwrap();
    assert_eq!(server.seen()[1].body, b"%PDF-1.7 slow end");
}

#[test]
fn a_pipe_without_a_writer_can_be_cancelled() {
    let (_folder, path) = pipe();
    let (server, client) = service();
    let cancel = Cancel::new();
    let began = Instant::now();
    std::thread::scope(|scope| {
        let call = scope.spawn(|| client.files().upload(path.as_path(), &Call::new().cancel(&cancel)));
        std::thread::sleep(Duration::from_millis(100));
        cancel.trigger();
        assert_eq!(call.join().unwrap().unwrap_err().kind(), ErrorKind::Cancelled);
    });
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(server.seen().is_empty());
}

#[test]
fn a_pipe_without_a_writer_times_out() {
    let (_folder, path) = pipe();
    let (server, client) = service();
    let began = Instant::now();
    let call = Call::new().timeout(Duration::from_millis(200));
    let error = client.files().upload(path.as_path(), &call).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::RequestTimeout);
    assert!(error.to_string().contains("document.pdf"), "{error}");
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
    assert!(server.seen().is_empty());
}

/// A shell replaces `<(command)` by the path of a pipe without a name.
#[cfg(target_os = "linux")]
#[test]
fn a_pipe_without_a_name_is_read_also_if_its_writer_has_ended() {
    use std::os::fd::AsRawFd;
    for content in [&b"%PDF-1.7"[..], b""] {
        let (server, client) = service();
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(content).unwrap();
        drop(writer);
        let path = PathBuf::from(format!("/proc/self/fd/{}", reader.as_raw_fd()));
        let call = Call::new().timeout(Duration::from_secs(60));
        client.files().upload(path.as_path(), &call).unwrap();
        assert_eq!(server.seen()[1].body, content);
    }
}
