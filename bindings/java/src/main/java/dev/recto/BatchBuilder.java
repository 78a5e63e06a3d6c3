package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import dev.recto.options.OperationOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The settings and the documents of a batch, from {@link RectoClient#batch}. */
public final class BatchBuilder extends BatchSettings<BatchBuilder> {
    private final RectoClient client;
    private final OperationOptions options;
    private final List<Source> sources = new ArrayList<>();
    private final Map<String, String> headers = new LinkedHashMap<>();

    BatchBuilder(RectoClient client, OperationOptions options) {
        this.client = client;
        this.options = options;
    }

    /**
     * Adds a local file.
     *
     * @param path the path
     * @return this
     */
    public BatchBuilder add(Path path) {
        return add(Source.of(path));
    }

    /**
     * Adds a document: any source but a stream.
     *
     * @param source the document
     * @return this
     */
    public BatchBuilder add(Source source) {
        sources.add(Objects.requireNonNull(source, "source"));
        return this;
    }

    /**
     * Sets a header of the requests of the batch.
     *
     * @param name the name
     * @param value the value
     * @return this
     */
    public BatchBuilder header(String name, String value) {
        headers.put(Objects.requireNonNull(name, "name"), Objects.requireNonNull(value, "value"));
        return this;
    }

    /**
     * Creates the batch. Nothing is read or sent before its first document is asked for.
     *
     * @return the batch, which must be closed
     */
    public Batch build() {
        long address = client.call(new CallOption[0], (call, handle) -> {
            long out = call.frame.slot();
            long operation = call.frame.text(options.operation());
            long json = OptionsJson.write(options, call.frame);
            call.check(CLibrary.recto_batch_new(handle, operation, json, out, call.error()));
            return Memory.getLong(out);
        });
        Batch batch = new Batch(address);
        try {
            fill(address);
            return batch;
        } catch (Throwable throwable) {
            batch.close();
            throw throwable;
        }
    }

    private void fill(long batch) {
        try (Frame frame = new Frame()) {
            long error = frame.slot();
            settings().forEach((name, value) -> Errors.check(
                    CLibrary.recto_batch_set(batch, frame.text(name), frame.value(value), error),
                    Memory.getLong(error)));
            headers.forEach((name, value) -> Errors.check(
                    CLibrary.recto_batch_set_header(batch, frame.text(name), frame.text(value), error),
                    Memory.getLong(error)));
        }
        for (Source source : sources) {
            try (Frame frame = new Frame()) {
                long error = frame.slot();
                Errors.check(source.addTo(batch, frame, error), Memory.getLong(error));
            }
        }
    }
}
