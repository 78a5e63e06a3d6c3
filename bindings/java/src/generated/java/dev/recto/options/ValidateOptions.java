// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of validate. Checks a PDF against a version of the standard or a PDF/A level. */
public final class ValidateOptions extends OperationOptions {
    private ValidateOptions(Builder builder) {
        super("validate", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ValidateOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The standard and level to check against, such as pdf13 or pdf_a2_b.
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
        public ValidateOptions build() {
            return new ValidateOptions(this);
        }
    }
}
