// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The position of a barcode, Data Matrix or QR code: its distance from the left and the bottom edge. */
public final class CodeMargin extends OptionValues {
    private CodeMargin(Builder builder) {
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

    /** Builds CodeMargin. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The distance from the left edge, in the margin's unit.
         *
         * @param left the value
         * @return this
         */
        public Builder left(double left) {
            put("margin.left", Double.valueOf(left));
            return this;
        }

        /**
         * The distance from the bottom edge, in the margin's unit.
         *
         * @param bottom the value
         * @return this
         */
        public Builder bottom(double bottom) {
            put("margin.bottom", Double.valueOf(bottom));
            return this;
        }

        /**
         * The unit of the distances.
         *
         * @param unit the value
         * @return this
         */
        public Builder unit(Unit unit) {
            put("margin.unit", unit.toString());
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public CodeMargin build() {
            return new CodeMargin(this);
        }
    }
}
