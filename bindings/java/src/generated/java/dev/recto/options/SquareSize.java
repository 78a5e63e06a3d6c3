// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The size of a Data Matrix or QR code. */
public final class SquareSize extends OptionValues {
    private SquareSize(Builder builder) {
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

    /** Builds SquareSize. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The length of a side, in the size's unit.
         *
         * @param side the value
         * @return this
         */
        public Builder side(double side) {
            put("stampSize.side", Double.valueOf(side));
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
        public SquareSize build() {
            return new SquareSize(this);
        }
    }
}
