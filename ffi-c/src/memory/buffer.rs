//! Memory that the library gives away: allocated with C's `malloc`, so that any tool and any language can follow it.

use std::ffi::c_void;
use std::io;
use std::ptr;

/// Frees a text or a buffer that a function of this library gave (`char **`, `void **`). NULL is a no-op. It never
/// frees a handle (those have functions of their own), nor what an accessor returned as `const`.
///
/// Threads: any.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn recto_free(memory: *mut c_void) {
    // SAFETY: as said above, it is NULL or came from `malloc` by way of this library.
    unsafe { libc::free(memory) };
}

/// Bytes that grow in `malloc`ed memory.
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
    /// The memory, now the caller's, and how much of it is in use. Never NULL once something was appended.
    pub(crate) fn into_raw(mut self) -> (*mut c_void, usize) {
        (std::mem::replace(&mut self.start, ptr::null_mut()), self.length)
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> io::Result<()> {
        let no_memory = || io::Error::from(io::ErrorKind::OutOfMemory);
        let needed = self.length.checked_add(bytes.len()).ok_or_else(no_memory)?;
        if needed > self.capacity {
            let capacity = needed.max(self.capacity.saturating_mul(2)).max(64);
            // SAFETY: `start` is NULL or came from `realloc`, and is in nobody else's hands.
            let grown = unsafe { libc::realloc(self.start, capacity) };
            if grown.is_null() {
                return Err(no_memory());
            }
            self.start = grown;
            self.capacity = capacity;
        }
        // SAFETY: `needed` bytes fit, and what is appended lies elsewhere.
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
        // SAFETY: `start` is NULL or came from `realloc`, and was not given away.
        unsafe { libc::free(self.start) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn what_is_appended_is_there() {
        let mut buffer = Buffer::default();
        let piece: Vec<u8> = (0..=255).collect();
        for _ in 0..5 {
            buffer.write_all(&piece).unwrap();
        }
        let (start, length) = buffer.into_raw();
        // SAFETY: the buffer gave this memory away.
        let seen = unsafe { std::slice::from_raw_parts(start.cast::<u8>(), length) }.to_vec();
        assert_eq!(seen, piece.repeat(5));
        // SAFETY: it is ours to free.
        unsafe { recto_free(start) };
    }
}
