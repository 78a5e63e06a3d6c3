// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/**
 * The options of pdf-to-tiff. Renders each page as a TIFF image in the colours of the page; several images are returned
 * as one zip archive.
 */
public final class PdfToTiffOptions extends OperationOptions {
    private PdfToTiffOptions(Builder builder) {
        super("pdf-to-tiff", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PdfToTiffOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PdfToTiffOptions build() {
            return new PdfToTiffOptions(this);
        }
    }
}
