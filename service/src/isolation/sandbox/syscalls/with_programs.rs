//! The system calls of a worker that starts LibreOffice: what ordinary programs use. No call changes mounts,
//! namespaces, owners, modes or attributes of files, or inspects another process, and none of the rarely used parts of
//! the kernel can be reached.

use super::{Lists, NAMESPACES, add_all, all_of, has_bits, is, is_not, without_programs};
use libc::{
    AF_UNIX, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_SHARED, PR_SET_DUMPABLE, SYS_accept, SYS_accept4, SYS_bind,
    SYS_chdir, SYS_clone, SYS_close_range, SYS_connect, SYS_copy_file_range, SYS_dup, SYS_dup3,
    SYS_epoll_create1, SYS_epoll_ctl, SYS_epoll_pwait, SYS_epoll_pwait2, SYS_eventfd2, SYS_execve,
    SYS_faccessat, SYS_faccessat2, SYS_fallocate, SYS_fchdir, SYS_fcntl, SYS_fdatasync, SYS_fgetxattr,
    SYS_flistxattr, SYS_flock, SYS_fstatfs, SYS_fsync, SYS_ftruncate, SYS_getcwd, SYS_getdents64,
    SYS_getegid, SYS_geteuid, SYS_getgid, SYS_getgroups, SYS_getitimer, SYS_getpeername, SYS_getpgid,
    SYS_getppid, SYS_getpriority, SYS_getresgid, SYS_getresuid, SYS_getsid, SYS_getsockname, SYS_getsockopt,
    SYS_getuid, SYS_getxattr, SYS_inotify_add_watch, SYS_inotify_init1, SYS_inotify_rm_watch, SYS_ioctl,
    SYS_kill, SYS_lgetxattr, SYS_linkat, SYS_listen, SYS_listxattr, SYS_llistxattr, SYS_mincore, SYS_mkdirat,
    SYS_mlock, SYS_mmap, SYS_mprotect, SYS_msync, SYS_munlock, SYS_newfstatat, SYS_openat, SYS_pipe2,
    SYS_prctl, SYS_preadv, SYS_prlimit64, SYS_pselect6, SYS_pwritev, SYS_readahead, SYS_readlinkat,
    SYS_recvfrom, SYS_renameat2, SYS_rt_sigpending, SYS_rt_sigsuspend, SYS_rt_sigtimedwait,
    SYS_sched_get_priority_max, SYS_sched_get_priority_min, SYS_sched_getparam, SYS_sched_getscheduler,
    SYS_sched_setaffinity, SYS_sendmsg, SYS_sendto, SYS_set_tid_address, SYS_setitimer, SYS_setpgid,
    SYS_setsid, SYS_setsockopt, SYS_shutdown, SYS_signalfd4, SYS_socket, SYS_socketpair, SYS_splice,
    SYS_statfs, SYS_statx, SYS_symlinkat, SYS_sysinfo, SYS_tgkill, SYS_timer_create, SYS_timer_delete,
    SYS_timer_getoverrun, SYS_timer_gettime, SYS_timer_settime, SYS_timerfd_create, SYS_timerfd_gettime,
    SYS_timerfd_settime, SYS_times, SYS_truncate, SYS_umask, SYS_uname, SYS_unlinkat, SYS_wait4, SYS_waitid,
};
use seccompiler::BackendError;

/// The calls that are allowed with any arguments, in addition to those of a worker that starts no programs.
const ALLOWED: &[i64] = &[
    // Files: Landlock and the mounts decide which.
    SYS_chdir,
    SYS_copy_file_range,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_fallocate,
    SYS_fchdir,
    SYS_fcntl,
    SYS_fdatasync,
    SYS_fgetxattr,
    SYS_flistxattr,
    SYS_flock,
    SYS_fstatfs,
    SYS_fsync,
    SYS_ftruncate,
    SYS_getcwd,
    SYS_getdents64,
    SYS_getxattr,
    SYS_inotify_add_watch,
    SYS_inotify_init1,
    SYS_inotify_rm_watch,
    SYS_ioctl,
    SYS_lgetxattr,
    SYS_linkat,
    SYS_listxattr,
    SYS_llistxattr,
    SYS_mkdirat,
    SYS_newfstatat,
    SYS_openat,
    SYS_preadv,
    SYS_pwritev,
    SYS_readahead,
    SYS_readlinkat,
    SYS_renameat2,
    SYS_splice,
    SYS_statfs,
    SYS_statx,
    SYS_symlinkat,
    SYS_truncate,
    SYS_umask,
    SYS_unlinkat,
    // Descriptors, pipes, and sockets between the processes of the worker.
    SYS_accept,
    SYS_accept4,
    SYS_bind,
    SYS_close_range,
    SYS_connect,
    SYS_dup,
    SYS_dup3,
    SYS_epoll_create1,
    SYS_epoll_ctl,
    SYS_epoll_pwait,
    SYS_epoll_pwait2,
    SYS_eventfd2,
    SYS_getpeername,
    SYS_getsockname,
    SYS_getsockopt,
    SYS_listen,
    SYS_pipe2,
    SYS_pselect6,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_sendto,
    SYS_setsockopt,
    SYS_shutdown,
    // Processes. Signals reach only processes of the worker: see Landlock and the PID namespace.
    SYS_execve,
    SYS_getegid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getgroups,
    SYS_getpgid,
    SYS_getppid,
    SYS_getpriority,
    SYS_getresgid,
    SYS_getresuid,
    SYS_getsid,
    SYS_getuid,
    SYS_kill,
    SYS_rt_sigpending,
    SYS_rt_sigsuspend,
    SYS_rt_sigtimedwait,
    SYS_sched_get_priority_max,
    SYS_sched_get_priority_min,
    SYS_set_tid_address,
    SYS_setpgid,
    SYS_setsid,
    SYS_signalfd4,
    SYS_tgkill,
    SYS_wait4,
    SYS_waitid,
    // Memory and time.
    SYS_getitimer,
    SYS_mincore,
    SYS_mlock,
    SYS_mprotect,
    SYS_msync,
    SYS_munlock,
    SYS_setitimer,
    SYS_sysinfo,
    SYS_timer_create,
    SYS_timer_delete,
    SYS_timer_getoverrun,
    SYS_timer_gettime,
    SYS_timer_settime,
    SYS_timerfd_create,
    SYS_timerfd_gettime,
    SYS_timerfd_settime,
    SYS_times,
    SYS_uname,
];

/// The calls of this processor that have a newer form in [`ALLOWED`].
#[cfg(target_arch = "x86_64")]
const OF_THIS_PROCESSOR: &[i64] = &[
    libc::SYS_access,
    libc::SYS_alarm,
    libc::SYS_arch_prctl,
    libc::SYS_creat,
    libc::SYS_dup2,
    libc::SYS_epoll_create,
    libc::SYS_epoll_wait,
    libc::SYS_eventfd,
    libc::SYS_fork,
    libc::SYS_getdents,
    libc::SYS_getpgrp,
    libc::SYS_getrlimit,
    libc::SYS_inotify_init,
    libc::SYS_link,
    libc::SYS_lstat,
    libc::SYS_mkdir,
    libc::SYS_open,
    libc::SYS_pause,
    libc::SYS_pipe,
    libc::SYS_readlink,
    libc::SYS_rename,
    libc::SYS_renameat,
    libc::SYS_rmdir,
    libc::SYS_select,
    libc::SYS_signalfd,
    libc::SYS_stat,
    libc::SYS_symlink,
    libc::SYS_unlink,
    libc::SYS_vfork,
];
#[cfg(target_arch = "aarch64")]
const OF_THIS_PROCESSOR: &[i64] = &[libc::SYS_renameat];
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
const OF_THIS_PROCESSOR: &[i64] = &[];

/// `fadvise64` and `sendfile`. `libc` does not have these names for every processor of the kernel's generic table.
#[cfg(target_arch = "x86_64")]
const ADVISE_AND_SEND: &[i64] = &[libc::SYS_fadvise64, libc::SYS_sendfile];
#[cfg(not(target_arch = "x86_64"))]
const ADVISE_AND_SEND: &[i64] = &[223, 71];

/// The calls that read or set how this process is scheduled. The first argument is the process.
const SCHEDULING: &[i64] = &[SYS_sched_getparam, SYS_sched_getscheduler, SYS_sched_setaffinity];

pub(super) fn lists() -> Result<Lists, BackendError> {
    let Lists { mut allowed, mut unsupported } = without_programs::lists()?;
    add_all(&mut allowed, ALLOWED);
    add_all(&mut allowed, OF_THIS_PROCESSOR);
    add_all(&mut allowed, ADVISE_AND_SEND);
    unsupported.remove(&SYS_statx);
    // No new namespaces.
    allowed.insert(SYS_clone, vec![all_of(vec![has_bits(0, NAMESPACES, 0)?])?]);
    // Files can be mapped, but no shared memory without a file, and no memory that grows by itself: no limit counts it.
    let private = has_bits(3, MAP_SHARED | MAP_GROWSDOWN, 0)?;
    let file = has_bits(3, MAP_ANONYMOUS | MAP_GROWSDOWN, 0)?;
    allowed.insert(SYS_mmap, vec![all_of(vec![private])?, all_of(vec![file])?]);
    // Only the limits and the scheduling of the calling process.
    for call in SCHEDULING.iter().chain(&[SYS_prlimit64]) {
        allowed.insert(*call, vec![all_of(vec![is(0, 0)?])?]);
    }
    // No process hides its open files from the service, which measures those without a name.
    let visible = is_not(0, PR_SET_DUMPABLE.cast_unsigned())?;
    allowed.insert(SYS_prctl, vec![all_of(vec![visible])?]);
    // Only sockets between processes of this machine.
    for call in [SYS_socket, SYS_socketpair] {
        allowed.insert(call, vec![all_of(vec![is(0, AF_UNIX.cast_unsigned())?])?]);
    }
    Ok(Lists { allowed, unsupported })
}
