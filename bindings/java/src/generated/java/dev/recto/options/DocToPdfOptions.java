// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of doc-to-pdf. Converts a word-processing document to PDF. */
public final class DocToPdfOptions extends OperationOptions {
    private DocToPdfOptions(Builder builder) {
        super("doc-to-pdf", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds DocToPdfOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public DocToPdfOptions build() {
            return new DocToPdfOptions(this);
        }
    }
}
