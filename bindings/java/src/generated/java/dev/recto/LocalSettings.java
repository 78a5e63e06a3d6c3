// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The settings of a service on this machine.
 *
 * @param <B> the class of the builder
 */
public abstract class LocalSettings<B extends LocalSettings<B>> extends Settings {
    LocalSettings() {}

    /**
     * The port to listen on. Default: a free port.
     *
     * @param port the value
     * @return this
     */
    public B port(int port) {
        set("port", port);
        return self();
    }

    /**
     * The key that clients must send. Default: a random one.
     *
     * @param apiKey the value
     * @return this
     */
    public B apiKey(String apiKey) {
        set("api_key", apiKey);
        return self();
    }

    /**
     * The ports from which the service may download documents, such as [80, 443, 8443]. Default: 80 and 443, or every
     * port with {@code allowPrivateUrls}.
     *
     * @param fetchPorts the value
     * @return this
     */
    public B fetchPorts(List<Integer> fetchPorts) {
        set("fetch_ports", List.copyOf(fetchPorts));
        return self();
    }

    /**
     * How the embedded service isolates documents from this process. {@code best} processes them in worker processes
     * that are sandboxed as far as the system allows, or in this process if no program for them is known. {@code
     * workers} requires workers, {@code strict} workers with a complete sandbox: otherwise no client is created. {@code
     * none} processes documents in this process. Default: best.
     *
     * @param isolation the value
     * @return this
     */
    public B isolation(String isolation) {
        set("isolation", isolation);
        return self();
    }

    /**
     * The path of the {@code recto} program from which the embedded service starts its workers. Default: the program of
     * the environment variable RECTO_WORKER, or else the one that is installed with the library or with this program.
     *
     * @param worker the value
     * @return this
     */
    public B worker(Path worker) {
        set("worker", worker);
        return self();
    }

    /**
     * How many operations the embedded service runs at the same time. Default: one for each core.
     *
     * @param workers the value
     * @return this
     */
    public B workers(int workers) {
        set("workers", workers);
        return self();
    }

    /**
     * The memory limit of a worker process, in bytes. Default: 4294967296.
     *
     * @param workerMemory the value
     * @return this
     */
    public B workerMemory(long workerMemory) {
        set("worker_memory", workerMemory);
        return self();
    }

    /**
     * How many bytes a document may decode to, if it is processed in this process. Default: 268435456.
     *
     * @param inProcessBytes the value
     * @return this
     */
    public B inProcessBytes(long inProcessBytes) {
        set("in_process_bytes", inProcessBytes);
        return self();
    }

    /**
     * The size limit of all files and results in the embedded service, in bytes. Default: 68719476736.
     *
     * @param storedBytes the value
     * @return this
     */
    public B storedBytes(long storedBytes) {
        set("stored_bytes", storedBytes);
        return self();
    }

    /**
     * After which time the embedded service deletes files and results that were not deleted earlier. Default: 86400000
     * (24 hours).
     *
     * @param retention the value
     * @return this
     */
    public B retention(Duration retention) {
        set("retention_ms", retention.toMillis());
        return self();
    }

    /**
     * An existing directory, in which the embedded service creates a private directory for its files. Default: the
     * temporary directory of the system.
     *
     * @param dataDir the value
     * @return this
     */
    public B dataDir(Path dataDir) {
        set("data_dir", dataDir);
        return self();
    }

    /**
     * Whether the service may download documents from addresses of private networks. Default: false.
     *
     * @param allowPrivateUrls the value
     * @return this
     */
    public B allowPrivateUrls(boolean allowPrivateUrls) {
        set("allow_private_urls", allowPrivateUrls);
        return self();
    }

    @SuppressWarnings("unchecked")
    private B self() {
        return (B) this;
    }
}
