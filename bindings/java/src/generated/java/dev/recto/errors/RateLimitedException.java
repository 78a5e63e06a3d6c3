// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** Too many requests (429). */
public class RateLimitedException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public RateLimitedException(ErrorDetails details) {
        super(details);
    }
}
