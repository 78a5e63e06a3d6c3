package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * A started operation. It stays valid after its client is closed.
 *
 * <p>Closing it does not stop the operation in the service. The embedded service then deletes the operation's files
 * that are no longer needed. An operation that is not closed is closed when it is collected.
 *
 * <p>Any number of threads can use an operation at the same time. An interrupt of the thread ends a call with a {@link
 * dev.recto.errors.CancelledException}, and the thread stays interrupted; cancelling the future of a call cancels the
 * call.
 */
public final class Operation implements AutoCloseable {
    private final Handle handle;
    private final String id;
    private final String name;
    private final String type;
    private final String requestId;

    /** Takes ownership of a recto_operation. */
    Operation(long address) {
        handle = new Handle(this, "operation", address, CLibrary::recto_operation_free);
        id = Frame.string(CLibrary.recto_operation_id(address));
        name = Frame.string(CLibrary.recto_operation_name(address));
        type = Frame.string(CLibrary.recto_operation_type(address));
        requestId = Frame.string(CLibrary.recto_operation_request_id(address));
    }

    /**
     * The identifier of the operation in the service.
     *
     * @return the identifier
     */
    public String id() {
        return id;
    }

    /**
     * The name of the operation, such as "stamp-qr".
     *
     * @return the name
     */
    public String name() {
        return name;
    }

    /**
     * The type, as in the response to the start of the operation, such as "stampQR".
     *
     * @return the type
     */
    public String type() {
        return type;
    }

    /**
     * The identifier under which the service logged the request that started the operation.
     *
     * @return the identifier; empty if the service sent none, and for a resumed operation
     */
    public Optional<String> requestId() {
        return Optional.ofNullable(requestId);
    }

    /**
     * The token with which {@link RectoClient#resume} resumes the operation, also in another process. It contains no
     * secret. An embedded service keeps the files of the operation from now on.
     *
     * @return the token
     */
    public String token() {
        return use(operation -> Frame.string(CLibrary.recto_operation_token(operation)));
    }

    /**
     * Keeps the files of the operation in the embedded service until they expire, also when the operation is closed.
     */
    public void keep() {
        use(operation -> {
            CLibrary.recto_operation_keep(operation);
            return null;
        });
    }

    /**
     * Requests the status once.
     *
     * @param options settings of this call
     * @return the status as the service spells it, such as "inProgress"
     */
    public String status(CallOption... options) {
        return call(options, (call, operation) -> {
            long out = call.frame.slot();
            call.check(CLibrary.recto_operation_status(operation, call.settings(), out, call.error()));
            return takeText(out);
        });
    }

    /**
     * {@link #status} in the background.
     *
     * @param options settings of this call
     * @return a future of the status
     */
    public CompletableFuture<String> statusAsync(CallOption... options) {
        return Async.call(() -> status(options));
    }

    /**
     * Waits until the operation has ended. A document that does not conform is a result, not an error.
     *
     * @param options settings of this call
     * @return the result
     */
    public Result result(CallOption... options) {
        return call(options, (call, operation) -> {
            long out = call.frame.slot();
            call.check(CLibrary.recto_operation_wait(operation, call.settings(), out, call.error()));
            return Result.take(Memory.getLong(out));
        });
    }

    /**
     * {@link #result} in the background.
     *
     * @param options settings of this call
     * @return a future of the result
     */
    public CompletableFuture<Result> resultAsync(CallOption... options) {
        return Async.call(() -> result(options));
    }

    /**
     * Waits, and saves the result file. An existing file is replaced only when the new one is complete.
     *
     * @param target a file, or a folder, in which the file is named after the document
     * @param options settings of this call
     * @return the path of the file
     */
    public Path save(Path target, CallOption... options) {
        return call(options, (call, operation) -> {
            long out = call.frame.slot();
            long path = call.frame.path(target);
            call.check(CLibrary.recto_operation_save(operation, path, call.settings(), out, call.error()));
            long saved = Memory.getLong(out);
            try {
                return Frame.toPath(saved);
            } finally {
                CLibrary.recto_free(saved);
            }
        });
    }

    /**
     * {@link #save} in the background.
     *
     * @param target a file, or a folder
     * @param options settings of this call
     * @return a future of the path of the file
     */
    public CompletableFuture<Path> saveAsync(Path target, CallOption... options) {
        Objects.requireNonNull(target, "target");
        return Async.call(() -> save(target, options));
    }

    /**
     * Waits, and reads the result file into memory.
     *
     * @param options settings of this call
     * @return the bytes of the result file
     */
    public byte[] read(CallOption... options) {
        return call(options, (call, operation) -> {
            long out = call.frame.slot();
            long length = call.frame.slot();
            call.check(CLibrary.recto_operation_read(operation, call.settings(), out, length, call.error()));
            long data = Memory.getLong(out);
            try {
                byte[] bytes = new byte[Math.toIntExact(Memory.getLong(length))];
                Memory.read(data, bytes, 0, bytes.length);
                return bytes;
            } finally {
                CLibrary.recto_free(data);
            }
        });
    }

    /**
     * {@link #read} in the background.
     *
     * @param options settings of this call
     * @return a future of the bytes
     */
    public CompletableFuture<byte[]> readAsync(CallOption... options) {
        return Async.call(() -> read(options));
    }

    /**
     * Waits, and writes the result file to a stream, in pieces. The stream is not closed.
     *
     * @param target the stream
     * @param options settings of this call
     * @return the number of bytes
     */
    public long writeTo(OutputStream target, CallOption... options) {
        Objects.requireNonNull(target, "target");
        return call(options, (call, operation) -> {
            long length = call.frame.slot();
            call.transfer(Transfer.to(target));
            call.check(CLibrary.recto_operation_stream(
                    operation, Callbacks.WRITE, call.userdata(), call.settings(), length, call.error()));
            return Memory.getLong(length);
        });
    }

    /**
     * {@link #writeTo} in the background.
     *
     * @param target the stream, which must not be used otherwise before the future has completed
     * @param options settings of this call
     * @return a future of the number of bytes
     */
    public CompletableFuture<Long> writeToAsync(OutputStream target, CallOption... options) {
        return Async.call(() -> writeTo(target, options));
    }

    /**
     * Waits in the background, and returns the bytes of the result file as they arrive. A failure is thrown by read(),
     * as an IOException with the cause. Closing the stream early cancels the download.
     *
     * @param options settings of this call
     * @return the stream, which must be closed
     */
    public InputStream open(CallOption... options) {
        return new ResultStream(this, options);
    }

    /**
     * Deletes from the service the result file, and the document if it was uploaded by the call that started the
     * operation.
     *
     * @param options settings of this call
     */
    public void delete(CallOption... options) {
        call(options, (call, operation) ->
                call.check(CLibrary.recto_operation_delete(operation, call.settings(), call.error())));
    }

    /**
     * {@link #delete} in the background.
     *
     * @param options settings of this call
     * @return a future
     */
    public CompletableFuture<Void> deleteAsync(CallOption... options) {
        return Async.call(() -> {
            delete(options);
            return null;
        });
    }

    /** Frees the handle; calls that are running continue. */
    @Override
    public void close() {
        handle.close();
    }

    @Override
    public String toString() {
        return "Operation[" + name + " " + id + "]";
    }

    /** Uses the handle, which stays valid meanwhile. */
    <T> T use(LongFunction<T> body) {
        long operation = handle.acquire();
        try {
            return body.apply(operation);
        } finally {
            handle.release();
        }
    }

    /** Reads and frees a text that a call has left in `slot`. */
    static String takeText(long slot) {
        long text = Memory.getLong(slot);
        try {
            return Frame.string(text);
        } finally {
            CLibrary.recto_free(text);
        }
    }

    private <T> T call(CallOption[] options, Body<T> body) {
        return use(operation -> Invocation.run(options, call -> body.call(call, operation)));
    }

    /** What is done with the handle. */
    @FunctionalInterface
    private interface Body<T> {
        T call(Invocation call, long operation);
    }
}
