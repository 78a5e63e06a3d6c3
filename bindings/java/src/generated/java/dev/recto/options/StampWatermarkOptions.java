// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of stamp-watermark. Stamps a text across every page at 45 degrees, half transparent. */
public final class StampWatermarkOptions extends OperationOptions {
    private StampWatermarkOptions(Builder builder) {
        super("stamp-watermark", builder.values);
    }

    /**
     * Values of which only the required ones are set.
     *
     * @param text The text.
     * @return the values
     */
    public static StampWatermarkOptions of(String text) {
        return builder().text(text).build();
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds StampWatermarkOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The text. Required.
         *
         * @param text the value
         * @return this
         */
        public Builder text(String text) {
            put("text", text);
            return this;
        }

        /**
         * The position of a stamp: its distances from edges of the page; centred on an axis without a distance.
         *
         * @param margin the value
         * @return this
         */
        public Builder margin(Margin margin) {
            put("margin", margin);
            return this;
        }

        /**
         * The style of a stamp's text.
         *
         * @param textStyle the value
         * @return this
         */
        public Builder textStyle(TextStyle textStyle) {
            put("textStyle", textStyle);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public StampWatermarkOptions build() {
            return new StampWatermarkOptions(this);
        }
    }
}
