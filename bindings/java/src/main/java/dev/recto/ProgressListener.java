package dev.recto;

/** Receives the progress of a call: at the beginning and the end of each phase, and at most every 50 ms in between. */
@FunctionalInterface
public interface ProgressListener {
    /**
     * Called on the thread that makes the call. An exception ends the call, which throws it; a {@link
     * java.util.concurrent.CancellationException} ends it with a {@link dev.recto.errors.CancelledException}.
     *
     * @param progress the progress
     */
    void onProgress(Progress progress);
}
