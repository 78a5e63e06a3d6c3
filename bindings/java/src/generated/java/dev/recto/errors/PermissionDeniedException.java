// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The key does not permit the request (403). */
public class PermissionDeniedException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public PermissionDeniedException(ErrorDetails details) {
        super(details);
    }
}
