// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of optimize. Compresses a PDF according to a profile. */
public final class OptimizeOptions extends OperationOptions {
    private OptimizeOptions(Builder builder) {
        super("optimize", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds OptimizeOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * What the document is optimized for. The default of the service is minimalFileSize.
         *
         * @param profile the value
         * @return this
         */
        public Builder profile(Profile profile) {
            put("profile", profile.toString());
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public OptimizeOptions build() {
            return new OptimizeOptions(this);
        }
    }
}
