//! The tests: a service starts workers from this program.

use crate::calls::{self, Call, Expected, Target};
use crate::support::{Api, JSON, OCTETS, send};
use crate::table::{self, Columns};
use caps::{CapSet, Capability};
use libtest_mimic::{Arguments, Trial};
use recto_engine::Limits;
use recto_interface::OperationKind;
use recto_service::{Isolation, IsolationMode, LocalService, ServiceError, WorkerProgram, office_program};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fs;
use std::os::unix::net::UnixDatagram;
use std::process::ExitCode;
use std::time::Duration;

const PNG: &str = "/v1/operations/convert/pdf-to-png";
const DOC: &str = "/v1/operations/convert/doc-to-pdf";

/// The errors of a refused call.
const REFUSALS: &[i32] = &[libc::EPERM, libc::EACCES, libc::ENOSYS];

/// The errors of a call whose target does not exist for a worker with its own root folder and its own processes.
const NOT_THERE: &[i32] = &[libc::ENOENT, libc::EROFS, libc::ESRCH, libc::ECONNREFUSED, libc::ENOTDIR];

pub fn run() -> ExitCode {
    let trials = vec![
        Trial::test("no_operation_needs_a_refused_system_call", no_operation_needs_a_refused_call),
        Trial::test("the_calls_of_a_hostile_worker_are_refused", calls_are_refused),
        Trial::test("the_calls_succeed_without_a_sandbox", calls_succeed_without_a_sandbox),
        Trial::test("a_worker_has_no_privileges", a_worker_has_no_privileges),
        Trial::test("strict_isolation_starts_only_with_all_protections", strict_needs_all_protections),
        Trial::test("files_without_a_name_are_limited_too", unlinked_files_are_limited),
    ];
    // One test starts processes that another one must not mistake for its own.
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    libtest_mimic::run(&arguments, trials).exit_code()
}

type Result = std::result::Result<(), libtest_mimic::Failed>;

fn service(arguments: &[String]) -> LocalService {
    start(arguments, IsolationMode::default()).unwrap()
}

fn start(arguments: &[String], mode: IsolationMode) -> std::result::Result<LocalService, ServiceError> {
    let program = WorkerProgram::new(std::env::current_exe().unwrap(), arguments);
    let isolation = Isolation { mode, program: Some(program), ..Isolation::default() };
    let limits = Limits { time: Duration::from_secs(120), output_bytes: 64 << 20, ..Limits::default() };
    let builder = LocalService::builder().workers(1).test_controls(true).isolation(isolation);
    builder.engine_limits(limits).start()
}

/// The arguments of a worker of the kind `worker`, which `mode` starts: directly, or in a container.
fn arguments(mode: &str, worker: &[&str]) -> Vec<String> {
    let container = (mode == "container").then_some(mode);
    container.into_iter().chain(worker.iter().copied()).map(str::to_owned).collect()
}

/// A folder outside `/tmp` and `/run`, with a file and with sockets that accept connections.
struct Attacked {
    folder: tempfile::TempDir,
    _sockets: [UnixDatagram; 2],
}

impl Attacked {
    fn new() -> Self {
        use std::os::linux::net::SocketAddrExt as _;
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        fs::write(folder.path().join("secret"), "secret").unwrap();
        let by_path = UnixDatagram::bind(folder.path().join("socket")).unwrap();
        let name = format!("recto-{}-{}", std::process::id(), folder.path().display());
        let by_name =
            std::os::unix::net::SocketAddr::from_abstract_name(calls::abstract_name(&name)).unwrap();
        Self { folder, _sockets: [by_path, UnixDatagram::bind_addr(&by_name).unwrap()] }
    }

    fn target(&self) -> Target {
        Target { service: std::process::id().into(), folder: self.folder.path().to_str().unwrap().to_owned() }
    }

    /// What happened to each call of a worker of the kind `mode`.
    fn attack(&self, mode: &str, path: &str) -> HashMap<String, String> {
        let service = start(&self.arguments(mode), IsolationMode::default()).unwrap();
        self.attack_in(&service, path)
    }

    fn arguments(&self, mode: &str) -> Vec<String> {
        let Target { service: id, folder } = self.target();
        arguments(mode, &["worker", &id.to_string(), &folder])
    }

    fn attack_in(&self, service: &LocalService, path: &str) -> HashMap<String, String> {
        let result = attacked(service, path);
        let report = result["error"]["detail"].as_str().unwrap_or_else(|| panic!("{result}")).to_owned();
        let names = calls::all(&self.target()).into_iter().map(|call| call.name.to_owned());
        names.zip(report.split_whitespace().map(str::to_owned)).collect()
    }
}

/// The result of an operation during which the worker attacks.
fn attacked(service: &LocalService, path: &str) -> Value {
    let api = Api(service);
    let faults = json!({ "faults": ["attack"] }).to_string();
    assert_eq!(api.send("PUT", "/test/controls", &[JSON], faults.as_bytes()).status, 200);
    let file = api.upload(if path == DOC { "a.txt" } else { "a.pdf" }, b"%PDF-1.7");
    api.result(&api.start(path, &json!({"input": {"fileId": file}})), 60).json()
}

/// Whether this system has everything that the table in the documentation assumes.
fn has_all_protections() -> bool {
    let program = WorkerProgram::new(std::env::current_exe().unwrap(), ["worker"]);
    let isolation = Isolation { program: Some(program), ..Isolation::default() };
    let lacking = isolation.probe().unwrap().unwrap().lacking;
    let new = linux_version() >= (6, 12);
    if !lacking.is_empty() || !new {
        println!("This system lacks: {lacking:?}. Only the calls that seccomp refuses are checked.");
    }
    lacking.is_empty() && new
}

/// The first two numbers of the version of Linux.
fn linux_version() -> (u32, u32) {
    let release = nix::sys::utsname::uname().unwrap().release().to_string_lossy().into_owned();
    let mut numbers = release.split('.').map(|number| number.parse().unwrap_or(0));
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0))
}

fn calls_are_refused() -> Result {
    let attacked = Attacked::new();
    let complete = has_all_protections();
    let mut wrong = Vec::new();
    let mut check = |mode: &str, path: &str, expected: &dyn Fn(&Call) -> Expected| {
        let outcomes = attacked.attack(mode, path);
        for call in calls::all(&attacked.target()) {
            let Some(outcome) = outcomes.get(call.name) else {
                wrong.push(format!("{mode} {path}: {} was not tried", call.name));
                continue;
            };
            let error = outcome.parse::<i32>().ok();
            let right = match expected(&call) {
                // A worker without programs depends on seccomp only, which every system has.
                Expected::Refused if path == PNG => error.is_some_and(|error| REFUSALS.contains(&error)),
                Expected::Refused => {
                    !complete
                        || error.is_some_and(|error| REFUSALS.contains(&error) || NOT_THERE.contains(&error))
                }
                Expected::Allowed(_) => !complete || error.is_none(),
            };
            if !right {
                wrong.push(format!(
                    "{mode} {path}: {} ({}): {outcome}, not {:?}",
                    call.name,
                    call.group,
                    expected(&call)
                ));
            }
        }
    };
    check("worker", PNG, &|_| Expected::Refused);
    check("container", PNG, &|_| Expected::Refused);
    check("worker", DOC, &|call| call.with_programs);
    check("container", DOC, &|call| call.without_namespaces);
    if !wrong.is_empty() {
        return Err(wrong.join("\n").into());
    }
    table::compare(&calls::all(&attacked.target()).iter().map(Columns::of).collect::<Vec<_>>())
}

/// Shows that the test can fail: without a sandbox, the same calls succeed.
fn calls_succeed_without_a_sandbox() -> Result {
    let attacked = Attacked::new();
    let names = [
        "open a file to read",
        "open a file to write",
        "stat",
        "chmod",
        "utimensat",
        "UNIX socket",
        "connect to a UNIX socket of another program",
        "connect to an abstract UNIX socket of another program",
        "fork (clone)",
        "kill",
        "prlimit64: read",
        "memfd_create",
        "shared memory without a file",
        "memory that can be executed",
        "personality",
    ];
    let all = calls::all(&attacked.target());
    for name in names {
        let call = all.iter().find(|call| call.name == name).ok_or(name)?;
        if let Some(error) = call.make() {
            return Err(format!("{name}: {}", std::io::Error::from_raw_os_error(error)).into());
        }
    }
    Ok(())
}

fn example(name: &str) -> Vec<u8> {
    fs::read(format!("{}/../examples/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

/// The input and the options of an operation.
fn input_of(kind: OperationKind, encrypted: &[u8]) -> Option<(&'static str, Vec<u8>, Value)> {
    use OperationKind as Kind;
    let office = matches!(kind, Kind::DocToPdf | Kind::PresentationToPdf | Kind::SpreadsheetToPdf);
    if office && office_program().is_err() {
        println!("{kind}: LibreOffice is not installed");
        return None;
    }
    // A presentation needs the same calls as a text, and no example is a presentation.
    if kind == Kind::PresentationToPdf {
        return None;
    }
    Some(match kind {
        Kind::ImageToPdf => ("a.jpg", example("scan.jpg"), json!({})),
        Kind::DocToPdf => ("a.txt", b"Dear reader".to_vec(), json!({})),
        Kind::SpreadsheetToPdf => ("a.csv", b"a,b\n1,2\n".to_vec(), json!({})),
        Kind::Encrypt => ("a.pdf", example("report.pdf"), json!({ "password": "secret" })),
        Kind::Decrypt => ("a.pdf", encrypted.to_vec(), json!({ "password": "secret" })),
        Kind::StampText | Kind::StampWatermark => ("a.pdf", example("report.pdf"), json!({ "text": "Copy" })),
        Kind::StampBarcode => {
            ("a.pdf", example("report.pdf"), json!({ "value": "12345", "type": "code128" }))
        }
        Kind::StampDataMatrix | Kind::StampQr => {
            ("a.pdf", example("report.pdf"), json!({ "value": "12345" }))
        }
        Kind::ArchivePdfA | Kind::PowerArchive => {
            ("a.pdf", example("scan.pdf"), json!({ "conformance": "pdf_a2_b" }))
        }
        _ => ("a.pdf", example("report.pdf"), json!({})),
    })
}

fn no_operation_needs_a_refused_call() -> Result {
    let record = tempfile::NamedTempFile::new()?;
    let service = service(&["record".to_owned(), record.path().to_str().unwrap().to_owned()]);
    let api = Api(&service);
    let mut encrypted = Vec::new();
    let mut wrong = Vec::new();
    // `Encrypt` comes before `Decrypt` in the list of all operations.
    for kind in OperationKind::ALL.iter().copied() {
        let Some((name, bytes, options)) = input_of(kind, &encrypted) else { continue };
        let file = api.upload(name, &bytes);
        let started = api.post(kind.path(), &json!({"input": {"fileId": file}, "options": options})).json();
        let Some(operation) = started["operationId"].as_str() else {
            wrong.push(format!("{kind}: {started}"));
            continue;
        };
        let mut result = api.result(operation, 60).json();
        while result["operationStatus"] == "inProgress" {
            result = api.result(operation, 60).json();
        }
        // A workflow reports its own name as the status when it is finished.
        if result["operationStatus"] == "failed" || result["error"].is_object() {
            let numbers = fs::read_to_string(record.path())?;
            wrong.push(format!(
                "{kind}: refused system calls {:?}: {result}",
                numbers.split_whitespace().collect::<Vec<_>>()
            ));
            fs::write(record.path(), "")?;
        } else if kind == OperationKind::Encrypt {
            encrypted = send("GET", result["outputFile"]["url"].as_str().unwrap(), &[OCTETS], b"").body;
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n").into()) }
}

fn a_worker_has_no_privileges() -> Result {
    for mode in ["worker", "container"] {
        let service = service(&arguments(mode, &["worker", "0", "/nowhere"]));
        let api = Api(&service);
        let file = api.upload("a.pdf", &example("report.pdf"));
        api.result(&api.start(PNG, &json!({"input": {"fileId": file}})), 60);
        let worker = worker_of(std::process::id()).ok_or("no worker is idle")?;
        let read = |name: &str| fs::read_to_string(format!("/proc/{worker}/{name}")).unwrap_or_default();
        let (status, limits) = (read("status"), read("limits"));
        for line in [
            "NoNewPrivs:\t1",
            "Seccomp:\t2",
            "CapInh:\t0",
            "CapPrm:\t0",
            "CapEff:\t0",
            "CapAmb:\t0",
            "CapBnd:\t0",
        ] {
            let found = status.lines().find(|found| found.starts_with(line));
            // Only a privileged process, or one with its own user namespace, may reduce the bounding set.
            let complete = |found: &&str| !line.starts_with("Cap") || found.ends_with("\t0000000000000000");
            let required = may_reduce() || !line.starts_with("CapBnd");
            if required && found.filter(complete).is_none() {
                return Err(format!("{mode}: {line} is missing in {status}").into());
            }
        }
        assert_eq!(read("oom_score_adj").trim(), "1000", "{mode}");
        let most = |name: &str| {
            let line = limits.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.split_whitespace().nth(1).map(str::to_owned)
        };
        assert_eq!(most("Max core file size").as_deref(), Some("0"), "{mode}: {limits}");
        // The limit counts only the processes of the worker if the worker has a user namespace of its own.
        let own_users = read("uid_map").split_whitespace().nth(2) == Some("1");
        if own_users && linux_version() >= (5, 14) {
            assert_eq!(most("Max processes").as_deref(), Some("1024"), "{mode}: {limits}");
        }
        drop(service);
    }
    Ok(())
}

fn strict_needs_all_protections() -> Result {
    let attacked = Attacked::new();
    let Err(refused) = start(&attacked.arguments("container"), IsolationMode::Strict) else {
        return Err("a service with strict isolation started in a container".into());
    };
    let why = refused.to_string();
    assert!(why.contains("missing protections of workers"), "{why}");
    if !has_all_protections() {
        return Ok(());
    }
    let service = start(&attacked.arguments("worker"), IsolationMode::Strict)?;
    let outcomes = attacked.attack_in(&service, PNG);
    for call in calls::all(&attacked.target()) {
        let error = outcomes.get(call.name).and_then(|outcome| outcome.parse::<i32>().ok());
        assert!(error.is_some_and(|error| REFUSALS.contains(&error)), "{}: {error:?}", call.name);
    }
    Ok(())
}

fn unlinked_files_are_limited() -> Result {
    if office_program().is_err() {
        println!("LibreOffice is not installed: only its workers may create files");
        return Ok(());
    }
    // A worker with its own file system gets an error, or its file system is full. In a container, the service ends the
    // worker.
    // A service that is not root, or root in a container, cannot see the files of every process.
    let privileged = caps::has_cap(None, CapSet::Effective, Capability::CAP_SYS_PTRACE)?;
    if privileged {
        caps::drop(None, CapSet::Effective, Capability::CAP_SYS_PTRACE)?;
    }
    let limited = limit_unlinked_files();
    if privileged {
        caps::raise(None, CapSet::Effective, Capability::CAP_SYS_PTRACE)?;
    }
    limited
}

fn limit_unlinked_files() -> Result {
    let no_space = format!(": {}", libc::ENOSPC);
    for (mode, expected) in
        [("worker", vec![no_space.as_str(), "output size"]), ("container", vec!["output size"])]
    {
        let service = service(&arguments(mode, &["fill"]));
        let result = attacked(&service, DOC);
        let detail = result["error"]["detail"].as_str().unwrap_or_default();
        let refused = expected.iter().any(|words| detail.contains(words));
        if !refused && (mode == "container" || has_all_protections()) {
            return Err(format!("{mode}: {result}").into());
        }
    }
    Ok(())
}

/// Whether this process may reduce its bounding set.
fn may_reduce() -> bool {
    caps::has_cap(None, CapSet::Effective, Capability::CAP_SETPCAP).unwrap()
}

/// A child of the process `parent` that runs this program.
fn worker_of(parent: u32) -> Option<u32> {
    let own = fs::read_to_string("/proc/self/comm").ok()?;
    fs::read_dir("/proc").ok()?.flatten().find_map(|entry| {
        let process = entry.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
        let (name, rest) = stat.split_once('(')?.1.rsplit_once(')')?;
        let ids: Vec<&str> = rest.split_whitespace().collect();
        let running = ids.first()? != &"Z";
        (running && ids.get(1)? == &parent.to_string() && name == own.trim()).then_some(process)
    })
}
