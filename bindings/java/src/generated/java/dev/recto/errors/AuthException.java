// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The service did not accept the key (401). */
public class AuthException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public AuthException(ErrorDetails details) {
        super(details);
    }
}
