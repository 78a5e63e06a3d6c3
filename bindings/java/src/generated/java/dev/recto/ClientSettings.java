// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto;

import java.nio.file.Path;
import java.time.Duration;

/**
 * The settings of a client.
 *
 * @param <B> the class of the builder
 */
public abstract class ClientSettings<B extends ClientSettings<B>> extends Settings {
    ClientSettings() {}

    /**
     * The address of the service, such as {@code https://pdf.example.com}; it may have a path. If it is set neither
     * here nor in the environment, the client uses the embedded service: documents are processed on this machine.
     *
     * @param baseUrl the value
     * @return this
     */
    public B baseUrl(String baseUrl) {
        set("base_url", baseUrl);
        return self();
    }

    /**
     * The API key, which is sent only to the origin of the base URL; empty for none.
     *
     * @param apiKey the value
     * @return this
     */
    public B apiKey(String apiKey) {
        set("api_key", apiKey);
        return self();
    }

    /**
     * The time limit of the whole call: upload, start, wait, download and retries; null for no limit. Default: no
     * limit. An API request with its retries is then limited to 5 minutes.
     *
     * @param timeout the value
     * @return this
     */
    public B timeout(Duration timeout) {
        set("timeout_ms", timeout == null ? -1L : timeout.toMillis());
        return self();
    }

    /**
     * How long to wait for a connection, including TLS. Default: 10000 ms.
     *
     * @param connectTimeout the value
     * @return this
     */
    public B connectTimeout(Duration connectTimeout) {
        set("connect_timeout_ms", connectTimeout.toMillis());
        return self();
    }

    /**
     * How long to wait for the response to a request, or for the next byte of a transfer. Default: 30000 ms.
     *
     * @param stallTimeout the value
     * @return this
     */
    public B stallTimeout(Duration stallTimeout) {
        set("stall_timeout_ms", stallTimeout.toMillis());
        return self();
    }

    /**
     * The time limit for waiting for the operation, within the time limit of the whole call; null for no limit. When it
     * expires, the call ends with WaitTimeout, and the operation continues. Default: no limit if {@code timeout} is
     * set, otherwise 15 minutes.
     *
     * @param waitTimeout the value
     * @return this
     */
    public B waitTimeout(Duration waitTimeout) {
        set("wait_timeout_ms", waitTimeout == null ? -1L : waitTimeout.toMillis());
        return self();
    }

    /**
     * How many times a failed request is repeated. Default: 3.
     *
     * @param retries the value
     * @return this
     */
    public B retries(int retries) {
        set("retries", retries);
        return self();
    }

    /**
     * Whether the start of an operation is also repeated if it is unknown whether it started. The operation may then
     * run, and be charged, twice. Default: false.
     *
     * @param retryUnknown the value
     * @return this
     */
    public B retryUnknown(boolean retryUnknown) {
        set("retry_unknown", retryUnknown);
        return self();
    }

    /**
     * Whether the base URL may be unencrypted http to another machine. Default: false.
     *
     * @param allowHttp the value
     * @return this
     */
    public B allowHttp(boolean allowHttp) {
        set("allow_http", allowHttp);
        return self();
    }

    /**
     * {@code http://[user:password&#64;]host:port}; empty for none. Default: the proxy of the environment (HTTPS_PROXY,
     * HTTP_PROXY, ALL_PROXY, NO_PROXY), which is never used for this machine itself.
     *
     * @param proxy the value
     * @return this
     */
    public B proxy(String proxy) {
        set("proxy", proxy);
        return self();
    }

    /**
     * A PEM file of certificate authorities to trust in addition to those of the system.
     *
     * @param caBundle the value
     * @return this
     */
    public B caBundle(Path caBundle) {
        set("ca_bundle", caBundle);
        return self();
    }

    /**
     * A PEM file with the TLS certificate of the client and its unencrypted private key.
     *
     * @param clientCertificate the value
     * @return this
     */
    public B clientCertificate(Path clientCertificate) {
        set("client_certificate", clientCertificate);
        return self();
    }

    /**
     * The User-Agent header. Default: "recto/" and the version.
     *
     * @param userAgent the value
     * @return this
     */
    public B userAgent(String userAgent) {
        set("user_agent", userAgent);
        return self();
    }

    /**
     * The largest JSON response, in bytes. Default: 16777216.
     *
     * @param jsonLimit the value
     * @return this
     */
    public B jsonLimit(long jsonLimit) {
        set("json_limit", jsonLimit);
        return self();
    }

    /**
     * Whether settings that are not set are taken from the environment. Default: true.
     *
     * @param environment the value
     * @return this
     */
    public B environment(boolean environment) {
        set("environment", environment);
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
     * Whether the embedded service keeps the files of an operation when its handle is freed. Default: false.
     *
     * @param keepFiles the value
     * @return this
     */
    public B keepFiles(boolean keepFiles) {
        set("keep_files", keepFiles);
        return self();
    }

    @SuppressWarnings("unchecked")
    private B self() {
        return (B) this;
    }
}
