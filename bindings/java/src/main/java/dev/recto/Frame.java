package dev.recto;

import dev.recto.errors.ErrorDetails;
import dev.recto.errors.InvalidRequestException;
import dev.recto.ffi.Memory;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.Arrays;

/** The native memory of one call: its texts, and the places for what it returns. It is cleared when it is freed. */
final class Frame implements AutoCloseable {
    /** The encoding in which Java itself passes paths to the system. */
    private static final Charset PATHS =
            Charset.forName(System.getProperty("sun.jnu.encoding", StandardCharsets.UTF_8.name()));

    private long[] blocks = new long[8];
    private long[] sizes = new long[8];
    private int count;

    /** Memory of zeros. */
    long allocate(long size) {
        if (count == blocks.length) {
            blocks = Arrays.copyOf(blocks, 2 * count);
            sizes = Arrays.copyOf(sizes, 2 * count);
        }
        long address = Memory.allocate(size);
        Memory.clear(address, size);
        blocks[count] = address;
        sizes[count++] = size;
        return address;
    }

    /** A place for a pointer or a 64-bit number that a call returns. */
    long slot() {
        return allocate(Long.BYTES);
    }

    /** A copy of bytes; at least one byte of memory. */
    long bytes(byte[] bytes) {
        long address = allocate(Math.max(1, bytes.length));
        Memory.write(address, bytes, 0, bytes.length);
        return address;
    }

    /** A text for C; 0 for null. */
    long text(String text) {
        if (text == null) {
            return 0;
        }
        if (text.indexOf('\0') >= 0) {
            throw invalid("a text contains a NUL character");
        }
        try {
            return terminated(StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text)));
        } catch (CharacterCodingException exception) {
            throw invalid("a text is not valid Unicode: it contains half of a surrogate pair");
        }
    }

    /** A path for C. */
    long path(Path path) {
        if (path.getFileSystem() != FileSystems.getDefault()) {
            throw invalid("the path " + path + " is not on the default file system; pass a stream of it");
        }
        return terminated(PATHS.encode(path.toString()));
    }

    /** The value of a setting for C: a path in the encoding of the system, anything else as text. */
    long value(Object value) {
        return value instanceof Path path ? path(path) : text(String.valueOf(value));
    }

    /** A text that C returned; null for 0. */
    static String string(long address) {
        return address == 0 ? null : new String(Memory.text(address), StandardCharsets.UTF_8);
    }

    /** A path that C returned; null for 0. */
    static Path toPath(long address) {
        return address == 0 ? null : Path.of(new String(Memory.text(address), PATHS));
    }

    private long terminated(ByteBuffer encoded) {
        byte[] bytes = new byte[encoded.remaining() + 1];
        encoded.get(bytes, 0, bytes.length - 1);
        long address = bytes(bytes);
        Arrays.fill(bytes, (byte) 0);
        return address;
    }

    private static InvalidRequestException invalid(String message) {
        return new InvalidRequestException(ErrorDetails.of(message));
    }

    @Override
    public void close() {
        while (count > 0) {
            count--;
            Memory.clear(blocks[count], sizes[count]);
            Memory.free(blocks[count]);
        }
    }
}
