// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of encrypt. Protects a PDF with a password. */
public final class EncryptOptions extends OperationOptions {
    private EncryptOptions(Builder builder) {
        super("encrypt", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds EncryptOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The password that will open the document.
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
        public EncryptOptions build() {
            return new EncryptOptions(this);
        }
    }
}
