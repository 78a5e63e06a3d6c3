// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of stamp-data-matrix. Stamps a Data Matrix symbol on every page. */
public final class StampDataMatrixOptions extends OperationOptions {
    private StampDataMatrixOptions(Builder builder) {
        super("stamp-data-matrix", builder.values);
    }

    /**
     * Values of which only the required ones are set.
     *
     * @param value The value to encode.
     * @return the values
     */
    public static StampDataMatrixOptions of(String value) {
        return builder().value(value).build();
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds StampDataMatrixOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge.
         *
         * @param margin the value
         * @return this
         */
        public Builder margin(CodeMargin margin) {
            put("margin", margin);
            return this;
        }

        /**
         * The value to encode. Required.
         *
         * @param value the value
         * @return this
         */
        public Builder value(String value) {
            put("value", value);
            return this;
        }

        /**
         * The size of a Data Matrix or QR code.
         *
         * @param stampSize the value
         * @return this
         */
        public Builder stampSize(SquareSize stampSize) {
            put("stampSize", stampSize);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public StampDataMatrixOptions build() {
            return new StampDataMatrixOptions(this);
        }
    }
}
