package dev.recto.ffi;

import com.sun.jna.Callback;
import com.sun.jna.CallbackReference;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the C library, and accesses native memory and callbacks, with JNA. Java 22 and later use the class of the same
 * name that is built on the foreign function and memory API instead.
 *
 * <p>Internal: programs do not use this package. An address is a {@code long}; 0 is NULL.
 */
public final class Memory {
    /** Callbacks that C may call, which must not be collected. */
    private static final List<Callback> KEPT = new ArrayList<>();

    private Memory() {}

    /** Loads the library and binds the native methods of a class. */
    static void bind(Class<?> functions) {
        Native.register(functions, NativeLibrary.getInstance(Library.find()));
    }

    /** The name of this implementation. */
    public static String implementation() {
        return "JNA";
    }

    /** Allocates memory; the program ends with an OutOfMemoryError if there is none. */
    public static long allocate(long size) {
        long address = Native.malloc(size);
        if (address == 0) {
            throw new OutOfMemoryError("cannot allocate " + size + " bytes of native memory");
        }
        return address;
    }

    /** Frees memory that {@link #allocate} returned. */
    public static void free(long address) {
        Native.free(address);
    }

    /** Reads a pointer or a 64-bit number. */
    public static long getLong(long address) {
        return new Pointer(address).getLong(0);
    }

    /** Fills memory with zeros. */
    public static void clear(long address, long size) {
        new Pointer(address).clear(size);
    }

    /** Copies bytes from memory. */
    public static void read(long address, byte[] bytes, int offset, int length) {
        new Pointer(address).read(0, bytes, offset, length);
    }

    /** Copies bytes to memory. */
    public static void write(long address, byte[] bytes, int offset, int length) {
        new Pointer(address).write(0, bytes, offset, length);
    }

    /** Copies a text that ends with a NUL. */
    public static byte[] text(long address) {
        Pointer pointer = new Pointer(address);
        return pointer.getByteArray(0, Math.toIntExact(pointer.indexOf(0, (byte) 0)));
    }

    /** The address of a function that C can call as recto_progress_fn. */
    public static long progressFunction(Functions.OnProgress function) {
        return address((JnaProgress) function::call);
    }

    /** The address of a function that C can call as recto_read_fn. */
    public static long readFunction(Functions.OnRead function) {
        return address((JnaRead) function::call);
    }

    /** The address of a function that C can call as recto_write_fn. */
    public static long writeFunction(Functions.OnWrite function) {
        return address((JnaWrite) function::call);
    }

    /** The address of a function that C can call as recto_log_fn. */
    public static long logFunction(Functions.OnLog function) {
        return address((JnaLog) function::call);
    }

    /** The address of a function that C can call as recto_drop_fn. */
    public static long dropFunction(Functions.OnDrop function) {
        return address((JnaDrop) function::call);
    }

    private static synchronized long address(Callback callback) {
        KEPT.add(callback);
        return Pointer.nativeValue(CallbackReference.getFunctionPointer(callback));
    }

    /** recto_progress_fn for JNA. */
    @FunctionalInterface
    public interface JnaProgress extends Callback {
        /** Called by C. */
        int invoke(int phase, long done, long total, long userdata);
    }

    /** recto_read_fn for JNA. */
    @FunctionalInterface
    public interface JnaRead extends Callback {
        /** Called by C. */
        long invoke(long buffer, long size, long userdata);
    }

    /** recto_write_fn for JNA. */
    @FunctionalInterface
    public interface JnaWrite extends Callback {
        /** Called by C. */
        int invoke(long data, long length, long userdata);
    }

    /** recto_log_fn for JNA. */
    @FunctionalInterface
    public interface JnaLog extends Callback {
        /** Called by C. */
        void invoke(int level, long message, long userdata);
    }

    /** recto_drop_fn for JNA. */
    @FunctionalInterface
    public interface JnaDrop extends Callback {
        /** Called by C. */
        void invoke(long userdata);
    }
}
