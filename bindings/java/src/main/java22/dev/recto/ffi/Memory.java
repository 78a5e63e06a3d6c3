package dev.recto.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.file.Path;

/**
 * Loads the C library, and accesses native memory and callbacks, with the foreign function and memory API of Java 22
 * and later. Java 17 to 21 use the class of the same name that is built on JNA instead.
 *
 * <p>Internal: programs do not use this package. An address is a {@code long}; 0 is NULL.
 */
public final class Memory {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final MethodHandle MALLOC = libc("malloc", long.class, long.class);
    private static final MethodHandle FREE = libc("free", void.class, long.class);

    private static final SymbolLookup LIBRARY = lookup(Library.find());

    private Memory() {}

    /** The name of this implementation. */
    public static String implementation() {
        return "FFM";
    }

    /** The handle of a function of the library. */
    static MethodHandle function(String name, Class<?> returns, Class<?>... parameters) {
        MemorySegment symbol = LIBRARY.find(name)
                .orElseThrow(() -> new UnsatisfiedLinkError("the library has no function " + name));
        return LINKER.downcallHandle(symbol, descriptor(returns, parameters));
    }

    /** Reports an exception that a call of C cannot throw. */
    static AssertionError unexpected(Throwable throwable) {
        return new AssertionError("a call of the C library failed", throwable);
    }

    private static SymbolLookup lookup(String library) {
        try {
            return library.contains("/")
                    ? SymbolLookup.libraryLookup(Path.of(library), Arena.global())
                    : SymbolLookup.libraryLookup(library, Arena.global());
        } catch (IllegalArgumentException exception) {
            throw (UnsatisfiedLinkError)
                    new UnsatisfiedLinkError(exception.getMessage()).initCause(exception);
        }
    }

    private static MethodHandle libc(String name, Class<?> returns, Class<?>... parameters) {
        return LINKER.downcallHandle(LINKER.defaultLookup().find(name).orElseThrow(), descriptor(returns, parameters));
    }

    private static FunctionDescriptor descriptor(Class<?> returns, Class<?>... parameters) {
        MemoryLayout[] layouts = new MemoryLayout[parameters.length];
        for (int at = 0; at < parameters.length; at++) {
            layouts[at] = layout(parameters[at]);
        }
        return returns == void.class
                ? FunctionDescriptor.ofVoid(layouts)
                : FunctionDescriptor.of(layout(returns), layouts);
    }

    private static MemoryLayout layout(Class<?> type) {
        if (type == int.class) {
            return ValueLayout.JAVA_INT;
        }
        return type == double.class ? ValueLayout.JAVA_DOUBLE : ValueLayout.JAVA_LONG;
    }

    /** Allocates memory; the program ends with an OutOfMemoryError if there is none. */
    public static long allocate(long size) {
        long address;
        try {
            address = (long) MALLOC.invokeExact(size);
        } catch (Throwable throwable) {
            throw unexpected(throwable);
        }
        if (address == 0) {
            throw new OutOfMemoryError("cannot allocate " + size + " bytes of native memory");
        }
        return address;
    }

    /** Frees memory that {@link #allocate} returned. */
    public static void free(long address) {
        try {
            FREE.invokeExact(address);
        } catch (Throwable throwable) {
            throw unexpected(throwable);
        }
    }

    /** Reads a pointer or a 64-bit number. */
    public static long getLong(long address) {
        return ALL.get(LONG, address);
    }

    /** Fills memory with zeros. */
    public static void clear(long address, long size) {
        ALL.asSlice(address, size).fill((byte) 0);
    }

    /** Copies bytes from memory. */
    public static void read(long address, byte[] bytes, int offset, int length) {
        MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, bytes, offset, length);
    }

    /** Copies bytes to memory. */
    public static void write(long address, byte[] bytes, int offset, int length) {
        MemorySegment.copy(bytes, offset, ALL, ValueLayout.JAVA_BYTE, address, length);
    }

    /** Copies a text that ends with a NUL. */
    public static byte[] text(long address) {
        long end = address;
        while (ALL.get(ValueLayout.JAVA_BYTE, end) != 0) {
            end++;
        }
        byte[] bytes = new byte[Math.toIntExact(end - address)];
        read(address, bytes, 0, bytes.length);
        return bytes;
    }

    /** The address of a function that C can call as recto_progress_fn. */
    public static long progressFunction(Functions.OnProgress function) {
        return address(function, Functions.OnProgress.class, int.class, int.class, long.class, long.class, long.class);
    }

    /** The address of a function that C can call as recto_read_fn. */
    public static long readFunction(Functions.OnRead function) {
        return address(function, Functions.OnRead.class, long.class, long.class, long.class, long.class);
    }

    /** The address of a function that C can call as recto_write_fn. */
    public static long writeFunction(Functions.OnWrite function) {
        return address(function, Functions.OnWrite.class, int.class, long.class, long.class, long.class);
    }

    /** The address of a function that C can call as recto_log_fn. */
    public static long logFunction(Functions.OnLog function) {
        return address(function, Functions.OnLog.class, void.class, int.class, long.class, long.class);
    }

    /** The address of a function that C can call as recto_drop_fn. */
    public static long dropFunction(Functions.OnDrop function) {
        return address(function, Functions.OnDrop.class, void.class, long.class);
    }

    private static <T> long address(T function, Class<T> type, Class<?> returns, Class<?>... parameters) {
        try {
            MethodHandle call = MethodHandles.lookup()
                    .findVirtual(type, "call", MethodType.methodType(returns, parameters))
                    .bindTo(function);
            return LINKER.upcallStub(call, descriptor(returns, parameters), Arena.global()).address();
        } catch (ReflectiveOperationException exception) {
            throw new LinkageError("a callback cannot be bound", exception);
        }
    }
}
