// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of archive-pdfa. Converts a PDF to PDF/A for long-term archiving. */
public final class ArchivePdfAOptions extends OperationOptions {
    private ArchivePdfAOptions(Builder builder) {
        super("archive-pdfa", builder.values);
    }

    /**
     * Values of which only the required ones are set.
     *
     * @param conformance The PDF/A level to convert to.
     * @return the values
     */
    public static ArchivePdfAOptions of(Conformance conformance) {
        return builder().conformance(conformance).build();
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds ArchivePdfAOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The PDF/A level to convert to. Required.
         *
         * @param conformance the value
         * @return this
         */
        public Builder conformance(Conformance conformance) {
            put("conformance", conformance.toString());
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public ArchivePdfAOptions build() {
            return new ArchivePdfAOptions(this);
        }
    }
}
