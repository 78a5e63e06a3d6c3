// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of pdf-to-png. Renders each page as a PNG image; several images are returned as one zip archive. */
public final class PdfToPngOptions extends OperationOptions {
    private PdfToPngOptions(Builder builder) {
        super("pdf-to-png", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PdfToPngOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The image's colour space. The default of the service is rgb.
         *
         * @param colorSpace the value
         * @return this
         */
        public Builder colorSpace(PngColorSpace colorSpace) {
            put("colorSpace", colorSpace.toString());
            return this;
        }

        /**
         * Whether the image has an alpha channel instead of a white background. The default of the service is false.
         *
         * @param transparentBackground the value
         * @return this
         */
        public Builder transparentBackground(boolean transparentBackground) {
            put("transparentBackground", transparentBackground);
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
        public PdfToPngOptions build() {
            return new PdfToPngOptions(this);
        }
    }
}
