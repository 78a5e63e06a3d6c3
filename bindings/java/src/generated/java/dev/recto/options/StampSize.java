// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The size of a barcode. */
public final class StampSize extends OptionValues {
    private StampSize(Builder builder) {
        super(builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds StampSize. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The width, in the size's unit.
         *
         * @param width the value
         * @return this
         */
        public Builder width(double width) {
            put("stampSize.width", Double.valueOf(width));
            return this;
        }

        /**
         * The height, in the size's unit.
         *
         * @param height the value
         * @return this
         */
        public Builder height(double height) {
            put("stampSize.height", Double.valueOf(height));
            return this;
        }

        /**
         * The unit of the size, such as cm or in.
         *
         * @param unit the value
         * @return this
         */
        public Builder unit(String unit) {
            put("stampSize.unit", unit);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public StampSize build() {
            return new StampSize(this);
        }
    }
}
