//! seccomp: a worker can make only the system calls on a list. Every other call fails with `EPERM`, also calls that a
//! later kernel adds, and calls with the numbers of another ABI such as x32.

mod with_programs;
mod without_programs;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use std::collections::BTreeMap;

/// Each system call of a filter with its rules. The filter applies to a call if one of its rules matches. Without a
/// rule, the filter applies to every call.
type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// Which calls a kind of worker can make.
struct Lists {
    /// The calls that are allowed.
    allowed: Rules,
    /// The calls that fail with `ENOSYS` although `allowed` contains them, because libraries then use another call.
    unsupported: Rules,
}

/// Installs the filter of a worker.
pub(super) fn filter(programs: bool) -> Result<(), String> {
    install(programs, refusal(programs)).map_err(|error| format!("seccomp: {error}"))
}

fn install(programs: bool, refuse: SeccompAction) -> Result<(), seccompiler::Error> {
    let mut lists = if programs { with_programs::lists()? } else { without_programs::lists()? };
    let unsupported = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    // If two filters decide differently, the kernel uses the stricter decision. The stricter filter is installed last,
    // because it does not allow to install another one.
    apply_filter(&compile(lists.unsupported, SeccompAction::Allow, unsupported)?)?;
    if matches!(refuse, SeccompAction::Trap) {
        // These calls may fail: libraries continue without them.
        let mut optional = Rules::new();
        add_all(&mut optional, without_programs::OPTIONAL);
        add_all(&mut lists.allowed, without_programs::OPTIONAL);
        let refused = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        apply_filter(&compile(optional, SeccompAction::Allow, refused)?)?;
    }
    apply_filter(&compile(lists.allowed, refuse, SeccompAction::Allow)?)
}

fn compile(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    let arch = std::env::consts::ARCH.try_into()?;
    SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()
}

/// What happens at a system call that is not on the list.
#[cfg(not(feature = "test-controls"))]
fn refusal(_: bool) -> SeccompAction {
    SeccompAction::Errno(libc::EPERM.unsigned_abs())
}

/// What happens at a system call that is not on the list. A test can request a signal for
/// workers that start no programs.
#[cfg(feature = "test-controls")]
fn refusal(programs: bool) -> SeccompAction {
    let signal = crate::isolation::hostile::SIGNAL_REFUSED_CALLS.load(std::sync::atomic::Ordering::Relaxed);
    match signal && !programs {
        true => SeccompAction::Trap,
        false => SeccompAction::Errno(libc::EPERM.unsigned_abs()),
    }
}

/// Adds `calls` to `rules`, each with any arguments.
fn add_all(rules: &mut Rules, calls: &[i64]) {
    rules.extend(calls.iter().map(|call| (*call, Vec::new())));
}

/// A rule that matches if all `conditions` are met.
fn all_of(conditions: Vec<SeccompCondition>) -> Result<SeccompRule, BackendError> {
    SeccompRule::new(conditions)
}

/// The lower 32 bits of the argument `argument` are `value`.
fn is(argument: u8, value: u32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value.into())
}

/// The lower 32 bits of the argument `argument` are not `value`.
fn is_not(argument: u8, value: u32) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, value.into())
}

/// Of the bits `mask` of the argument `argument`, exactly the bits `value` are set.
fn has_bits(argument: u8, mask: i32, value: i32) -> Result<SeccompCondition, BackendError> {
    let operator = SeccompCmpOp::MaskedEq(u64::from(mask.cast_unsigned()));
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, u64::from(value.cast_unsigned()))
}

/// The flags of `clone` that create namespaces.
const NAMESPACES: i32 = libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWUTS;
