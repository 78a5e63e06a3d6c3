package dev.recto.recordings;

import com.google.gson.JsonElement;

/** A thread that does something after a delay, unless it is stopped before. */
final class Timer {
    private final Thread thread;
    private boolean isStopped;

    private Timer(long milliseconds, Runnable act) {
        thread = new Thread(() -> run(System.nanoTime() + milliseconds * 1_000_000, act));
        thread.start();
    }

    /** A timer, which does nothing if there is no delay. */
    static Timer after(JsonElement milliseconds, Runnable act) {
        return milliseconds == null ? new Timer(0, () -> {}) : new Timer(milliseconds.getAsLong(), act);
    }

    private synchronized void run(long due, Runnable act) {
        try {
            for (long left = due - System.nanoTime(); !isStopped && left > 0; left = due - System.nanoTime()) {
                wait(left / 1_000_000, (int) (left % 1_000_000));
            }
        } catch (InterruptedException exception) {
            throw new AssertionError(exception);
        }
        if (!isStopped) {
            act.run();
        }
    }

    /** Returns when the thread has ended: it has done its work, or will not do it. */
    void stop() {
        synchronized (this) {
            isStopped = true;
            notifyAll();
        }
        boolean isInterrupted = Thread.interrupted();
        try {
            thread.join();
        } catch (InterruptedException exception) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
