//! The system calls of a worker that starts no programs: memory, threads, time, and the files that are already open.
//! No call takes a path, creates a process or reaches another process.
//!
//! The list contains what the operations of the engine really use, and what the C library and Rust's standard library
//! use for memory, threads and time on other versions. The test `hostile` fails if an operation uses another call.

use super::{Lists, NAMESPACES, Rules, add_all, all_of, has_bits, is, is_not};
use libc::{
    CLONE_SIGHAND, CLONE_THREAD, CLONE_VM, MAP_GROWSDOWN, MAP_PRIVATE, MAP_TYPE, PROT_EXEC, SYS_brk,
    SYS_clock_getres, SYS_clock_gettime, SYS_clock_nanosleep, SYS_clone, SYS_clone3, SYS_close, SYS_exit,
    SYS_exit_group, SYS_fcntl, SYS_fstat, SYS_futex, SYS_getcpu, SYS_getpid, SYS_getrandom, SYS_getrusage,
    SYS_gettid, SYS_gettimeofday, SYS_lseek, SYS_madvise, SYS_membarrier, SYS_mmap, SYS_mprotect, SYS_mremap,
    SYS_munmap, SYS_nanosleep, SYS_ppoll, SYS_prctl, SYS_pread64, SYS_prlimit64, SYS_pwrite64, SYS_read,
    SYS_readv, SYS_recvmsg, SYS_restart_syscall, SYS_rseq, SYS_rt_sigaction, SYS_rt_sigprocmask,
    SYS_rt_sigreturn, SYS_sched_getaffinity, SYS_sched_yield, SYS_set_robust_list, SYS_sigaltstack,
    SYS_statx, SYS_tgkill, SYS_write, SYS_writev,
};
use seccompiler::BackendError;

/// The calls that are allowed with any arguments.
const ALLOWED: &[i64] = &[
    SYS_brk,
    SYS_clock_getres,
    SYS_clock_gettime,
    SYS_clock_nanosleep,
    SYS_close,
    SYS_exit,
    SYS_exit_group,
    SYS_fstat,
    SYS_futex,
    SYS_getcpu,
    SYS_getpid,
    SYS_getrandom,
    SYS_getrusage,
    SYS_gettid,
    SYS_gettimeofday,
    SYS_lseek,
    SYS_madvise,
    SYS_membarrier,
    SYS_mremap,
    SYS_munmap,
    SYS_nanosleep,
    SYS_ppoll,
    SYS_pread64,
    SYS_pwrite64,
    SYS_read,
    SYS_readv,
    SYS_recvmsg,
    SYS_restart_syscall,
    SYS_rseq,
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_sigaltstack,
    SYS_write,
    SYS_writev,
];

/// The calls that libraries make although they do not need them: they open files with settings of the machine, and
/// continue without them.
pub(super) const OPTIONAL: &[i64] = &[libc::SYS_openat];

#[cfg(target_arch = "x86_64")]
const OF_THIS_PROCESSOR: &[i64] = &[libc::SYS_poll, libc::SYS_time];
#[cfg(not(target_arch = "x86_64"))]
const OF_THIS_PROCESSOR: &[i64] = &[];

pub(super) fn lists() -> Result<Lists, BackendError> {
    let mut allowed = Rules::new();
    add_all(&mut allowed, ALLOWED);
    add_all(&mut allowed, OF_THIS_PROCESSOR);
    // Only new threads of this process.
    let thread = CLONE_VM | CLONE_SIGHAND | CLONE_THREAD;
    allowed.insert(SYS_clone, vec![all_of(vec![has_bits(0, thread | NAMESPACES, thread)?])?]);
    // Only private memory, because the memory limit does not count shared memory, and no memory that grows by itself,
    // because the limit does not count it either. Nothing that can be executed.
    let private = has_bits(3, MAP_TYPE | MAP_GROWSDOWN, MAP_PRIVATE)?;
    allowed.insert(SYS_mmap, vec![all_of(vec![private, has_bits(2, PROT_EXEC, 0)?])?]);
    allowed.insert(SYS_mprotect, vec![all_of(vec![has_bits(2, PROT_EXEC, 0)?])?]);
    // Of `fcntl`, only the commands for the flags of a descriptor. Other commands send signals or lock files.
    let flags = [libc::F_GETFD, libc::F_SETFD, libc::F_GETFL];
    let flags = flags.into_iter().map(|command| all_of(vec![is(1, command.cast_unsigned())?]));
    allowed.insert(SYS_fcntl, flags.collect::<Result<_, _>>()?);
    allowed.insert(SYS_prctl, vec![all_of(vec![is(0, libc::PR_SET_NAME.cast_unsigned())?])?]);
    // Only the limits of this process.
    allowed.insert(SYS_prlimit64, vec![all_of(vec![is(0, 0)?])?]);
    // Only signals to this process, which `abort` sends.
    allowed.insert(SYS_tgkill, vec![all_of(vec![is(0, std::process::id())?])?]);
    add_all(&mut allowed, &[SYS_clone3, SYS_sched_getaffinity, SYS_statx]);

    let mut unsupported = Rules::new();
    // The filter cannot read the flags of `clone3`. The C library then uses `clone`.
    // Rust's standard library then reads the attributes of an open file with `fstat`.
    add_all(&mut unsupported, &[SYS_clone3, SYS_statx]);
    // The C library reads the processor affinity of each new thread, and accepts this error.
    unsupported.insert(SYS_sched_getaffinity, vec![all_of(vec![is_not(0, 0)?])?]);
    Ok(Lists { allowed, unsupported })
}
