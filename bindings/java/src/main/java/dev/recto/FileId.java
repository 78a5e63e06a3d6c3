package dev.recto;

/**
 * The identifier of a file in the service.
 *
 * @param value the text of the identifier
 */
public record FileId(String value) {
    @Override
    public String toString() {
        return value;
    }
}
