package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;

/**
 * The entry to Recto: a client for a PDF processing service, with an embedded service for use on one machine.
 *
 * <pre>{@code
 * try (var client = Recto.client().build();
 *         var operation = client.optimize(Path.of("report.pdf"))) {
 *     operation.save(Path.of("small.pdf"));
 * }
 * }</pre>
 */
public final class Recto {
    private Recto() {}

    /**
     * Settings of a client. Those that are not set are taken from the environment: RECTO_BASE_URL, RECTO_API_KEY,
     * RECTO_TIMEOUT (in seconds). Without a base URL the client uses the embedded service: no document leaves the
     * machine.
     *
     * @return the settings
     */
    public static ClientBuilder client() {
        return new ClientBuilder();
    }

    /**
     * Settings of a service that is started explicitly, for other programs or for clients with their own settings.
     *
     * @return the settings
     */
    public static LocalServiceBuilder localService() {
        return new LocalServiceBuilder();
    }

    /**
     * The version of the C library that is loaded.
     *
     * @return the version, such as "0.1.0"
     */
    public static String version() {
        return Frame.string(CLibrary.recto_version_string());
    }

    /**
     * Whether the C library that is loaded has a feature: "local" (the embedded service), "http2".
     *
     * @param name the name of the feature
     * @return whether it has it
     */
    public static boolean hasFeature(String name) {
        try (Frame frame = new Frame()) {
            return CLibrary.recto_has_feature(frame.text(name)) != 0;
        }
    }

    /**
     * How the C library is called: "JNA", or "FFM" (the foreign function and memory API) on Java 22 and later.
     *
     * @return the name
     */
    public static String implementation() {
        return Memory.implementation();
    }

    /**
     * Ends the threads of the C library and closes its descriptors. Close the batches, operations, clients and local
     * services first. A program does not have to call this before it exits.
     *
     * @throws dev.recto.errors.ConfigException if calls are running, or if the embedded service is still used
     */
    public static void shutdown() {
        try (Frame frame = new Frame()) {
            long error = frame.slot();
            Errors.check(CLibrary.recto_shutdown(error), Memory.getLong(error));
        }
    }
}
