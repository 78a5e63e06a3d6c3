// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of image-to-pdf. Converts a JPEG, PNG or TIFF image to PDF. */
public final class ImageToPdfOptions extends OperationOptions {
    private ImageToPdfOptions(Builder builder) {
        super("image-to-pdf", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ImageToPdfOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The page's size. The default of the service is a4.
         *
         * @param pageSize the value
         * @return this
         */
        public Builder pageSize(PageSize pageSize) {
            put("pageSize", pageSize.toString());
            return this;
        }

        /**
         * A margin of the page, equal on all four sides.
         *
         * @param pageMargin the value
         * @return this
         */
        public Builder pageMargin(PageMargin pageMargin) {
            put("pageMargin", pageMargin);
            return this;
        }

        /**
         * When the page is landscape; an image larger than the page is shrunk, a smaller image keeps its size. The
         * default of the service is Auto.
         *
         * @param strategy the value
         * @return this
         */
        public Builder strategy(Strategy strategy) {
            put("strategy", strategy.toString());
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public ImageToPdfOptions build() {
            return new ImageToPdfOptions(this);
        }
    }
}
