// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The options of spreadsheet-to-pdf. Converts a spreadsheet to PDF. */
public final class SpreadsheetToPdfOptions extends OperationOptions {
    private SpreadsheetToPdfOptions(Builder builder) {
        super("spreadsheet-to-pdf", builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds SpreadsheetToPdfOptions. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public SpreadsheetToPdfOptions build() {
            return new SpreadsheetToPdfOptions(this);
        }
    }
}
