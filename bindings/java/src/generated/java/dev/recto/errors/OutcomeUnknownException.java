// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** It is unknown whether the operation started. */
public class OutcomeUnknownException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public OutcomeUnknownException(ErrorDetails details) {
        super(details);
    }
}
