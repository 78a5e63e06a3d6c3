package dev.recto;

import dev.recto.errors.ErrorDetails;
import dev.recto.errors.InvalidRequestException;
import dev.recto.ffi.CLibrary;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;

/**
 * A document: a local file, bytes, a stream, an address that the service downloads, a file that is in the service, or
 * the result of an operation.
 */
public abstract class Source {
    private Source() {}

    /**
     * A local file.
     *
     * @param path the path, on the default file system
     * @return the source
     */
    public static Source of(Path path) {
        return new LocalFile(Objects.requireNonNull(path, "path"));
    }

    /**
     * Bytes.
     *
     * @param bytes the bytes, which must not change during the call
     * @param name a file name, whose extension determines the format
     * @return the source
     */
    public static Source of(byte[] bytes, String name) {
        return new Bytes(Objects.requireNonNull(bytes, "bytes"), Objects.requireNonNull(name, "name"));
    }

    /**
     * A stream of unknown length, which is first copied to a temporary file. It is not closed.
     *
     * @param stream the stream
     * @param name a file name, whose extension determines the format
     * @return the source, which can be used once
     */
    public static Source of(InputStream stream, String name) {
        return of(stream, name, -1);
    }

    /**
     * A stream of known length, which is sent as it is read. It is not closed.
     *
     * @param stream the stream
     * @param name a file name, whose extension determines the format
     * @param length the number of bytes that the stream has; -1 if this is not known
     * @return the source, which can be used once
     */
    public static Source of(InputStream stream, String name, long length) {
        return new Stream(Objects.requireNonNull(stream, "stream"), Objects.requireNonNull(name, "name"), length);
    }

    /**
     * A file that is in the service.
     *
     * @param id its identifier
     * @return the source
     */
    public static Source of(FileId id) {
        return new Stored(id.value());
    }

    /**
     * A document that the service downloads.
     *
     * @param url its http or https address
     * @return the source
     */
    public static Source of(URI url) {
        return url(url.toString());
    }

    /**
     * A document that the service downloads, whose address need not be a valid URI. {@link RectoClient#upload} sends
     * any text: the service decides whether it downloads from there.
     *
     * @param url its http or https address
     * @return the source
     */
    public static Source url(String url) {
        return new Address(Objects.requireNonNull(url, "url"));
    }

    /**
     * The result of an operation, for which the call waits.
     *
     * @param operation the operation
     * @return the source
     */
    public static Source of(Operation operation) {
        return new Chained(Objects.requireNonNull(operation, "operation"));
    }

    /**
     * The result file of an operation.
     *
     * @param result the result
     * @return the source
     */
    public static Source of(Result result) {
        return of(result.output()
                .map(Result.OutputFile::fileId)
                .orElseThrow(() -> invalid("the operation has no result file")));
    }

    /** Starts an operation: leaves its handle in `out`, and returns the status. */
    abstract int start(Invocation call, long client, long operation, long options, long out);

    /** Uploads the document: leaves its identifier in `out`, and returns the status. */
    abstract int upload(Invocation call, long client, long out);

    /** Adds the document to a batch. */
    abstract int addTo(long batch, Frame frame, long error);

    private static InvalidRequestException invalid(String message) {
        return new InvalidRequestException(ErrorDetails.of(message));
    }

    private static final class LocalFile extends Source {
        private final Path path;

        LocalFile(Path path) {
            this.path = path;
        }

        @Override
        int start(Invocation call, long client, long operation, long options, long out) {
            long text = call.frame.path(path);
            return CLibrary.recto_start_path(client, operation, text, options, call.settings(), out, call.error());
        }

        @Override
        int upload(Invocation call, long client, long out) {
            return CLibrary.recto_upload_path(client, call.frame.path(path), call.settings(), out, call.error());
        }

        @Override
        int addTo(long batch, Frame frame, long error) {
            return CLibrary.recto_batch_add(batch, frame.path(path), error);
        }
    }

    private static final class Address extends Source {
        private final String url;

        Address(String url) {
            this.url = url;
        }

        @Override
        int start(Invocation call, long client, long operation, long options, long out) {
            long text = call.frame.text(address());
            return CLibrary.recto_start_path(client, operation, text, options, call.settings(), out, call.error());
        }

        @Override
        int upload(Invocation call, long client, long out) {
            return CLibrary.recto_upload_url(client, call.frame.text(url), call.settings(), out, call.error());
        }

        @Override
        int addTo(long batch, Frame frame, long error) {
            return CLibrary.recto_batch_add(batch, frame.text(address()), error);
        }

        /** These functions take a path as well: a text that is not an address must not become one. */
        private String address() {
            if (!url.toLowerCase(Locale.ROOT).matches("(?s)https?://.*")) {
                throw invalid("the address of a document must begin with http:// or https://; use a path for a file");
            }
            return url;
        }
    }

    private static final class Bytes extends Source {
        private final byte[] bytes;
        private final String name;

        Bytes(byte[] bytes, String name) {
            this.bytes = bytes;
            this.name = name;
        }

        @Override
        int start(Invocation call, long client, long operation, long options, long out) {
            long data = call.frame.bytes(bytes);
            long text = call.frame.text(name);
            return CLibrary.recto_start_data(
                    client, operation, data, bytes.length, text, options, call.settings(), out, call.error());
        }

        @Override
        int upload(Invocation call, long client, long out) {
            long data = call.frame.bytes(bytes);
            return CLibrary.recto_upload_data(
                    client, data, bytes.length, call.frame.text(name), call.settings(), out, call.error());
        }

        @Override
        int addTo(long batch, Frame frame, long error) {
            return CLibrary.recto_batch_add_data(batch, frame.bytes(bytes), bytes.length, frame.text(name), error);
        }
    }

    private static final class Stream extends Source {
        private final InputStream stream;
        private final String name;
        private final long length;

        Stream(InputStream stream, String name, long length) {
            this.stream = stream;
            this.name = name;
            this.length = length;
        }

        @Override
        int start(Invocation call, long client, long operation, long options, long out) {
            call.transfer(Transfer.from(stream, name));
            return CLibrary.recto_start_stream(
                    client,
                    operation,
                    Callbacks.READ,
                    call.userdata(),
                    length,
                    call.frame.text(name),
                    options,
                    call.settings(),
                    out,
                    call.error());
        }

        @Override
        int upload(Invocation call, long client, long out) {
            call.transfer(Transfer.from(stream, name));
            long text = call.frame.text(name);
            return CLibrary.recto_upload_stream(
                    client, Callbacks.READ, call.userdata(), length, text, call.settings(), out, call.error());
        }

        @Override
        int addTo(long batch, Frame frame, long error) {
            throw invalid("a stream cannot be part of a batch; read its bytes, or upload it first");
        }
    }

    private static final class Stored extends Source {
        private final String id;

        Stored(String id) {
            this.id = Objects.requireNonNull(id, "id");
        }

        @Override
        int start(Invocation call, long client, long operation, long options, long out) {
            return CLibrary.recto_start(
                    client, operation, call.frame.text(id), options, call.settings(), out, call.error());
        }

        @Override
        int upload(Invocation call, long client, long out) {
            throw invalid("the file " + id + " is already in the service");
        }

        @Override
        int addTo(long batch, Frame frame, long error) {
            return CLibrary.recto_batch_add_file(batch, frame.text(id), error);
        }
    }

    private static final class Chained extends Source {
        private final Operation previous;

        Chained(Operation previous) {
            this.previous = previous;
        }

        @Override
        int start(Invocation call, long client, long operation, long options, long out) {
            return previous.use(handle -> CLibrary.recto_start_chained(
                    client, operation, handle, options, call.settings(), out, call.error()));
        }

        @Override
        int upload(Invocation call, long client, long out) {
            throw invalid("the result of an operation is already in the service");
        }

        @Override
        int addTo(long batch, Frame frame, long error) {
            return previous.use(handle -> CLibrary.recto_batch_add_operation(batch, handle, error));
        }
    }
}
