// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The operation failed. */
public class OperationFailedException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public OperationFailedException(ErrorDetails details) {
        super(details);
    }
}
