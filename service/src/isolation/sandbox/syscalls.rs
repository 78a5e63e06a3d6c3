//! seccomp: denies system calls that no operation needs.

use libc::{
    SYS_add_key, SYS_bpf, SYS_delete_module, SYS_execve, SYS_execveat, SYS_finit_module, SYS_init_module,
    SYS_io_uring_setup, SYS_kexec_load, SYS_keyctl, SYS_kill, SYS_mount, SYS_move_mount,
    SYS_open_by_handle_at, SYS_open_tree, SYS_perf_event_open, SYS_pidfd_getfd, SYS_pidfd_send_signal,
    SYS_pivot_root, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace, SYS_reboot, SYS_request_key,
    SYS_rt_sigqueueinfo, SYS_setns, SYS_socket, SYS_socketpair, SYS_swapoff, SYS_swapon, SYS_tgkill,
    SYS_tkill, SYS_umount2, SYS_userfaultfd,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    apply_filter,
};
use std::collections::BTreeMap;

/// The system calls that are denied to every worker: calls that access other processes, calls that access the system,
/// and calls that avoid this filter.
const EVERY_WORKER: &[i64] = &[
    SYS_add_key,
    SYS_bpf,
    SYS_delete_module,
    SYS_finit_module,
    SYS_init_module,
    // The filter does not see the requests in an `io_uring`.
    SYS_io_uring_setup,
    SYS_kexec_load,
    SYS_keyctl,
    SYS_mount,
    SYS_move_mount,
    SYS_open_by_handle_at,
    SYS_open_tree,
    SYS_perf_event_open,
    SYS_pidfd_getfd,
    SYS_pivot_root,
    SYS_process_vm_readv,
    SYS_process_vm_writev,
    SYS_ptrace,
    SYS_reboot,
    SYS_request_key,
    SYS_setns,
    SYS_swapoff,
    SYS_swapon,
    SYS_umount2,
    SYS_userfaultfd,
];

/// The system calls that are also denied to workers that start no programs.
const WITHOUT_PROGRAMS: &[i64] = &[
    SYS_execve,
    SYS_execveat,
    SYS_kill,
    SYS_pidfd_send_signal,
    SYS_rt_sigqueueinfo,
    SYS_socket,
    SYS_socketpair,
    SYS_tkill,
];

/// Installs the filter: from now on, the denied system calls fail with `EPERM`.
pub(super) fn filter(programs: bool) -> Result<(), String> {
    let filter = program(programs).map_err(|error| format!("seccomp: {error}"))?;
    apply_filter(&filter).map_err(|error| format!("seccomp: {error}"))
}

fn program(programs: bool) -> Result<BpfProgram, seccompiler::BackendError> {
    let arch = std::env::consts::ARCH.try_into()?;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        EVERY_WORKER.iter().map(|call| (*call, Vec::new())).collect();
    let unless = |argument, value: u32| {
        let other = SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value.into())?;
        SeccompRule::new(vec![other])
    };
    if programs {
        // Only Unix sockets are allowed, because the processes of LibreOffice communicate over Unix sockets.
        rules.insert(SYS_socket, vec![unless(0, libc::AF_UNIX.unsigned_abs())?]);
    } else {
        rules.extend(WITHOUT_PROGRAMS.iter().map(|call| (*call, Vec::new())));
        // The process may still send signals to itself. `abort` does this, for example.
        rules.insert(SYS_tgkill, vec![unless(0, std::process::id())?]);
    }
    let deny = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, deny, arch)?.try_into()
}
