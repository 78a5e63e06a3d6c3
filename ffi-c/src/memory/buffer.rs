//! Buffers that the caller frees: allocated with C's `malloc`, so that tools such as valgrind and other languages can
//! handle them.

use std::ffi::c_void;
use std::io;
use std::ptr;

/// Frees a text or a buffer that a function of this library returned (`char **`, `void **`). NULL is allowed and does
/// nothing. It must not be used for handles, which have their own functions, nor for what an accessor returned as
/// `const`.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_free(memory: *mut c_void) {
    // SAFETY: the comment above requires NULL or memory that this library allocated with `malloc`.
    unsafe { libc::free(memory) };
}

/// A growable buffer in memory from `malloc`.
pub(crate) struct Buffer {
    start: *mut c_void,
    length: usize,
    capacity: usize,
}

impl Default for Buffer {
    fn default() -> Self {
        Self { start: ptr::null_mut(), length: 0, capacity: 0 }
    }
}

impl Buffer {
    /// Passes the memory to the caller, with its length. It is not NULL once `append` was called, even with no bytes.
    pub(crate) fn into_raw(mut self) -> (*mut c_void, usize) {
        (std::mem::replace(&mut self.start, ptr::null_mut()), self.length)
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let needed = self.length.checked_add(bytes.len()).ok_or_else(no_memory)?;
        if needed > self.capacity {
            let capacity = needed.max(self.capacity.saturating_mul(2)).max(64);
            // SAFETY: `start` is NULL or came from `realloc`, and is owned by this buffer.
            let grown = unsafe { libc::realloc(self.start, capacity) };
            if grown.is_null() {
                return Err(no_memory());
            }
            self.start = grown;
            self.capacity = capacity;
        }
        // SAFETY: `needed` bytes fit, and `bytes` does not overlap memory that this buffer owns.
        unsafe {
            self.start.cast::<u8>().add(self.length).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len())
        };
        self.length = needed;
        Ok(())
    }
}

impl io::Write for Buffer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.append(bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: `start` is NULL or came from `realloc`, and `into_raw` has not passed it to the caller.
        unsafe { libc::free(self.start) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn appended_bytes_are_kept() {
        let mut buffer = Buffer::default();
        let piece: Vec<u8> = (0..=255).collect();
        for _ in 0..5 {
            buffer.write_all(&piece).unwrap();
        }
        let (start, length) = buffer.into_raw();
        // SAFETY: `into_raw` returned this memory and its length.
        let copied = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) }.to_vec();
        assert_eq!(copied, piece.repeat(5));
        // SAFETY: `into_raw` returned this memory, and it is freed once.
        unsafe { recto_free(start) };
    }
}
