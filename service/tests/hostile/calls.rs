//! The system calls of the hostile worker, and which of them its sandbox refuses.

use crate::raw::{Outcome, call, create_process, in_new_process, text, value};
use libc::{
    AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_UNIX, AT_FDCWD, CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET,
    CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_PRIVATE,
    MAP_SHARED, O_CREAT, O_DIRECTORY, O_PATH, O_RDONLY, O_WRONLY, PROT_EXEC, PROT_READ, PROT_WRITE, SIGCHLD,
    SOCK_RAW, SOCK_STREAM,
};

/// What the hostile worker attacks. The test passes it in the arguments of the worker.
pub struct Target {
    /// The process of the service.
    pub service: i64,
    /// A folder of the service's user, outside `/tmp` and `/run`. It contains the file `secret` and the socket
    /// `socket`.
    pub folder: String,
}

/// Whether a call is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Refused,
    /// The call is allowed, for this reason.
    Allowed(&'static str),
}
use Expected::{Allowed, Refused};

/// A system call of the hostile worker.
pub struct Call {
    pub group: &'static str,
    pub name: &'static str,
    /// Whether a worker that starts LibreOffice is refused this call. Every other worker is refused each call.
    pub with_programs: Expected,
    /// The same, where namespaces are forbidden.
    pub without_namespaces: Expected,
    run: Box<dyn Fn() -> Outcome>,
}

impl Call {
    pub fn make(&self) -> Outcome {
        (self.run)()
    }
}

/// Makes all calls. Returns the outcome of each, in their order: `allowed` or the number of the error.
pub fn attack() -> String {
    let mut arguments = std::env::args().skip(2);
    let service = arguments.next().and_then(|id| id.parse().ok()).unwrap_or_default();
    let target = Target { service, folder: arguments.next().unwrap_or_default() };
    let report = |call: &Call| call.make().map_or_else(|| "allowed".to_owned(), |error| error.to_string());
    all(&target).iter().map(report).collect::<Vec<_>>().join(" ")
}

/// All calls, in the order of the table.
pub fn all(target: &Target) -> Vec<Call> {
    let mut list = List(Vec::new());
    files(&mut list, target);
    attributes(&mut list, target);
    network(&mut list, target);
    processes(&mut list, target);
    others(&mut list, target);
    memory(&mut list);
    kernel(&mut list);
    other_numbers(&mut list, target);
    list.0
}

struct List(Vec<Call>);

impl List {
    /// A call that is refused to every worker.
    fn refused(&mut self, group: &'static str, name: &'static str, number: i64, arguments: [i64; 6]) {
        self.add(group, name, [Refused; 2], move || call(number, arguments));
    }

    fn add(
        &mut self,
        group: &'static str,
        name: &'static str,
        [with_programs, without_namespaces]: [Expected; 2],
        run: impl Fn() -> Outcome + 'static,
    ) {
        self.0.push(Call { group, name, with_programs, without_namespaces, run: Box::new(run) });
    }
}

/// The arguments of a call, filled up with zeros.
macro_rules! args {
    ($($argument:expr),* $(,)?) => {{
        let mut all = [0_i64; 6];
        let given: &[i64] = &[$(i64::from($argument)),*];
        all[..given.len()].copy_from_slice(given);
        all
    }};
}

fn files(list: &mut List, target: &Target) {
    const GROUP: &str = "files of others";
    let secret = text(&format!("{}/secret", target.folder));
    let new = text(&format!("{}/new", target.folder));
    let folder = text(&target.folder);
    let root = text("/");
    let memory = text(&format!("/proc/{}/mem", target.service));
    let environment = text(&format!("/proc/{}/environ", target.service));
    let open = |path: i64, flags: i32| args![AT_FDCWD, path, flags, 0o600];
    let here = |a: i64, b: i64| args![AT_FDCWD, a, AT_FDCWD, b];
    list.refused(GROUP, "open a file to read", libc::SYS_openat, open(secret, O_RDONLY));
    list.refused(GROUP, "open a file to write", libc::SYS_openat, open(secret, O_WRONLY));
    list.refused(GROUP, "create a file", libc::SYS_openat, open(new, O_WRONLY | O_CREAT));
    list.refused(GROUP, "list a folder", libc::SYS_openat, open(folder, O_RDONLY | O_DIRECTORY));
    list.refused(GROUP, "list the root folder", libc::SYS_openat, open(root, O_RDONLY | O_DIRECTORY));
    list.refused(GROUP, "openat2", libc::SYS_openat2, args![AT_FDCWD, secret, value([0_u64; 3]), 24]);
    list.refused(GROUP, "truncate", libc::SYS_truncate, args![secret]);
    list.refused(GROUP, "unlink", libc::SYS_unlinkat, args![AT_FDCWD, secret]);
    list.refused(GROUP, "rename", libc::SYS_renameat2, here(secret, new));
    list.refused(GROUP, "link", libc::SYS_linkat, here(secret, new));
    list.refused(GROUP, "symlink", libc::SYS_symlinkat, args![secret, AT_FDCWD, new]);
    list.refused(GROUP, "mkdir", libc::SYS_mkdirat, args![AT_FDCWD, new, 0o700]);
    list.refused(GROUP, "mknod", libc::SYS_mknodat, args![AT_FDCWD, new, 0o010_600]);
    list.refused(GROUP, "read the memory of the service", libc::SYS_openat, open(memory, O_RDONLY));
    list.refused(GROUP, "read the environment of the service", libc::SYS_openat, open(environment, O_RDONLY));
    list.refused(GROUP, "name_to_handle_at", libc::SYS_name_to_handle_at, args![AT_FDCWD, secret, 1, 1]);
    list.refused(GROUP, "open_by_handle_at", libc::SYS_open_by_handle_at, args![AT_FDCWD, 1]);
    list.refused(GROUP, "chroot", libc::SYS_chroot, args![root]);
    list.refused(GROUP, "fanotify_init", libc::SYS_fanotify_init, args![]);
    let seen = "the attributes of files can be seen";
    let name = "open a file only by path (O_PATH)";
    list.add(GROUP, name, [Refused, Allowed(seen)], move || call(libc::SYS_openat, open(secret, O_PATH)));
    let attributes = value([0_u64; 64]);
    let stat = args![AT_FDCWD, secret, attributes];
    list.add(GROUP, "stat", [Refused, Allowed(seen)], move || call(libc::SYS_newfstatat, stat));
    let statx = args![AT_FDCWD, secret, 0, 0xfff, attributes];
    list.add(GROUP, "statx", [Refused, Allowed(seen)], move || call(libc::SYS_statx, statx));
    let access = args![AT_FDCWD, secret];
    list.add(GROUP, "access", [Refused, Allowed(seen)], move || call(libc::SYS_faccessat, access));
    list.add(GROUP, "chdir", [Refused, Allowed(seen)], move || call(libc::SYS_chdir, args![folder]));
}

fn attributes(list: &mut List, target: &Target) {
    const GROUP: &str = "attributes of files";
    let secret = text(&format!("{}/secret", target.folder));
    let (name, content) = (text("user.recto"), text("x"));
    list.refused(GROUP, "chmod", libc::SYS_fchmodat, args![AT_FDCWD, secret, 0o777]);
    list.refused(GROUP, "fchmod of an open file", libc::SYS_fchmod, args![0, 0o777]);
    list.refused(GROUP, "chown", libc::SYS_fchownat, args![AT_FDCWD, secret, -1, -1]);
    list.refused(GROUP, "fchown of an open file", libc::SYS_fchown, args![0, -1, -1]);
    list.refused(GROUP, "utimensat", libc::SYS_utimensat, args![AT_FDCWD, secret]);
    list.refused(GROUP, "setxattr", libc::SYS_setxattr, args![secret, name, content, 1]);
    list.refused(GROUP, "fsetxattr of an open file", libc::SYS_fsetxattr, args![0, name, content, 1]);
    list.refused(GROUP, "removexattr", libc::SYS_removexattr, args![secret, name]);
}

fn network(list: &mut List, target: &Target) {
    const GROUP: &str = "network and sockets";
    let socket = |domain: i32, kind: i32| args![domain, kind];
    list.refused(GROUP, "TCP over IPv4", libc::SYS_socket, socket(AF_INET, SOCK_STREAM));
    list.refused(GROUP, "TCP over IPv6", libc::SYS_socket, socket(AF_INET6, SOCK_STREAM));
    list.refused(GROUP, "netlink", libc::SYS_socket, socket(AF_NETLINK, SOCK_RAW));
    list.refused(GROUP, "packets", libc::SYS_socket, socket(AF_PACKET, SOCK_RAW));
    let office = Allowed("between processes of the worker");
    let pair = args![AF_UNIX, SOCK_STREAM, 0, value([0_i32; 2])];
    list.add(GROUP, "UNIX socket", [office; 2], move || call(libc::SYS_socket, socket(AF_UNIX, SOCK_STREAM)));
    list.add(GROUP, "socketpair", [office; 2], move || call(libc::SYS_socketpair, pair));
    let path = format!("{}/socket", target.folder);
    let reached = Allowed("sockets that the user may use");
    list.add(GROUP, "connect to a UNIX socket of another program", [Refused, reached], move || {
        connect(path.as_bytes())
    });
    let mut name = vec![0];
    name.extend(abstract_name(&format!("recto-{}-{}", target.service, target.folder)));
    let what = "connect to an abstract UNIX socket of another program";
    list.add(GROUP, what, [Refused; 2], move || connect(&name));
}

/// The name of an abstract socket: at most 107 bytes.
pub fn abstract_name(name: &str) -> Vec<u8> {
    name.bytes().take(107).collect()
}

/// Connects to a UNIX socket.
fn connect(address: &[u8]) -> Outcome {
    use std::os::fd::AsRawFd as _;
    let socket =
        std::os::unix::net::UnixDatagram::unbound().map_err(|error| error.raw_os_error().unwrap_or(0));
    let socket = match socket {
        // The standard library creates no unconnected stream socket, but a datagram socket shows the same errors.
        Ok(socket) => socket,
        Err(error) => return Some(error),
    };
    let mut bytes = [0_u8; 110];
    bytes[..2].copy_from_slice(&u16::try_from(AF_UNIX).unwrap().to_ne_bytes());
    bytes[2..2 + address.len()].copy_from_slice(address);
    let length = i64::try_from(2 + address.len() + usize::from(address[0] != 0)).unwrap();
    call(libc::SYS_connect, args![socket.as_raw_fd(), value(bytes), length])
}

fn processes(list: &mut List, _: &Target) {
    const GROUP: &str = "new processes and namespaces";
    let needed = Allowed("LibreOffice; ends with its worker");
    let outlives = Allowed("LibreOffice; it may outlive its worker");
    let fork = args![SIGCHLD];
    list.add(GROUP, "fork (clone)", [needed, outlives], move || create_process(libc::SYS_clone, fork));
    list.add(GROUP, "setsid", [needed, outlives], || in_new_process(libc::SYS_setsid));
    let program = args![text("/bin/true"), 1, 1];
    // With invalid arguments, an allowed call fails with `EFAULT`, instead of replacing the worker.
    list.add(GROUP, "execve", [needed, outlives], move || {
        call(libc::SYS_execve, program).filter(|error| *error != libc::EFAULT)
    });
    list.refused(GROUP, "execveat", libc::SYS_execveat, args![AT_FDCWD, text("/bin/true"), 1, 1]);
    let arguments = value([0_u64, 0, 0, 0, u64::from(SIGCHLD.cast_unsigned()), 0, 0, 0]);
    list.add(GROUP, "clone3", [Refused; 2], move || create_process(libc::SYS_clone3, args![arguments, 64]));
    for (name, flag) in [
        ("clone with a user namespace", CLONE_NEWUSER),
        ("clone with a network namespace", CLONE_NEWNET),
        ("clone with a mount namespace", CLONE_NEWNS),
        ("clone with a PID namespace", CLONE_NEWPID),
    ] {
        list.add(GROUP, name, [Refused; 2], move || create_process(libc::SYS_clone, args![SIGCHLD | flag]));
    }
    for (name, flag) in [
        ("unshare: user", CLONE_NEWUSER),
        ("unshare: mounts", CLONE_NEWNS),
        ("unshare: network", CLONE_NEWNET),
        ("unshare: PIDs", CLONE_NEWPID),
        ("unshare: IPC, names, cgroups", CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP),
    ] {
        list.refused(GROUP, name, libc::SYS_unshare, args![flag]);
    }
    list.refused(GROUP, "setns", libc::SYS_setns, args![0]);
    list.refused(GROUP, "setuid", libc::SYS_setuid, args![0]);
    list.refused(GROUP, "setgroups", libc::SYS_setgroups, args![]);
    list.refused(GROUP, "capset", libc::SYS_capset, args![1, 1]);
}

fn others(list: &mut List, target: &Target) {
    const GROUP: &str = "other processes: the service";
    let service = target.service;
    let info = value([0_i32; 32]);
    let words = value([0_u64; 16]);
    list.refused(GROUP, "kill", libc::SYS_kill, args![service]);
    list.refused(GROUP, "tkill", libc::SYS_tkill, args![service]);
    list.refused(GROUP, "tgkill", libc::SYS_tgkill, args![service, service]);
    list.refused(GROUP, "rt_sigqueueinfo", libc::SYS_rt_sigqueueinfo, args![service, 0, info]);
    list.refused(GROUP, "rt_tgsigqueueinfo", libc::SYS_rt_tgsigqueueinfo, args![service, service, 0, info]);
    list.refused(GROUP, "pidfd_open", libc::SYS_pidfd_open, args![service]);
    list.refused(GROUP, "pidfd_send_signal", libc::SYS_pidfd_send_signal, args![0]);
    list.refused(GROUP, "pidfd_getfd", libc::SYS_pidfd_getfd, args![0]);
    list.refused(GROUP, "ptrace", libc::SYS_ptrace, args![libc::PTRACE_SEIZE, service]);
    list.refused(GROUP, "process_vm_readv", libc::SYS_process_vm_readv, args![service, words, 1, words, 1]);
    list.refused(GROUP, "process_vm_writev", libc::SYS_process_vm_writev, args![service, words, 1, words, 1]);
    list.refused(GROUP, "process_madvise", libc::SYS_process_madvise, args![0]);
    list.refused(GROUP, "kcmp", libc::SYS_kcmp, args![service, service]);
    list.refused(GROUP, "prlimit64: read", libc::SYS_prlimit64, args![service, libc::RLIMIT_CPU, 0, words]);
    let limit = value([u64::MAX; 2]);
    list.refused(GROUP, "prlimit64: set", libc::SYS_prlimit64, args![service, libc::RLIMIT_CORE, limit]);
    list.refused(GROUP, "sched_getaffinity", libc::SYS_sched_getaffinity, args![service, 128, words]);
    list.refused(
        GROUP,
        "sched_setaffinity",
        libc::SYS_sched_setaffinity,
        args![service, 128, value([u64::MAX; 16])],
    );
    list.refused(
        GROUP,
        "sched_setscheduler",
        libc::SYS_sched_setscheduler,
        args![service, libc::SCHED_IDLE, words],
    );
    list.refused(GROUP, "sched_setparam", libc::SYS_sched_setparam, args![service, words]);
    list.refused(GROUP, "sched_setattr", libc::SYS_sched_setattr, args![service, words]);
    list.refused(GROUP, "setpriority", libc::SYS_setpriority, args![libc::PRIO_PROCESS, service, 19]);
    list.refused(GROUP, "ioprio_set", libc::SYS_ioprio_set, args![1, service, 0x6000]);
    list.refused(GROUP, "migrate_pages", libc::SYS_migrate_pages, args![service]);
    list.refused(GROUP, "move_pages", libc::SYS_move_pages, args![service]);
    list.refused(GROUP, "perf_event_open", libc::SYS_perf_event_open, args![words, service, -1, -1]);
}

fn memory(list: &mut List) {
    const GROUP: &str = "memory without a limit";
    let page = 4096;
    let all = PROT_READ | PROT_WRITE;
    let map = |protection: i32, flags: i32| args![0, page, protection, flags, -1];
    list.refused(GROUP, "shared memory without a file", libc::SYS_mmap, map(all, MAP_SHARED | MAP_ANONYMOUS));
    list.refused(GROUP, "memfd_create", libc::SYS_memfd_create, args![text("recto")]);
    list.refused(GROUP, "memfd_secret", libc::SYS_memfd_secret, args![]);
    list.refused(GROUP, "shmget", libc::SYS_shmget, args![0, page, 0o600]);
    list.refused(GROUP, "msgget", libc::SYS_msgget, args![0, 0o600]);
    list.refused(GROUP, "semget", libc::SYS_semget, args![0, 1, 0o600]);
    list.refused(GROUP, "mq_open", libc::SYS_mq_open, args![text("recto"), O_CREAT | O_WRONLY, 0o600]);
    let limit = value([u64::MAX; 2]);
    list.refused(GROUP, "raise the memory limit", libc::SYS_prlimit64, args![0, libc::RLIMIT_DATA, limit]);
    list.refused(
        GROUP,
        "raise the limit of the stack",
        libc::SYS_prlimit64,
        args![0, libc::RLIMIT_STACK, limit],
    );
    list.refused(GROUP, "userfaultfd", libc::SYS_userfaultfd, args![1]);
    let counted = Allowed("libraries");
    let grows = MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN;
    list.refused(GROUP, "memory that grows (MAP_GROWSDOWN)", libc::SYS_mmap, map(all, grows));
    let hide = args![libc::PR_SET_DUMPABLE];
    list.refused(GROUP, "hide open files (PR_SET_DUMPABLE)", libc::SYS_prctl, hide);
    let executable = map(PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS);
    list.add(GROUP, "memory that can be executed", [counted; 2], move || call(libc::SYS_mmap, executable));
}

fn kernel(list: &mut List) {
    const GROUP: &str = "the machine and its kernel";
    let root = text("/");
    // Where a call is dangerous, its other arguments are invalid. The sandbox must refuse it even so.
    for (name, number, arguments) in [
        ("mount", libc::SYS_mount, args![text("none"), root, text("no-file-system")]),
        ("umount2", libc::SYS_umount2, args![root, -1]),
        ("pivot_root", libc::SYS_pivot_root, args![root, root]),
        ("fsopen", libc::SYS_fsopen, args![text("tmpfs")]),
        ("fsconfig", libc::SYS_fsconfig, args![-1]),
        ("fsmount", libc::SYS_fsmount, args![-1]),
        ("fspick", libc::SYS_fspick, args![AT_FDCWD, root]),
        ("open_tree", libc::SYS_open_tree, args![AT_FDCWD, root, 1]),
        ("move_mount", libc::SYS_move_mount, args![-1, root, -1, root]),
        ("mount_setattr", libc::SYS_mount_setattr, args![AT_FDCWD, root, 0, value([0_u64; 4]), 32]),
        ("bpf", libc::SYS_bpf, args![]),
        ("io_uring_setup", libc::SYS_io_uring_setup, args![1, value([0_u64; 16])]),
        ("io_uring_enter", libc::SYS_io_uring_enter, args![-1]),
        ("io_uring_register", libc::SYS_io_uring_register, args![-1]),
        ("keyctl", libc::SYS_keyctl, args![0, -4]),
        ("add_key", libc::SYS_add_key, args![text("user"), text("recto"), text("x"), 1, -4]),
        ("request_key", libc::SYS_request_key, args![text("user"), text("recto")]),
        ("init_module", libc::SYS_init_module, args![]),
        ("finit_module", libc::SYS_finit_module, args![-1]),
        ("delete_module", libc::SYS_delete_module, args![]),
        ("kexec_load", libc::SYS_kexec_load, args![0, -1]),
        ("reboot", libc::SYS_reboot, args![]),
        ("swapon", libc::SYS_swapon, args![]),
        ("swapoff", libc::SYS_swapoff, args![]),
        ("clock_settime", libc::SYS_clock_settime, args![-1]),
        ("adjtimex", libc::SYS_adjtimex, args![value([0_u64; 64])]),
        ("sethostname", libc::SYS_sethostname, args![0, -1]),
        ("setdomainname", libc::SYS_setdomainname, args![0, -1]),
        ("syslog", libc::SYS_syslog, args![10]),
        ("quotactl", libc::SYS_quotactl, args![]),
        ("acct", libc::SYS_acct, args![1]),
        ("personality", libc::SYS_personality, args![0xffff_ffff_i64]),
        ("seccomp", libc::SYS_seccomp, args![1]),
    ] {
        list.refused(GROUP, name, number, arguments);
    }
}

/// Calls by the numbers of another ABI, which a filter by number could miss.
#[cfg(target_arch = "x86_64")]
fn other_numbers(list: &mut List, target: &Target) {
    const GROUP: &str = "numbers of another ABI (x32)";
    const X32: i64 = 0x4000_0000;
    let secret = text(&format!("{}/secret", target.folder));
    list.refused(GROUP, "x32: getpid", X32 | libc::SYS_getpid, args![]);
    list.refused(GROUP, "x32: open", X32 | libc::SYS_open, args![secret]);
    list.refused(GROUP, "x32: ptrace", X32 | 521, args![0]);
    list.refused(GROUP, "x32: execve", X32 | 520, args![text("/bin/true"), 1, 1]);
    list.refused(GROUP, "x32: kill", X32 | libc::SYS_kill, args![target.service]);
    list.refused("numbers that no kernel has yet", "number 999", 999, args![]);
}

#[cfg(not(target_arch = "x86_64"))]
fn other_numbers(list: &mut List, _: &Target) {
    list.refused("numbers that no kernel has yet", "number 999", 999, args![]);
}
