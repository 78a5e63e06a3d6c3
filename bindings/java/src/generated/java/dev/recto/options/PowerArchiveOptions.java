// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of power-archive. Compresses a PDF and converts it to PDF/A in one operation. */
public final class PowerArchiveOptions extends OperationOptions {
    private PowerArchiveOptions(Builder builder) {
        super("power-archive", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PowerArchiveOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The PDF/A level to convert to, such as pdf_a2_b.
         *
         * @param conformance the value
         * @return this
         */
        public Builder conformance(String conformance) {
            put("conformance", conformance);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PowerArchiveOptions build() {
            return new PowerArchiveOptions(this);
        }
    }
}
