// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.options;

/** The style of a stamp's text. */
public final class TextStyle extends OptionValues {
    private TextStyle(Builder builder) {
        super(builder.values);
    }

    /**
     * A builder, in which nothing is set.
     *
     * @return the builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /** Builds TextStyle. */
    public static final class Builder extends OptionValues.Builder {
        private Builder() {}

        /**
         * The colour, such as #c00000 or red.
         *
         * @param textColor the value
         * @return this
         */
        public Builder textColor(String textColor) {
            put("textStyle.textColor", textColor);
            return this;
        }

        /**
         * The typeface.
         *
         * @param fontFamily the value
         * @return this
         */
        public Builder fontFamily(FontFamily fontFamily) {
            put("textStyle.fontFamily", fontFamily.toString());
            return this;
        }

        /**
         * Bold.
         *
         * @param isBold the value
         * @return this
         */
        public Builder isBold(boolean isBold) {
            put("textStyle.isBold", isBold);
            return this;
        }

        /**
         * Italic.
         *
         * @param isItalic the value
         * @return this
         */
        public Builder isItalic(boolean isItalic) {
            put("textStyle.isItalic", isItalic);
            return this;
        }

        /**
         * The font size; the local service reads it in points.
         *
         * @param fontSize the value
         * @return this
         */
        public Builder fontSize(double fontSize) {
            put("textStyle.fontSize", Double.valueOf(fontSize));
            return this;
        }

        /**
         * The values, which can no longer be changed.
         *
         * @return the values
         */
        public TextStyle build() {
            return new TextStyle(this);
        }
    }
}
