package dev.recto.recordings;

import java.text.MessageFormat;
import java.util.ResourceBundle;

/** Collects what the client logs at the most verbose level, and the printed forms of its objects. */
final class Notes implements System.Logger {
    private final StringBuilder lines = new StringBuilder();

    synchronized void add(String line) {
        lines.append(line).append('\n');
    }

    synchronized String text() {
        return lines.toString();
    }

    @Override
    public String getName() {
        return "recordings";
    }

    @Override
    public boolean isLoggable(Level level) {
        return true;
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String message, Throwable thrown) {
        add(level + " " + message);
    }

    @Override
    public void log(Level level, ResourceBundle bundle, String format, Object... parameters) {
        add(level + " " + (parameters == null ? format : MessageFormat.format(format, parameters)));
    }
}
