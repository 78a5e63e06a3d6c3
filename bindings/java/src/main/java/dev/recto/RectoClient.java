package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import dev.recto.options.OperationOptions;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A client of the service. Any number of threads can use it at the same time.
 *
 * <p>Its methods for the operations are in {@link Operations}. The methods block; each has a twin whose name ends with
 * {@code Async}. An interrupt of the thread ends a blocking call with a {@link dev.recto.errors.CancelledException},
 * and the thread stays interrupted; cancelling the future of a call cancels the call. Calls that fail throw a {@link
 * dev.recto.errors.RectoException}.
 */
public final class RectoClient implements Operations, AutoCloseable {
    private final Handle handle;
    private final boolean isOriginal;
    private final String baseUrl;

    /** Takes ownership of a recto_client. */
    RectoClient(long address, boolean isOriginal) {
        handle = new Handle(this, "client", address, CLibrary::recto_client_free);
        this.isOriginal = isOriginal;
        baseUrl = Frame.string(CLibrary.recto_client_base_url(address));
    }

    /**
     * The address of the service, without user name and password.
     *
     * @return the address
     */
    public String baseUrl() {
        return baseUrl;
    }

    /**
     * Creates a copy with other settings, which shares the connections: the time limits, the retries, the headers and
     * the logger; other settings are refused. Closing this client ends the calls of its copies too; closing a copy does
     * not affect this client.
     *
     * @param changes sets what is different in the copy
     * @return the copy
     */
    public RectoClient with(Consumer<ClientBuilder> changes) {
        ClientBuilder builder = new ClientBuilder();
        changes.accept(builder);
        long client = handle.acquire();
        try {
            return builder.copy(client);
        } finally {
            handle.release();
        }
    }

    @Override
    public Operation start(Source source, OperationOptions options, CallOption... settings) {
        Objects.requireNonNull(source, "source");
        return call(settings, (call, client) -> {
            long operation = call.frame.text(options.operation());
            long json = OptionsJson.write(options, call.frame);
            long out = call.frame.slot();
            call.check(source.start(call, client, operation, json, out));
            return new Operation(Memory.getLong(out));
        });
    }

    @Override
    public CompletableFuture<Operation> startAsync(Source source, OperationOptions options, CallOption... settings) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(options, "options");
        return Async.call(() -> start(source, options, settings), Operation::close);
    }

    /**
     * Resumes an operation that was started before, possibly by another process. No request is sent.
     *
     * @param token what {@link Operation#token()} or {@link dev.recto.errors.RectoException#token()} has returned
     * @return the operation
     */
    public Operation resume(String token) {
        Objects.requireNonNull(token, "token");
        return call(new CallOption[0], (call, client) -> {
            long out = call.frame.slot();
            call.check(CLibrary.recto_resume(client, call.frame.text(token), out, call.error()));
            return new Operation(Memory.getLong(out));
        });
    }

    /**
     * Uploads a document, or makes the service download it.
     *
     * @param source the document
     * @param settings settings of this call
     * @return the identifier of the file
     */
    public FileId upload(Source source, CallOption... settings) {
        return call(settings, (call, client) -> {
            long out = call.frame.slot();
            call.check(source.upload(call, client, out));
            return new FileId(Operation.takeText(out));
        });
    }

    /**
     * {@link #upload} in the background.
     *
     * @param source the document
     * @param settings settings of this call
     * @return a future of the identifier of the file
     */
    public CompletableFuture<FileId> uploadAsync(Source source, CallOption... settings) {
        Objects.requireNonNull(source, "source");
        return Async.call(() -> upload(source, settings));
    }

    /**
     * Lists the active files.
     *
     * @param onlyResults whether uploads are left out
     * @param settings settings of this call
     * @return the files
     */
    public List<FileRecord> listFiles(boolean onlyResults, CallOption... settings) {
        return call(settings, (call, client) -> {
            long out = call.frame.slot();
            int only = onlyResults ? 1 : 0;
            call.check(CLibrary.recto_file_list_get(client, only, call.settings(), out, call.error()));
            return FileRecord.takeList(out);
        });
    }

    /**
     * {@link #listFiles} in the background.
     *
     * @param onlyResults whether uploads are left out
     * @param settings settings of this call
     * @return a future of the files
     */
    public CompletableFuture<List<FileRecord>> listFilesAsync(boolean onlyResults, CallOption... settings) {
        return Async.call(() -> listFiles(onlyResults, settings));
    }

    /**
     * Gets the record of a file.
     *
     * @param id the identifier of the file
     * @param settings settings of this call
     * @return the record
     */
    public FileRecord getFile(FileId id, CallOption... settings) {
        return call(settings, (call, client) -> {
            long out = call.frame.slot();
            long text = call.frame.text(id.value());
            call.check(CLibrary.recto_file_get(client, text, call.settings(), out, call.error()));
            long file = Memory.getLong(out);
            try {
                return FileRecord.of(file);
            } finally {
                CLibrary.recto_file_free(file);
            }
        });
    }

    /**
     * {@link #getFile} in the background.
     *
     * @param id the identifier of the file
     * @param settings settings of this call
     * @return a future of the record
     */
    public CompletableFuture<FileRecord> getFileAsync(FileId id, CallOption... settings) {
        return Async.call(() -> getFile(id, settings));
    }

    /**
     * Deletes a file.
     *
     * @param id the identifier of the file
     * @param settings settings of this call
     * @return the files that the response lists
     */
    public List<FileRecord> deleteFile(FileId id, CallOption... settings) {
        return call(settings, (call, client) -> {
            long out = call.frame.slot();
            long text = call.frame.text(id.value());
            call.check(CLibrary.recto_file_delete(client, text, call.settings(), out, call.error()));
            return FileRecord.takeList(out);
        });
    }

    /**
     * {@link #deleteFile} in the background.
     *
     * @param id the identifier of the file
     * @param settings settings of this call
     * @return a future of the files that the response lists
     */
    public CompletableFuture<List<FileRecord>> deleteFileAsync(FileId id, CallOption... settings) {
        return Async.call(() -> deleteFile(id, settings));
    }

    /**
     * Settings of a batch: one operation on many documents, several at the same time.
     *
     * @param options the options of the operation
     * @return the settings
     */
    public BatchBuilder batch(OperationOptions options) {
        return new BatchBuilder(this, Objects.requireNonNull(options, "options"));
    }

    /**
     * Ends the running calls of all threads with a {@link dev.recto.errors.CancelledException}; later calls are refused
     * with a {@link dev.recto.errors.ConfigException}. Operations continue in the service. A copy only refuses later
     * calls.
     */
    @Override
    public void close() {
        long client = handle.acquireIfOpen();
        if (client == 0) {
            return;
        }
        try {
            if (isOriginal) {
                CLibrary.recto_client_close(client);
            }
        } finally {
            handle.release();
            handle.close();
        }
    }

    @Override
    public String toString() {
        return "RectoClient[" + baseUrl + "]";
    }

    /** Makes a call with the handle, which stays valid meanwhile. */
    <T> T call(CallOption[] settings, Body<T> body) {
        long client = handle.acquire();
        try {
            return Invocation.run(settings, call -> body.call(call, client));
        } finally {
            handle.release();
        }
    }

    /** What is done with the handle. */
    @FunctionalInterface
    interface Body<T> {
        T call(Invocation call, long client);
    }
}
