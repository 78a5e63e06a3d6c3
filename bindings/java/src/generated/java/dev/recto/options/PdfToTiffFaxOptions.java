// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of pdf-to-tiff-fax. Renders all pages into one TIFF-F file for fax. */
public final class PdfToTiffFaxOptions extends OperationOptions {
    private PdfToTiffFaxOptions(Builder builder) {
        super("pdf-to-tiff-fax", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PdfToTiffFaxOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PdfToTiffFaxOptions build() {
            return new PdfToTiffFaxOptions(this);
        }
    }
}
