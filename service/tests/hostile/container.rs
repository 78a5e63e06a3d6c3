//! The limits of a container in which a service usually runs: no capabilities, no namespaces, no mounts.

use caps::CapSet;
use seccompiler::{
    SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule, apply_filter,
};
use std::os::unix::process::CommandExt as _;
use std::process::{Command, ExitCode};

/// Sets these limits, then becomes the worker that the next arguments name.
pub fn enter_and_start_worker() -> ExitCode {
    for capability in caps::all() {
        let _ = caps::drop(None, CapSet::Bounding, capability);
    }
    for set in [CapSet::Effective, CapSet::Permitted, CapSet::Inheritable] {
        caps::clear(None, set).unwrap();
    }
    let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
        [libc::SYS_unshare, libc::SYS_setns, libc::SYS_mount, libc::SYS_umount2, libc::SYS_pivot_root]
            .map(|call| (call, Vec::new()))
            .into();
    let flags = [libc::CLONE_NEWNS, libc::CLONE_NEWUSER, libc::CLONE_NEWNET, libc::CLONE_NEWPID];
    let creates = flags.map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        let set = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(flag), flag);
        SeccompRule::new(vec![set.unwrap()]).unwrap()
    });
    rules.insert(libc::SYS_clone, creates.into());
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refused, arch).unwrap();
    let program: seccompiler::BpfProgram = filter.try_into().unwrap();
    apply_filter(&program).unwrap();
    let program = std::env::current_exe().unwrap();
    panic!("{}", Command::new(program).args(std::env::args_os().skip(2)).exec())
}
