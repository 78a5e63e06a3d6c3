package dev.recto;

import dev.recto.ffi.CLibrary;

/**
 * A service on this machine that was started explicitly. A client without a base URL starts one automatically.
 *
 * <p>For its clients it is a service at a base URL: files stay in it until they are deleted or expire, or it is closed.
 */
public final class LocalService implements AutoCloseable {
    private final Handle handle;
    private final String baseUrl;
    private final String apiKey;

    /** Takes ownership of a recto_local. */
    LocalService(long address) {
        handle = new Handle(this, "local service", address, CLibrary::recto_local_free);
        baseUrl = Frame.string(CLibrary.recto_local_base_url(address));
        apiKey = Frame.string(CLibrary.recto_local_api_key(address));
    }

    /**
     * The base URL for clients.
     *
     * @return the address
     */
    public String baseUrl() {
        return baseUrl;
    }

    /**
     * The API key for clients.
     *
     * @return the key
     */
    public String apiKey() {
        return apiKey;
    }

    /** Stops the service: aborts its operations, closes the port and removes its files. */
    @Override
    public void close() {
        handle.close();
    }

    /** The key is left out: it is a secret. */
    @Override
    public String toString() {
        return "LocalService[" + baseUrl + "]";
    }
}
