// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of pdf-to-jpeg. Renders each page as a JPEG image; several images are returned as one zip archive. */
public final class PdfToJpegOptions extends OperationOptions {
    private PdfToJpegOptions(Builder builder) {
        super("pdf-to-jpeg", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PdfToJpegOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The image's colour space. The default of the service is rgb.
         *
         * @param colorSpace the value
         * @return this
         */
        public Builder colorSpace(ColorSpace colorSpace) {
            put("colorSpace", colorSpace.toString());
            return this;
        }

        /**
         * The quality of compression, 0 (smallest) to 100 (best). From 0 to 100. The default of the service is 85.
         *
         * @param jpegQuality the value
         * @return this
         */
        public Builder jpegQuality(long jpegQuality) {
            put("jpegQuality", Long.valueOf(jpegQuality));
            return this;
        }

        /**
         * The maximum size of an image in pixels; its aspect ratio is kept.
         *
         * @param maxSizeInPixels the value
         * @return this
         */
        public Builder maxSizeInPixels(PixelSize maxSizeInPixels) {
            put("maxSizeInPixels", maxSizeInPixels);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PdfToJpegOptions build() {
            return new PdfToJpegOptions(this);
        }
    }
}
