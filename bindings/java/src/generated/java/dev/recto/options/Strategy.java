// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/**
 * The orientation of the page. An image that is larger than the page is shrunk; a smaller image is not enlarged. The
 * specification is not consistent about upper and lower case: both are read, and the case below is written.
 */
public enum Strategy {
    /**
     * The page is landscape for every image that is wider than high, even if the image would fit on a portrait page.
     */
    AUTO("Auto"),

    /** The page is landscape only if the image must be shrunk, and stays larger on a landscape page. */
    SHRINK_TO_PAGE("ShrinkToPage"),

    /** The page is always portrait. */
    SHRINK_TO_PORTRAIT("ShrinkToPortrait");

    private final String text;

    Strategy(String text) {
        this.text = text;
    }

    /** The value as the service spells it. */
    @Override
    public String toString() {
        return text;
    }
}
