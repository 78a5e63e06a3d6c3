// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of stamp-barcode. Stamps a barcode on every page. */
public final class StampBarcodeOptions extends OperationOptions {
    private StampBarcodeOptions(Builder builder) {
        super("stamp-barcode", builder.values);
    }

    /**
     * Values of which only the required ones are set.
     *
     * @param type The type of barcode, such as code128.
     * @param value The value to encode.
     * @return the values
     */
    public static StampBarcodeOptions of(String type, String value) {
        return builder().type(type).value(value).build();
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds StampBarcodeOptions. */
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
         * The type of barcode, such as code128. Required.
         *
         * @param type the value
         * @return this
         */
        public Builder type(String type) {
            put("type", type);
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
         * The size of a barcode.
         *
         * @param stampSize the value
         * @return this
         */
        public Builder stampSize(StampSize stampSize) {
            put("stampSize", stampSize);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public StampBarcodeOptions build() {
            return new StampBarcodeOptions(this);
        }
    }
}
