package dev.recto.ffi;

/** The types of the callbacks of the C interface. They must not throw. Internal: programs do not use this package. */
public final class Functions {
    private Functions() {}

    /** recto_progress_fn. */
    @FunctionalInterface
    public interface OnProgress {
        /** Reports progress; a value other than 0 ends the call. */
        int call(int phase, long done, long total, long userdata);
    }

    /** recto_read_fn. */
    @FunctionalInterface
    public interface OnRead {
        /** Writes at most `size` bytes to `buffer`, and returns how many; a negative value ends the call. */
        long call(long buffer, long size, long userdata);
    }

    /** recto_write_fn. */
    @FunctionalInterface
    public interface OnWrite {
        /** Receives bytes; a value other than 0 ends the call. */
        int call(long data, long length, long userdata);
    }

    /** recto_log_fn. */
    @FunctionalInterface
    public interface OnLog {
        /** Receives a line of the log. */
        void call(int level, long message, long userdata);
    }

    /** recto_drop_fn. */
    @FunctionalInterface
    public interface OnDrop {
        /** Frees the userdata of a log callback. */
        void call(long userdata);
    }
}
