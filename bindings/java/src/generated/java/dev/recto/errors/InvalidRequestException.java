// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** An argument or an option is invalid, or a text is not valid UTF-8. */
public class InvalidRequestException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public InvalidRequestException(ErrorDetails details) {
        super(details);
    }
}
