// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** A margin of the page, equal on all four sides. */
public final class PageMargin extends OptionValues {
    private PageMargin(Builder builder) {
        super(builder.values);
    }

    /**
     * Values of which only the required ones are set.
     *
     * @param margin The width of the margin, in its unit.
     * @param unit The unit of the margin.
     * @return the values
     */
    public static PageMargin of(double margin, Unit unit) {
        return builder().margin(margin).unit(unit).build();
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PageMargin. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The width of the margin, in its unit. Required.
         *
         * @param margin the value
         * @return this
         */
        public Builder margin(double margin) {
            put("pageMargin.margin", Double.valueOf(margin));
            return this;
        }

        /**
         * The unit of the margin. Required.
         *
         * @param unit the value
         * @return this
         */
        public Builder unit(Unit unit) {
            put("pageMargin.unit", unit.toString());
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PageMargin build() {
            return new PageMargin(this);
        }
    }
}
