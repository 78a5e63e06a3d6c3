package dev.recto;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;

/** The bytes of a result file as they arrive: a thread downloads them, at most some pieces ahead of the reader. */
final class ResultStream extends InputStream {
    private static final int PIECES = 4;
    private static final byte[] END = new byte[0];

    private final BlockingQueue<byte[]> pieces = new ArrayBlockingQueue<>(PIECES);
    private final Thread downloader;
    private volatile Throwable failure;
    private volatile boolean closed;
    private byte[] piece = new byte[0];
    private int next;
    private boolean hasEnded;

    ResultStream(Operation operation, CallOption[] options) {
        downloader = new Thread(() -> download(operation, options), "recto-download");
        downloader.setDaemon(true);
        downloader.start();
    }

    private void download(Operation operation, CallOption[] options) {
        try {
            operation.writeTo(
                    new OutputStream() {
                        @Override
                        public void write(int value) throws IOException {
                            write(new byte[] {(byte) value}, 0, 1);
                        }

                        @Override
                        public void write(byte[] bytes, int offset, int length) throws IOException {
                            put(Arrays.copyOfRange(bytes, offset, offset + length));
                        }
                    },
                    options);
        } catch (Throwable throwable) {
            failure = throwable;
        }
        try {
            put(END);
        } catch (InterruptedIOException exception) {
            // The stream is closed: nobody reads the end.
            return;
        }
    }

    private void put(byte[] bytes) throws InterruptedIOException {
        try {
            if (closed) {
                throw new InterruptedException();
            }
            if (bytes.length > 0 || bytes == END) {
                pieces.put(bytes);
            }
        } catch (InterruptedException exception) {
            throw new InterruptedIOException("the stream of the result is closed");
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
        Objects.checkFromIndexSize(offset, length, bytes.length);
        if (closed) {
            throw new IOException("the stream of the result is closed");
        }
        if (length == 0) {
            return 0;
        }
        if (next == piece.length && !fill()) {
            return -1;
        }
        int now = Math.min(length, piece.length - next);
        System.arraycopy(piece, next, bytes, offset, now);
        next += now;
        return now;
    }

    @Override
    public int available() {
        return piece.length - next;
    }

    /** Takes the next piece. Returns false at the end of the file. */
    private boolean fill() throws IOException {
        if (!hasEnded) {
            try {
                piece = pieces.take();
            } catch (InterruptedException exception) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while waiting for the result");
            }
            next = 0;
            hasEnded = piece == END;
        }
        if (hasEnded && failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        return !hasEnded;
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            // It ends the call, or the wait for the reader.
            downloader.interrupt();
        }
    }
}
