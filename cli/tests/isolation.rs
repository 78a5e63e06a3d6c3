//! Worker processes: a failure in a worker fails only one operation, and leaves no process and no file behind.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)] // tests state what they expect
#![cfg(all(unix, feature = "local"))]

#[path = "../../service/tests/support/mod.rs"]
mod support;

use recto_engine::Limits;
use recto_service::{Isolation, IsolationMode, LocalService, LocalServiceBuilder, WorkerProgram};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::{Api, JSON, send};

const RECTO: &str = env!("CARGO_BIN_EXE_recto");
const OPTIMIZE: &str = "/v1/operations/optimize";
const DOC: &str = "/v1/operations/convert/doc-to-pdf";
const PNG: &str = "/v1/operations/convert/pdf-to-png";

fn isolation() -> Isolation {
    Isolation { program: Some(WorkerProgram::recto(RECTO)), memory: 512 << 20, ..Isolation::default() }
}

fn limits() -> Limits {
    Limits { time: Duration::from_secs(3), output_bytes: 32 << 20, ..Limits::default() }
}

fn builder() -> LocalServiceBuilder {
    LocalService::builder().workers(2).test_controls(true).isolation(isolation()).engine_limits(limits())
}

/// A document of `pages` empty pages.
fn pdf(pages: usize) -> Vec<u8> {
    let kids: Vec<String> = (0..pages).map(|page| format!("{} 0 R", page + 3)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Count {pages}/Kids[{}]>>", kids.join(" ")),
    ];
    objects.extend((0..pages).map(|_| "<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 300]>>".to_owned()));
    let mut bytes = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (number, object) in objects.iter().enumerate() {
        places.push(bytes.len());
        bytes.extend(format!("{} 0 obj\n{object}\nendobj\n", number + 1).bytes());
    }
    let start = bytes.len();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
    for place in &places {
        table.push_str(&format!("{place:010} 00000 n \n"));
    }
    table.push_str(&format!(
        "trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n",
        places.len() + 1
    ));
    bytes.extend(table.bytes());
    bytes
}

fn fail_next(api: &Api<'_>, faults: &Value) {
    let body = json!({ "faults": faults }).to_string();
    assert_eq!(api.send("PUT", "/test/controls", &[JSON], body.as_bytes()).status, 200);
}

/// Starts an operation. If the test has requested faults, the worker of this operation causes the next of them.
fn start(api: &Api<'_>) -> String {
    start_at(api, PNG)
}

fn start_at(api: &Api<'_>, path: &str) -> String {
    let file = api.upload(if path == DOC { "a.txt" } else { "a.pdf" }, &pdf(1));
    api.start(path, &json!({"input": {"fileId": file}}))
}

fn faults_left(api: &Api<'_>) -> usize {
    api.get("/test/controls").json()["faults"].as_array().unwrap().len()
}

fn start_faulty(api: &Api<'_>, fault: &str) -> String {
    start_faulty_at(api, fault, PNG)
}

fn start_faulty_at(api: &Api<'_>, fault: &str, path: &str) -> String {
    fail_next(api, &json!([fault]));
    let operation = start_at(api, path);
    wait_until("the fault is taken", || faults_left(api) == 0);
    operation
}

fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let until = Instant::now() + Duration::from_secs(20);
    while !condition() {
        assert!(Instant::now() < until, "timed out: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn assert_works(api: &Api<'_>) {
    let result = api.result(&start(api), 30).json();
    assert_eq!(result["operationStatus"], "finished", "{result}");
    let image = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body;
    assert!(image.starts_with(b"\x89PNG"), "{:?}", &image[..image.len().min(8)]);
}

#[test]
fn a_failure_in_a_worker_fails_only_one_operation() {
    let service = builder().start().unwrap();
    let api = Api(&service);
    for (fault, path, code, words) in [
        ("abort", PNG, "worker_crashed", "SIGABRT"),
        ("exit", PNG, "worker_crashed", "exit status: 0"),
        ("recurse", PNG, "worker_crashed", "SIG"),
        ("memory", PNG, "limit_exceeded", "memory"),
        ("chatter", PNG, "worker_crashed", "invalid reply"),
        ("swap", PNG, "worker_crashed", "wrote none"),
        ("swap", DOC, "worker_crashed", "wrote none"),
        ("output", PNG, "limit_exceeded", "output size"),
        // Only a worker that starts programs has a folder.
        ("files", PNG, "fault", "no folder"),
        ("shout", PNG, "limit_exceeded", "time"),
        ("hang", PNG, "limit_exceeded", "time: 3 s"),
        ("spin", PNG, "limit_exceeded", "time: 3 s"),
    ] {
        let began = Instant::now();
        let operation = start_faulty_at(&api, fault, path);
        // Other operations must succeed during the failure and after the failure.
        assert_works(&api);
        let result = api.result(&operation, 30).json();
        assert_eq!(result["operationStatus"], "failed", "{fault}: {result}");
        assert_eq!(result["error"]["code"], code, "{fault}: {result}");
        assert!(result["error"]["detail"].as_str().unwrap().contains(words), "{fault}: {result}");
        assert_works(&api);
        println!("{fault}: {:?}", began.elapsed());
    }
}

#[test]
fn processor_time_is_bounded() {
    let isolation = Isolation { cpu: Duration::from_secs(1), ..isolation() };
    let service = builder().isolation(isolation).engine_limits(Limits::default()).start().unwrap();
    let api = Api(&service);
    let result = api.result(&start_faulty(&api, "spin"), 30).json();
    assert_eq!(result["error"]["code"], "limit_exceeded", "{result}");
    assert!(result["error"]["detail"].as_str().unwrap().contains("processor time"), "{result}");
    assert_works(&api);
}

#[test]
fn a_worker_that_ignores_cancellation_is_ended() {
    let service = builder().engine_limits(Limits::default()).start().unwrap();
    let api = Api(&service);
    fail_next(&api, &json!(["hang"]));
    let file = api.upload("a.pdf", &pdf(1));
    let operation = api.start(PNG, &json!({"input": {"fileId": file}}));
    wait_until("the fault is taken", || faults_left(&api) == 0);
    let began = Instant::now();
    assert_eq!(api.send("DELETE", &format!("/v1/files/{file}"), &[], b"").status, 200);
    assert_eq!(api.result(&operation, 30).json()["error"]["code"], "cancelled");
    assert!(began.elapsed() < Duration::from_secs(5));
    assert_works(&api);
}

#[test]
#[cfg(target_os = "linux")]
fn a_worker_can_access_only_its_own_files() {
    let service = builder().start().unwrap();
    let api = Api(&service);
    let result = api.result(&start_faulty(&api, "probe"), 30).json();
    let report = result["error"]["detail"].as_str().unwrap();
    println!("{report}");
    // Line breaks of a worker's texts are escaped.
    let tried: HashMap<&str, &str> = report.split("\\n").filter_map(|line| line.split_once(": ")).collect();
    for what in ["listen", "connect", "connect out", "read", "list", "write", "write here", "run", "signal"] {
        let how = tried[what];
        assert!(how.contains("not permitted") || how.contains("denied"), "{what}: {how}");
    }
}

/// A worker without a sandbox, which has turned hostile: it tries to make the service write into the folder VICTIM.
/// After each operation it swaps every folder that it was given for a link to VICTIM. Its results are the reversed
/// inputs.
const HOSTILE: &str = r#"
import array, json, os, socket, struct, sys
channel = socket.socket(fileno=0)
descriptors = []
def read(size):
    global descriptors
    data = b""
    while len(data) < size:
        part, received, _, _ = socket.recv_fds(channel, size - len(data), 8)
        if not part:
            sys.exit()
        data += part
        descriptors += received
    return data
def reply(message):
    text = json.dumps(message).encode()
    os.write(1, struct.pack("<I", len(text)) + text)
def swap(path):
    if os.path.isdir(path) and not os.path.islink(path) and path != "/":
        os.rename(path, path + ".moved")
        os.symlink("VICTIM", path)
while True:
    name, = (message := json.loads(read(struct.unpack("<I", read(4))[0])))
    if name == "Sandbox":
        given = [message[name]["directory"], os.getcwd(), os.environ.get("TMPDIR")]
        lacking = [{"what": "no network", "why": "of this test"}] if os.path.exists("WEAK") else []
        reply({"Ready": {"version": "VERSION", "by": [], "lacking": lacking, "namespaces_unusable": False}})
    elif name == "Run":
        source, result = descriptors
        descriptors = []
        document = b""
        while part := os.read(source, 1 << 20):
            document += part
        try:
            os.write(source, b"changed")
            document = b"the input is writable"
        except OSError:
            pass
        os.pwrite(result, document[::-1], 0)
        for folder in filter(None, given):
            swap(folder)
        reply({"File": {"extension": "pdf", "notes": []}})
"#;

#[test]
#[cfg(target_os = "linux")]
fn a_hostile_worker_cannot_make_the_service_write_elsewhere() {
    let (home, victim) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let script = HOSTILE.replace("VICTIM", victim.path().to_str().unwrap());
    let script = script.replace("VERSION", env!("CARGO_PKG_VERSION"));
    fs::write(home.path().join("hostile.py"), script).unwrap();
    let program = WorkerProgram::new("/usr/bin/python3", [home.path().join("hostile.py")]);
    let isolation = Isolation { program: Some(program), ..isolation() };
    let service = builder().workers(1).data_dir(home.path()).isolation(isolation).start().unwrap();
    let api = Api(&service);
    for (number, path) in [PNG, PNG, DOC, PNG, DOC].into_iter().enumerate() {
        let document: Vec<u8> = (0..70_000).map(|byte| (byte % 251 + number) as u8).collect();
        let file = api.upload("a.pdf", &document);
        let result = api.result(&api.start(path, &json!({"input": {"fileId": file}})), 30).json();
        assert_eq!(result["operationStatus"], "finished", "{number}: {result}");
        let made = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body;
        let reversed: Vec<u8> = document.into_iter().rev().collect();
        assert!(made == reversed, "{number}: {} bytes", made.len());
    }
    let metrics = String::from_utf8(api.get("/metrics").body).unwrap();
    assert!(metrics.contains("recto_workers_started_total 3\n"), "{metrics}");
    assert_eq!(fs::read_dir(victim.path()).unwrap().count(), 0, "the service wrote into another folder");
}

#[test]
fn a_document_and_its_password_pass_through_a_worker() {
    let service = builder().start().unwrap();
    let api = Api(&service);
    let secret = "Geheimnis-4711";
    let run = |path: &str, document: &[u8], options: Value| {
        let file = api.upload("a.pdf", document);
        let result =
            api.result(&api.start(path, &json!({"input": {"fileId": file}, "options": options})), 30).json();
        assert_eq!(result["operationStatus"], "finished", "{result}");
        send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body
    };
    let locked = run("/v1/operations/encrypt", &pdf(3), json!({ "password": secret }));
    let file = api.upload("a.pdf", &locked);
    let refused = api.result(&api.start(OPTIMIZE, &json!({"input": {"fileId": file}})), 30).json();
    assert_eq!(refused["error"]["code"], "password_required");
    assert!(refused["error"]["detail"].as_str().unwrap().contains("decrypt"), "{refused}");
    assert!(run("/v1/operations/decrypt", &locked, json!({ "password": secret })).starts_with(b"%PDF"));
    // The secret is in neither the arguments nor the environment variables of a worker.
    for worker in descendants_of(std::process::id(), &[]).keys() {
        for part in ["cmdline", "environ"] {
            let seen = fs::read(format!("/proc/{worker}/{part}")).unwrap_or_default();
            assert!(!String::from_utf8_lossy(&seen).contains(secret));
        }
    }
}

#[test]
fn progress_is_reported_while_an_operation_runs() {
    let service = builder().engine_limits(Limits::default()).start().unwrap();
    let api = Api(&service);
    let file = api.upload("long.pdf", &pdf(400));
    let operation = api.start(PNG, &json!({"input": {"fileId": file}}));
    let mut seen = Vec::new();
    loop {
        let result = api.result(&operation, 0).json();
        if result["operationStatus"] != "inProgress" {
            assert_eq!(result["operationStatus"], "finished", "{result}");
            break;
        }
        if let Some(done) = result["progress"]["done"].as_u64() {
            assert_eq!(result["progress"]["total"], 400);
            seen.push(done);
        }
    }
    assert!(seen.is_sorted() && seen.last() > seen.first(), "{seen:?}");
}

#[test]
fn with_a_program_for_workers_no_document_is_processed_in_the_service() {
    let nowhere = Isolation { program: Some(WorkerProgram::recto("/nowhere/recto")), ..isolation() };
    for mode in [IsolationMode::Best, IsolationMode::Workers, IsolationMode::Strict] {
        let error =
            builder().isolation(Isolation { mode, ..nowhere.clone() }).start().unwrap_err().to_string();
        assert!(error.contains("/nowhere/recto") && error.contains("RECTO_WORKER"), "{error}");
    }
    for mode in [IsolationMode::Workers, IsolationMode::Strict] {
        let unknown = Isolation { mode, program: None, ..isolation() };
        let error = builder().isolation(unknown).start().unwrap_err().to_string();
        assert!(error.contains(mode.name()) && error.contains("`best`"), "{error}");
    }
    // `/bin/cat` stands for a program that is not a worker, and the script for a worker of another version.
    let home = tempfile::tempdir().unwrap();
    for (program, words) in [
        (WorkerProgram::new("/bin/cat", ["/dev/null"]), "another program"),
        (scripted_worker(home.path(), "0.0.0"), "another version"),
    ] {
        let service =
            builder().isolation(Isolation { program: Some(program), ..isolation() }).start().unwrap();
        let api = Api(&service);
        let began = Instant::now();
        let result = api.result(&start(&api), 30).json();
        assert_eq!(result["error"]["code"], "worker_unavailable", "{result}");
        assert!(result["error"]["detail"].as_str().unwrap().contains(words), "{result}");
        assert!(began.elapsed() < Duration::from_secs(15), "{:?}", began.elapsed());
    }
    // Without a program, or without isolation, the service processes documents itself.
    for none in
        [Isolation { mode: IsolationMode::None, ..nowhere }, Isolation { program: None, ..isolation() }]
    {
        assert_works(&Api(&builder().isolation(none).start().unwrap()));
    }
}

/// A program for workers that cannot start its threads the first `failures` times, and then is a worker.
fn failing_worker(home: &Path, failures: u32) -> WorkerProgram {
    let (script, count) = (home.join("worker.sh"), home.join("starts"));
    let text = format!(
        "echo x >> {count}\n[ $(wc -l < {count}) -gt {failures} ] || exit 3\nexec {RECTO} engine-worker\n",
        count = count.display()
    );
    fs::write(&script, text).unwrap();
    WorkerProgram::new("/bin/sh", [script])
}

#[test]
fn an_operation_waits_for_a_worker_that_cannot_be_started_for_a_passing_reason() {
    // Two failures are repeated within one attempt. After seven failures, the operation has returned to the queue.
    for failures in [2, 7] {
        let home = tempfile::tempdir().unwrap();
        let isolation = Isolation { program: Some(failing_worker(home.path(), failures)), ..isolation() };
        let service = builder().workers(1).isolation(isolation).start().unwrap();
        let api = Api(&service);
        let operation = start(&api);
        let result = api.result(&operation, 30).json();
        assert_eq!(result["operationStatus"], "finished", "{failures}: {result}");
        let metrics = String::from_utf8(api.get("/metrics").body).unwrap();
        assert!(metrics.contains(&format!("recto_workers_not_started_total {failures}\n")), "{metrics}");
        assert!(metrics.contains("recto_workers_started_total 1\n"), "{metrics}");
    }
}

#[test]
fn an_operation_fails_if_no_worker_can_be_started_for_too_long() {
    let home = tempfile::tempdir().unwrap();
    let start_time = Duration::from_secs(1);
    let program = Some(failing_worker(home.path(), u32::MAX));
    let service = builder().isolation(Isolation { program, start_time, ..isolation() }).start().unwrap();
    let api = Api(&service);
    let operation = start(&api);
    assert_eq!(api.result(&operation, 0).json()["operationStatus"], "inProgress");
    let result = api.result(&operation, 30).json();
    assert_eq!(result["error"]["code"], "worker_unavailable", "{result}");
    assert!(fs::read_to_string(home.path().join("starts")).unwrap().lines().count() > 5);
}

/// A worker that reverses documents, and lacks a protection as soon as the file `weak` exists.
fn scripted_worker(home: &Path, version: &str) -> WorkerProgram {
    let script = HOSTILE.replace("VERSION", version).replace("WEAK", home.join("weak").to_str().unwrap());
    fs::write(home.join("worker.py"), script).unwrap();
    WorkerProgram::new("/usr/bin/python3", [home.join("worker.py")])
}

#[test]
fn under_strict_a_later_worker_that_lacks_a_protection_is_refused() {
    for (mode, status) in [(IsolationMode::Strict, "failed"), (IsolationMode::Best, "finished")] {
        let home = tempfile::tempdir().unwrap();
        let program = Some(scripted_worker(home.path(), env!("CARGO_PKG_VERSION")));
        let isolation = Isolation { program, mode, operations_per_worker: 1, ..isolation() };
        let service = builder().workers(1).isolation(isolation).start().unwrap();
        let api = Api(&service);
        let result = api.result(&start(&api), 30).json();
        assert_eq!(result["operationStatus"], "finished", "{result}");
        fs::write(home.path().join("weak"), "").unwrap();
        // With `Strict`, the service has started one worker before the file existed, to check the sandbox.
        let results: Vec<Value> = (0..2).map(|_| api.result(&start(&api), 30).json()).collect();
        let last = &results[1];
        assert_eq!(last["operationStatus"], status, "{last}");
        if status == "failed" {
            assert_eq!(last["error"]["code"], "worker_unavailable", "{last}");
            assert!(last["error"]["detail"].as_str().unwrap().contains("lacks a protection"), "{last}");
        }
    }
}

/// Starts `recto serve` with limits of open files, opens `idle` connections without a key, and checks that the service
/// still responds, and still runs operations in workers.
#[cfg(target_os = "linux")]
fn check_with_idle_connections(soft: u32, hard: u32, idle: usize) {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let service = ServiceProcess::start_with(None, Some((soft, hard)));
    // The clients are in this process.
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    setrlimit(Resource::RLIMIT_NOFILE, most, most).unwrap();
    let address = service.base_url.trim_start_matches("http://");
    let connecting = Instant::now();
    let _idle: Vec<_> = (0..idle).map(|_| std::net::TcpStream::connect(address).unwrap()).collect();
    // A service that accepts no connection lets clients wait until their idle connections have timed out.
    assert!(connecting.elapsed() < Duration::from_secs(20), "{:?}", connecting.elapsed());
    let began = Instant::now();
    assert_eq!(send("GET", &format!("{}/health", service.base_url), &[], b"").status, 200);
    assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
    for _ in 0..4 {
        let result = service.result(&service.begin("a.pdf", &pdf(1), PNG));
        assert_eq!(result["operationStatus"], "finished", "{result}");
    }
    let url = format!("{}/metrics", service.base_url);
    let metrics = String::from_utf8(send("GET", &url, &[("X-Api-Key", &service.key)], b"").body).unwrap();
    assert!(!metrics.contains("recto_workers_started_total 0\n"), "{metrics}");
    assert!(metrics.contains("recto_workers_not_started_total 0\n"), "{metrics}");
    assert!(!service.descendants().is_empty());
}

#[test]
#[cfg(target_os = "linux")]
fn idle_connections_without_a_key_do_not_take_the_descriptors_of_workers() {
    check_with_idle_connections(256, 256, 400);
    check_with_idle_connections(1024, 1024, 1100);
}

#[test]
#[cfg(target_os = "linux")]
fn the_service_raises_its_descriptors_and_writes_no_core_dumps() {
    let service = ServiceProcess::start_with(None, Some((256, 900)));
    let limits = fs::read_to_string(format!("/proc/{}/limits", service.process.id())).unwrap();
    let limit = |name: &str| {
        let line = limits.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().rev().skip(1).take(2).map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(limit("Max open files"), ["900", "900"]);
    let core: Vec<_> = limits.lines().filter(|line| line.starts_with("Max core file size")).collect();
    assert!(core[0].split_whitespace().skip(4).take(2).all(|most| most == "0"), "{core:?}");
}

#[test]
fn a_worker_serves_many_operations_and_is_then_replaced() {
    let isolation = Isolation { operations_per_worker: 3, ..isolation() };
    let service = builder().workers(1).isolation(isolation).start().unwrap();
    let api = Api(&service);
    for (operations, workers) in [(3, 1), (3, 2)] {
        for _ in 0..operations {
            assert_works(&api);
        }
        let metrics = String::from_utf8(api.get("/metrics").body).unwrap();
        assert!(metrics.contains(&format!("recto_workers_started_total {workers}\n")), "{metrics}");
        assert!(metrics.contains("recto_workers_lost_total 0\n"), "{metrics}");
    }
}

/// A service that runs in its own process.
struct ServiceProcess {
    process: Child,
    base_url: String,
    key: String,
    directory: tempfile::TempDir,
}

impl ServiceProcess {
    fn start(path: Option<&Path>) -> Self {
        Self::start_with(path, None)
    }

    /// `open_files` are the soft and the hard limit of open files.
    fn start_with(path: Option<&Path>, open_files: Option<(u32, u32)>) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut command = Command::new("/bin/sh");
        let limit = open_files.map(|(soft, hard)| format!("ulimit -Sn {soft} && ulimit -Hn {hard} && "));
        command.args(["-c", &format!("{}exec \"$0\" \"$@\"", limit.unwrap_or_default()), RECTO]);
        command.args(["serve", "--test-controls", "--workers", "2"]).env("TMPDIR", directory.path());
        command.env_remove("RECTO_API_KEY").stdout(Stdio::piped());
        if open_files.is_some() {
            // Idle connections stay, unless the service closes them for new ones.
            command.env("RECTO_SERVE_FIRST_HEADER_TIME", "60s");
        }
        if let Some(path) = path {
            command.env("PATH", format!("{}:/usr/bin:/bin", path.display()));
        }
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map(Result::unwrap);
        let mut value = |name: &str| lines.next().unwrap().strip_prefix(name).unwrap().to_owned();
        let (base_url, key) = (value("RECTO_BASE_URL="), value("RECTO_API_KEY="));
        Self { process, base_url, key, directory }
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let url = if path.starts_with("http") { path.to_owned() } else { format!("{}{path}", self.base_url) };
        let answer = send(method, &url, &[("X-Api-Key", &self.key), JSON], body.to_string().as_bytes());
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()
    }

    fn begin(&self, name: &str, bytes: &[u8], path: &str) -> String {
        let ticket = self.send("POST", "/v1/files/upload/fromLocal", &json!({ "fileName": name }));
        let url = ticket["uploadUrl"].as_str().unwrap();
        assert_eq!(send("PUT", url, &[support::OCTETS], bytes).status, 200);
        let started = self.send("POST", path, &json!({"input": {"fileId": ticket["fileId"]}}));
        started["operationId"].as_str().unwrap().to_owned()
    }

    fn result(&self, operation: &str) -> Value {
        let url = format!("{}/v1/operations/{operation}/result", self.base_url);
        send("GET", &url, &[("X-Api-Key", &self.key), ("Prefer", "wait=30")], b"").json()
    }

    fn fail_next(&self, faults: &[&str]) {
        self.send("PUT", "/test/controls", &json!({ "faults": faults }));
    }

    fn descendants(&self) -> HashMap<u32, String> {
        descendants_of(self.process.id(), &[])
    }

    fn wait_for_faults(&self) {
        wait_until("the faults are taken", || {
            self.send("GET", "/test/controls", &json!({}))["faults"].as_array().unwrap().is_empty()
        });
    }
}

impl Drop for ServiceProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn signal(process: u32, signal: nix::sys::signal::Signal) {
    let process = nix::unistd::Pid::from_raw(process.try_into().unwrap());
    nix::sys::signal::kill(process, signal).unwrap();
}

/// The descendants of the process `parent`, without the watch of the folder: their process ids and their names.
fn descendants_of(parent: u32, known: &[(u32, u32, String)]) -> HashMap<u32, String> {
    let all = if known.is_empty() { processes() } else { known.to_vec() };
    let mut found = HashMap::new();
    for (process, its_parent, name) in &all {
        if *its_parent == parent && name != "recto-watch" {
            found.insert(*process, name.clone());
            found.extend(descendants_of(*process, &all));
        }
    }
    found
}

/// The id, parent and name of each running process.
fn processes() -> Vec<(u32, u32, String)> {
    let status = |entry: fs::DirEntry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let mut fields = rest.split_whitespace();
        (fields.next()? != "Z").then_some(())?;
        Some((process, fields.next()?.parse().ok()?, name.to_owned()))
    };
    fs::read_dir("/proc").unwrap().filter_map(|entry| status(entry.unwrap())).collect()
}

fn is_alive(process: u32) -> bool {
    processes().iter().any(|(other, _, _)| *other == process)
}

#[test]
#[cfg(target_os = "linux")]
fn workers_end_with_their_service_however_it_ends() {
    for end in [nix::sys::signal::Signal::SIGKILL, nix::sys::signal::Signal::SIGTERM] {
        let mut service = ServiceProcess::start(None);
        service.fail_next(&["hang", "spin"]);
        for _ in 0..2 {
            service.begin("a.pdf", &pdf(1), PNG);
        }
        service.wait_for_faults();
        wait_until("there are two workers", || service.descendants().len() == 2);
        let workers: Vec<u32> = service.descendants().into_keys().collect();
        signal(service.process.id(), end);
        service.process.wait().unwrap();
        wait_until("the workers are gone", || !workers.iter().any(|worker| is_alive(*worker)));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_killed_worker_fails_only_its_own_operation() {
    let service = ServiceProcess::start(None);
    service.fail_next(&["hang"]);
    service.begin("a.pdf", &pdf(1), PNG);
    service.wait_for_faults();
    let workers: Vec<u32> = service.descendants().into_keys().collect();
    for worker in &workers {
        signal(*worker, nix::sys::signal::Signal::SIGKILL);
    }
    wait_until("another worker waits", || {
        service.descendants().keys().any(|worker| !workers.contains(worker))
    });
    service.begin("b.pdf", &pdf(1), PNG);
    wait_until("the other one has a result", || {
        let files = service.send("GET", "/v1/files?onlyResultFiles=true", &json!({}));
        files["files"].as_array().unwrap().len() == 1
    });
}

/// Creates a folder that contains the script `script` as the program `soffice`.
fn office(script: &str) -> (tempfile::TempDir, PathBuf) {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("program");
    fs::create_dir(&folder).unwrap();
    let program = folder.join("soffice");
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    (home, folder)
}

/// Whether workers can use namespaces on this system. In most containers, workers cannot use namespaces.
fn has_namespaces() -> bool {
    isolation().probe().unwrap().unwrap().by.iter().any(|means| means == "namespaces")
}

/// Starts a service whose worker has started programs that never end. Returns the service, the folder of the program,
/// and all descendants of the service process. If namespaces are available, one of the programs has left its process
/// group and its parent process, so that only the end of the PID namespace ends this program.
fn with_running_programs() -> (ServiceProcess, tempfile::TempDir, HashMap<u32, String>) {
    let third = if has_namespaces() { "(setsid sleep 4713 &)" } else { "sleep 4713 &" };
    let (home, folder) = office(&format!("#!/bin/sh\n{third}\nsleep 4711 & sleep 4712\n"));
    let service = ServiceProcess::start(Some(&folder));
    service.begin("letter.txt", b"Dear reader", DOC);
    let sleeping = || service.descendants().values().filter(|name| *name == "sleep").count() == 3;
    wait_until("the program runs with its children", sleeping);
    let all = service.descendants();
    (service, home, all)
}

#[test]
#[cfg(target_os = "linux")]
fn programs_that_a_worker_started_end_with_the_service() {
    for end in [nix::sys::signal::Signal::SIGKILL, nix::sys::signal::Signal::SIGTERM] {
        let (mut service, _home, all) = with_running_programs();
        signal(service.process.id(), end);
        service.process.wait().unwrap();
        wait_until("they are gone", || !all.keys().any(|process| is_alive(*process)));
    }
}

#[test]
#[cfg(target_os = "linux")]
fn programs_that_a_worker_started_end_with_the_worker() {
    // The test kills the process that the service started (depth 1), and in another run the worker, which is a child of
    // that process (depth 2).
    for depth in [1, 2].into_iter().take(if has_namespaces() { 2 } else { 1 }) {
        let (service, _home, _) = with_running_programs();
        let children =
            |parent| processes().into_iter().filter(move |child| child.1 == parent).map(|child| child.0);
        let outer = children(service.process.id()).find(|child| children(*child).next().is_some()).unwrap();
        let all = descendants_of(outer, &[]);
        let worker = if depth == 1 { outer } else { children(outer).next().unwrap() };
        signal(worker, nix::sys::signal::Signal::SIGKILL);
        wait_until("they are gone", || !all.keys().any(|process| is_alive(*process)));
    }
}

/// A `soffice` that attempts forbidden actions, and appends the outcome of each action to its result document.
const CURIOUS: &str = r#"#!/usr/bin/python3
import os, socket, sys
folder = os.path.dirname(os.path.abspath(__file__))
outcomes = []
def attempt(what, do):
    try:
        do()
        outcomes.append(f"% {what}: allowed")
    except OSError as error:
        outcomes.append(f"% {what}: {error.strerror}")
attempt("connect", lambda: socket.create_connection(("127.0.0.1", PORT), 1))
attempt("read", lambda: open("SECRET").read())
attempt("passwords", lambda: open("/etc/passwd").read())
attempt("write", lambda: open("SECRET.new", "w"))
attempt("list", lambda: os.listdir("/"))
attempt("signal", lambda: os.kill(SERVICE, 0))
attempt("connect to a neighbour", lambda: socket.socket(socket.AF_UNIX).connect("SOCKET"))
attempt("write own", lambda: open("own", "w"))
attempt("make a socket", lambda: socket.socket(socket.AF_UNIX).bind("/tmp/recto-test-SERVICE"))
attempt("remove it", lambda: os.remove("/tmp/recto-test-SERVICE"))
result = sys.argv[sys.argv.index("--outdir") + 1]
os.mkdir(result)
with open(os.path.join(result, "document.pdf"), "wb") as made:
    made.write(open(os.path.join(folder, "page.pdf"), "rb").read() + "\n".join(outcomes).encode())
"#;

#[test]
#[cfg(target_os = "linux")]
fn programs_that_a_worker_starts_can_access_only_their_own_files() {
    let other = tempfile::tempdir().unwrap();
    let (secret, neighbour) = (other.path().join("secret"), other.path().join("socket"));
    fs::write(&secret, "nobody's business").unwrap();
    let _listening = std::os::unix::net::UnixListener::bind(&neighbour).unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let (_home, folder) = office("");
    let service = ServiceProcess::start(Some(&folder));
    let script = CURIOUS
        .replace("PORT", &listener.local_addr().unwrap().port().to_string())
        .replace("SECRET", secret.to_str().unwrap())
        .replace("SOCKET", neighbour.to_str().unwrap())
        .replace("SERVICE", &service.process.id().to_string());
    fs::write(folder.join("soffice"), script).unwrap();
    fs::write(folder.join("page.pdf"), pdf(1)).unwrap();
    let operation = service.begin("letter.txt", b"Dear reader", DOC);
    let result = service.result(&operation);
    assert_eq!(result["operationStatus"], "finished", "{result}");
    let made = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[], b"").body;
    let text = String::from_utf8_lossy(&made);
    let tried: HashMap<&str, &str> =
        text.lines().filter_map(|line| line.strip_prefix("% ")?.split_once(": ")).collect();
    println!("{tried:#?}");
    let mut refused = vec!["connect", "read", "passwords", "write", "list", "signal"];
    if has_namespaces() {
        refused.push("connect to a neighbour");
    }
    for what in refused {
        let how = tried[what];
        assert!(
            how.contains("not permitted") || how.contains("denied") || how.starts_with("No such"),
            "{what}: {how}"
        );
    }
    for what in ["write own", "make a socket", "remove it"] {
        assert_eq!(tried[what], "allowed", "{what}");
    }
    assert!(listener.accept().is_err(), "a program connected");
}

#[test]
fn files_of_a_killed_service_are_removed_at_once() {
    let mut service = ServiceProcess::start(None);
    // The watch of the folder starts with the first worker that is used.
    service.result(&service.begin("a.pdf", &pdf(1), PNG));
    signal(service.process.id(), nix::sys::signal::Signal::SIGKILL);
    service.process.wait().unwrap();
    let left = || fs::read_dir(service.directory.path()).unwrap().count();
    wait_until("its directory is gone", || left() == 0);
}
