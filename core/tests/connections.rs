//! Tests of idle connections: they are used again, and closed when nobody needs them, also if no call is made.
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

use recto::{Call, Client, FileId};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

const BODY: &str = "{\"id\":\"1\"}";

/// All calls of a process share their drivers, and with them the connections: one test runs at a time.
fn alone() -> MutexGuard<'static, ()> {
    static RUNNING: Mutex<()> = Mutex::new(());
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reads one request.
fn read_request(stream: &mut TcpStream) {
    let (mut request, mut byte) = (Vec::new(), [0]);
    while !request.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        request.push(byte[0]);
    }
}

fn respond(stream: &mut TcpStream) {
    let length = BODY.len();
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n{BODY}").unwrap();
}

/// Waits until the client closes the connection.
fn wait_for_close(mut stream: TcpStream) {
    stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    assert_eq!(stream.read(&mut [0]).unwrap(), 0, "the client has sent something");
}

/// A server that passes on each connection.
fn server() -> (Client, Receiver<TcpStream>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, connections) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            if sender.send(stream.unwrap()).is_err() {
                return;
            }
        }
    });
    let client = Client::builder().base_url(format!("http://{address}")).no_proxy().build().unwrap();
    (client, connections)
}

fn get(client: &Client) {
    assert_eq!(client.files().get(&FileId::new("1"), &Call::new()).unwrap().id, "1");
}

#[test]
fn calls_one_after_the_other_use_one_connection() {
    let _alone = alone();
    let (client, connections) = server();
    let calls = std::thread::spawn(move || (0..20).for_each(|_| get(&client)));
    let mut only = connections.recv().unwrap();
    for _ in 0..20 {
        read_request(&mut only);
        respond(&mut only);
    }
    calls.join().unwrap();
    assert!(connections.try_recv().is_err());
}

#[test]
fn calls_at_the_same_time_use_connections_of_their_own_and_use_them_again() {
    const THREADS: usize = 4;
    let _alone = alone();
    let (client, connections) = server();
    let begin = Barrier::new(THREADS);
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..5 {
                    begin.wait();
                    get(&client);
                }
            });
        }
        let mut all: Vec<_> = (0..THREADS).map(|_| connections.recv().unwrap()).collect();
        for _ in 0..5 {
            all.iter_mut().for_each(read_request);
            all.iter_mut().for_each(respond);
        }
    });
    assert!(connections.try_recv().is_err());
}

#[test]
fn a_connection_that_the_server_closes_is_closed_although_there_is_no_call() {
    let _alone = alone();
    let (client, connections) = server();
    std::thread::scope(|scope| {
        scope.spawn(|| get(&client));
        let mut stream = connections.recv().unwrap();
        read_request(&mut stream);
        respond(&mut stream);
        stream.shutdown(Shutdown::Write).unwrap();
        wait_for_close(stream);
        // The next call opens another connection.
        scope.spawn(|| get(&client));
        let mut stream = connections.recv().unwrap();
        read_request(&mut stream);
        respond(&mut stream);
    });
}

#[test]
fn the_connections_of_a_dropped_client_are_closed_although_there_is_no_call() {
    let _alone = alone();
    let (client, connections) = server();
    let call = std::thread::spawn(move || get(&client));
    let mut stream = connections.recv().unwrap();
    read_request(&mut stream);
    respond(&mut stream);
    call.join().unwrap();
    wait_for_close(stream);
}
