// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto;

import java.nio.file.Path;

/**
 * The settings of a batch.
 *
 * @param <B> the class of the builder
 */
public abstract class BatchSettings<B extends BatchSettings<B>> extends Settings {
    BatchSettings() {}

    /**
     * The directory of the result files, which is created if it does not exist. A result has the name of its source,
     * with the extension of the result's format. If another source of the batch has the same name, "-2", "-3" and so on
     * is appended. An existing file of that name is replaced. Default: result files stay in the service.
     *
     * @param to the value
     * @return this
     */
    public B to(Path to) {
        set("to", to);
        return self();
    }

    /**
     * Whether a result may replace a file that existed before the batch. If not, the document fails. Default: true.
     *
     * @param overwrite the value
     * @return this
     */
    public B overwrite(boolean overwrite) {
        set("overwrite", overwrite);
        return self();
    }

    /**
     * A directory that contains the sources. The results are saved in the same subdirectories below {@code to}.
     * Default: all results are in one directory.
     *
     * @param relativeTo the value
     * @return this
     */
    public B relativeTo(Path relativeTo) {
        set("relative_to", relativeTo);
        return self();
    }

    /**
     * How many documents are processed at the same time, 1 to 256. Default: 8.
     *
     * @param concurrency the value
     * @return this
     */
    public B concurrency(int concurrency) {
        set("concurrency", concurrency);
        return self();
    }

    /**
     * A file in which each step is recorded before the next one starts, without secrets. A batch with the journal of an
     * earlier run resumes it: finished documents are skipped, failed ones are tried again. Default: none.
     *
     * @param journal the value
     * @return this
     */
    public B journal(Path journal) {
        set("journal", journal);
        return self();
    }

    /**
     * Whether no further documents are started after the first one that fails. Default: false.
     *
     * @param stopOnError the value
     * @return this
     */
    public B stopOnError(boolean stopOnError) {
        set("stop_on_error", stopOnError);
        return self();
    }

    /**
     * Whether a document and its result are deleted from the service once the result is saved. Default: false.
     *
     * @param deleteAfter the value
     * @return this
     */
    public B deleteAfter(boolean deleteAfter) {
        set("delete_after", deleteAfter);
        return self();
    }

    /**
     * Whether an input is sent even if the operation does not take its extension. Default: false.
     *
     * @param force the value
     * @return this
     */
    public B force(boolean force) {
        set("force", force);
        return self();
    }

    /**
     * Options that this version does not know. Default: none.
     *
     * @param extraOptions the value
     * @return this
     */
    public B extraOptions(String extraOptions) {
        set("extra_options", extraOptions);
        return self();
    }

    @SuppressWarnings("unchecked")
    private B self() {
        return (B) this;
    }
}
