// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The file or operation does not exist (404, 410). */
public class NotFoundException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public NotFoundException(ErrorDetails details) {
        super(details);
    }
}
