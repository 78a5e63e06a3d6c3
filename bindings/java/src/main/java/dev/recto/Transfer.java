package dev.recto;

import dev.recto.errors.ErrorDetails;
import dev.recto.errors.IoException;
import dev.recto.ffi.Memory;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** Copies between a stream of Java and the buffers of a call. */
final class Transfer {
    private static final int CHUNK = 64 * 1024;

    private final InputStream source;
    private final OutputStream target;
    private final String name;
    private byte[] chunk = new byte[CHUNK];

    private Transfer(InputStream source, OutputStream target, String name) {
        this.source = source;
        this.target = target;
        this.name = name;
    }

    static Transfer from(InputStream source, String name) {
        return new Transfer(source, null, name);
    }

    static Transfer to(OutputStream target) {
        return new Transfer(null, target, "the result");
    }

    /** Reads at most `size` bytes to memory. Returns how many; 0 at the end of the stream. */
    long read(long buffer, long size) {
        try {
            int length = source.read(chunk, 0, (int) Math.min(size, CHUNK));
            if (length <= 0) {
                return 0;
            }
            Memory.write(buffer, chunk, 0, length);
            return length;
        } catch (IOException exception) {
            throw failed("cannot read from the stream of " + name, exception);
        }
    }

    /** Writes bytes from memory. */
    void write(long data, long length) {
        try {
            for (long done = 0; done < length; done += CHUNK) {
                int now = (int) Math.min(CHUNK, length - done);
                Memory.read(data + done, chunk, 0, now);
                target.write(chunk, 0, now);
            }
        } catch (IOException exception) {
            throw failed("cannot write " + name + " to the stream", exception);
        }
    }

    private static IoException failed(String what, IOException cause) {
        IoException exception = new IoException(ErrorDetails.of(what + ": " + cause.getMessage()));
        exception.initCause(cause);
        return exception;
    }
}
