// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of decrypt. Removes the password of a PDF. */
public final class DecryptOptions extends OperationOptions {
    private DecryptOptions(Builder builder) {
        super("decrypt", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds DecryptOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The document's user or owner password.
         *
         * @param password the value
         * @return this
         */
        public Builder password(String password) {
            put("password", password);
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public DecryptOptions build() {
            return new DecryptOptions(this);
        }
    }
}
