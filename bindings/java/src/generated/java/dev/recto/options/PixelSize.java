// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The maximum size of an image in pixels; its aspect ratio is kept. */
public final class PixelSize extends OptionValues {
    private PixelSize(Builder builder) {
        super(builder.values);
    }

    /**
     * Values of which only the required ones are set.
     *
     * @param width The maximum width in pixels.
     * @param height The maximum height in pixels.
     * @return the values
     */
    public static PixelSize of(long width, long height) {
        return builder().width(width).height(height).build();
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PixelSize. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The maximum width in pixels. From 1 to 4294967295. Required.
         *
         * @param width the value
         * @return this
         */
        public Builder width(long width) {
            put("maxSizeInPixels.width", Long.valueOf(width));
            return this;
        }

        /**
         * The maximum height in pixels. From 1 to 4294967295. Required.
         *
         * @param height the value
         * @return this
         */
        public Builder height(long height) {
            put("maxSizeInPixels.height", Long.valueOf(height));
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PixelSize build() {
            return new PixelSize(this);
        }
    }
}
