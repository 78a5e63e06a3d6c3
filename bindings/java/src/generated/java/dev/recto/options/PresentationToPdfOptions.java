// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of presentation-to-pdf. Converts a presentation to PDF. */
public final class PresentationToPdfOptions extends OperationOptions {
    private PresentationToPdfOptions(Builder builder) {
        super("presentation-to-pdf", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds PresentationToPdfOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public PresentationToPdfOptions build() {
            return new PresentationToPdfOptions(this);
        }
    }
}
