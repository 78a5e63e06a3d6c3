//! System calls without the checks of a library. `unsafe` is allowed in this test only: a hostile worker makes calls
//! that no safe library offers.

use std::ffi::CString;
use std::os::fd::IntoRawFd as _;
use std::sync::atomic::{AtomicI32, Ordering};

/// The error of a system call, or `None` if the system allowed it.
pub type Outcome = Option<i32>;

/// Makes the system call `number`. Every call of this test either fails without an effect, or has an effect only on
/// files and processes of the test.
pub fn call(number: i64, arguments: [i64; 6]) -> Outcome {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: pointers among the arguments are null, invalid on purpose, or point to values that outlive the call.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    (result == -1).then(|| std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
}

/// Makes a system call that creates a process. A new process ends at once.
pub fn create_process(number: i64, arguments: [i64; 6]) -> Outcome {
    let [a, b, c, d, e, f] = arguments;
    // SAFETY: the new process, which has a copy of the memory of this one, only makes the call `_exit`.
    let result = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if result == 0 {
        // SAFETY: `_exit` has no conditions.
        unsafe { libc::_exit(0) }
    }
    (result == -1).then(|| std::io::Error::last_os_error().raw_os_error().unwrap_or(0))
}

/// Makes the system call `number` in this process. If this fails, makes it in a new process: the first process of a
/// group may not make every call.
pub fn in_new_process(number: i64) -> Outcome {
    let refused = call(number, [0; 6])?;
    // SAFETY: as in `create_process`.
    let process = unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) };
    if process == 0 {
        let error = call(number, [0; 6]).unwrap_or(0);
        // SAFETY: `_exit` has no conditions.
        unsafe { libc::_exit(error) }
    }
    let mut status = 0;
    // SAFETY: `status` outlives the call.
    let waited = unsafe { libc::waitpid(i32::try_from(process).unwrap_or(-1), &mut status, 0) };
    if process == -1 || waited == -1 {
        return Some(refused);
    }
    Some(libc::WEXITSTATUS(status)).filter(|error| *error != 0)
}

/// The file that the numbers of refused system calls are written to.
static RECORD: AtomicI32 = AtomicI32::new(-1);

/// From now on, the signal SIGSYS writes the number of the refused system call into `file`, and ends the process.
pub fn record_signals(file: &str) {
    let file = std::fs::File::options().append(true).open(file).unwrap();
    RECORD.store(file.into_raw_fd(), Ordering::Relaxed);
    let handler: extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) = record;
    // SAFETY: an empty set is valid, and the handler has the signature that SA_SIGINFO requires.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as usize;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(libc::sigaction(libc::SIGSYS, &action, std::ptr::null_mut()), 0);
    }
}

/// The beginning of `siginfo_t` for SIGSYS: see sigaction(2).
#[repr(C)]
struct SignalOfCall {
    signal: i32,
    errno: i32,
    code: i32,
    padding: i32,
    address: *mut libc::c_void,
    number: i32,
}

extern "C" fn record(_: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid `siginfo_t`, which has this layout for SIGSYS.
    let mut number = unsafe { (*info.cast::<SignalOfCall>()).number };
    let mut digits = *b"          \n";
    for digit in digits[..10].iter_mut().rev() {
        *digit = b'0' + u8::try_from(number % 10).unwrap_or_default();
        number /= 10;
    }
    // SAFETY: `write` and `_exit` may be called in a signal handler, and `digits` outlives the call.
    unsafe {
        libc::write(RECORD.load(Ordering::Relaxed), digits.as_ptr().cast(), digits.len());
        libc::_exit(159)
    }
}

/// A path as an argument. It is never freed, so it outlives the call.
pub fn text(text: &str) -> i64 {
    CString::new(text).unwrap().into_raw() as i64
}

/// A value as an argument. It is never freed, so it outlives the call.
pub fn value<T>(value: T) -> i64 {
    Box::into_raw(Box::new(value)) as i64
}
