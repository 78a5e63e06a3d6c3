package dev.recto;

/**
 * The levels of the log of the C library, and those of a {@link System.Logger}. Java prints INFO unless it is
 * configured otherwise, so events that are not a problem have the levels below it.
 */
final class LogLevel {
    /** The levels for RECTO_LOG_ERROR, _WARN, _INFO, _DEBUG and _TRACE. */
    private static final System.Logger.Level[] LEVELS = {
        System.Logger.Level.ERROR,
        System.Logger.Level.WARNING,
        System.Logger.Level.DEBUG,
        System.Logger.Level.TRACE,
        System.Logger.Level.TRACE,
    };

    private LogLevel() {}

    /** The level of Java for a RECTO_LOG_ value. */
    static System.Logger.Level of(int level) {
        return LEVELS[Math.min(Math.max(level, 1), LEVELS.length) - 1];
    }

    /** The most verbose RECTO_LOG_ value that the logger records; 0 for none. */
    static int of(System.Logger logger) {
        for (int level = LEVELS.length; level > 0; level--) {
            if (logger.isLoggable(LEVELS[level - 1])) {
                return level;
            }
        }
        return 0;
    }
}
