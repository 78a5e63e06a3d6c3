//! Tests that a client that was used before a fork also works after the fork, in the parent and in the child process.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a failing helper fails its test")]

mod support;

use recto::{Call, Client, FileId};
use support::{Reply, Server};

#[test]
fn a_forked_child_uses_the_client_of_its_parent_and_leaves_the_parents_connections_alone() {
    let api =
        Server::start(|request, _| Reply::json(200, format!("{{\"id\":\"{}\"}}", &request.target[10..])));
    let client = Client::builder().base_url(api.url()).no_proxy().build().unwrap();
    let get = |id: &str| client.files().get(&FileId::new(id), &Call::new()).map(|record| record.id);
    assert_eq!(get("before").unwrap(), "before");

    for round in 0..3 {
        // SAFETY: the child process only makes requests and ends with `_exit`. The allocator of the C library works
        // after a fork, and no other thread holds a lock of this crate.
        let child = unsafe { libc::fork() };
        assert!(child >= 0);
        if child == 0 {
            let done = get("child").is_ok_and(|id| id == "child") && get("child2").is_ok();
            drop(client.clone());
            // SAFETY: `_exit` ends the child process without running the exit code of the test harness.
            unsafe { libc::_exit(if done { 0 } else { 1 }) };
        }
        assert_eq!(get("parent").unwrap(), "parent");
        let mut status = 0;
        // SAFETY: the call waits for the child process that was created above; `status` outlives the call.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "round {round}: the child failed or was killed");
        assert_eq!(get("after").unwrap(), "after");
    }
    assert_eq!(api.seen().len(), 1 + 3 * 4);
}
