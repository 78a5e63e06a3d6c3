// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The position of a stamp: its distances from edges of the page; centred on an axis without a distance. */
public final class Margin extends OptionValues {
    private Margin(Builder builder) {
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

    /** Builds Margin. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The distance from the top edge, in the margin's unit.
         *
         * @param top the value
         * @return this
         */
        public Builder top(double top) {
            put("margin.top", Double.valueOf(top));
            return this;
        }

        /**
         * The distance from the right edge, in the margin's unit.
         *
         * @param right the value
         * @return this
         */
        public Builder right(double right) {
            put("margin.right", Double.valueOf(right));
            return this;
        }

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
        public Margin build() {
            return new Margin(this);
        }
    }
}
