// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The configuration is wrong or incomplete. */
public class ConfigException extends RectoException {
    private static final long serialVersionUID = 1;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public ConfigException(ErrorDetails details) {
        super(details);
    }
}
