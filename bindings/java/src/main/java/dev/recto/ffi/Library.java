package dev.recto.ffi;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds the C library. The first of these is used:
 *
 * <ol>
 *   <li>the file that the system property {@code recto.library} names;
 * <li>the library of the classifier jar for this system, which is unpacked into a folder that only this user can write
 * to; <li>the library that is installed in the system.
 * </ol>
 *
 * <p>Internal: programs do not use this package.
 */
public final class Library {
    /** The name of the installed library. */
    private static final String INSTALLED = "librecto.so." + CLibrary.ABI;

    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rwx------");

    private static final FileAttribute<Set<PosixFilePermission>> PRIVATE =
            PosixFilePermissions.asFileAttribute(OWNER_ONLY);

    private Library() {}

    /** The path of the library, or its name for the search of the system. */
    static String find() {
        String set = System.getProperty("recto.library", "");
        if (!set.isEmpty()) {
            return Path.of(set).toAbsolutePath().toString();
        }
        try {
            Path unpacked = unpack(Library.class.getResource(folder() + "checksum") == null ? null : folder());
            return unpacked == null ? INSTALLED : unpacked.toString();
        } catch (IOException exception) {
            String advice = "set the system property recto.library to the path of librecto.so";
            UnsatisfiedLinkError error =
                    new UnsatisfiedLinkError("the C library of Recto cannot be unpacked: " + exception + "; " + advice);
            error.initCause(exception);
            throw error;
        }
    }

    /** Refuses a library of another version, whose functions could differ. */
    static void check(int version) {
        if (version >> 8 != CLibrary.RECTO_VERSION_NUMBER >> 8) {
            throw new UnsatisfiedLinkError(String.format(
                    Locale.ROOT,
                    "the C library of Recto has the version %d.%d.%d, but this package needs %s",
                    version >> 16,
                    version >> 8 & 0xff,
                    version & 0xff,
                    CLibrary.ABI));
        }
    }

    /** The folder of this system's library in the classifier jar. */
    private static String folder() {
        String machine = System.getProperty("os.arch").replace("amd64", "x86_64");
        return "/dev/recto/natives/" + System.getProperty("os.name").toLowerCase(Locale.ROOT) + "-" + machine + "/";
    }

    /**
     * Unpacks the library and the program of the workers, which the library finds next to itself. The folder has the
     * checksum in its name and is renamed when it is complete, so that programs can share it.
     */
    private static Path unpack(String from) throws IOException {
        if (from == null) {
            return null;
        }
        String checksum = text(from + "checksum");
        Path base = privateFolder();
        Path target = base.resolve(CLibrary.VERSION + "-" + checksum);
        if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
            Path partial = Files.createTempDirectory(base, "partial-", PRIVATE);
            try {
                for (String name : text(from + "files").split("\n")) {
                    copy(from + name, partial.resolve(name));
                }
                Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
            } catch (IOException exception) {
                delete(partial);
                // Another process may have unpacked it at the same time.
                if (!Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)) {
                    throw exception;
                }
            }
        }
        return target.resolve("librecto.so");
    }

    /** A folder of this user, which no other user can change. */
    private static Path privateFolder() throws IOException {
        String cache = System.getenv("XDG_CACHE_HOME");
        Path parent = cache != null && cache.startsWith("/")
                ? Path.of(cache)
                : Path.of(System.getProperty("user.home"), ".cache");
        Path folder = parent.resolve("recto-java");
        try {
            Files.createDirectories(parent);
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                Files.createDirectory(folder, PRIVATE);
            }
            if (isPrivate(folder)) {
                return folder;
            }
        } catch (IOException exception) {
            // No home folder, or one that is read-only: a temporary folder serves for this process.
            return temporaryFolder();
        }
        return temporaryFolder();
    }

    private static boolean isPrivate(Path folder) throws IOException {
        Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(folder, LinkOption.NOFOLLOW_LINKS);
        return OWNER_ONLY.containsAll(permissions)
                && Files.isWritable(folder)
                && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).getName().equals(System.getProperty("user.name"));
    }

    /** A temporary folder, which is deleted at the exit of the process. */
    private static Path temporaryFolder() throws IOException {
        Path folder = Files.createTempDirectory("recto-java", PRIVATE);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
        return folder;
    }

    private static void copy(String resource, Path target) throws IOException {
        try (InputStream in = open(resource)) {
            Files.copy(in, target);
        }
        Files.setPosixFilePermissions(target, OWNER_ONLY);
    }

    private static String text(String resource) throws IOException {
        try (InputStream in = open(resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        }
    }

    private static InputStream open(String resource) throws IOException {
        InputStream in = Library.class.getResourceAsStream(resource);
        if (in == null) {
            throw new IOException("the jar with the C library has no " + resource);
        }
        return in;
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            files.sorted(Comparator.reverseOrder()).forEach(file -> file.toFile().delete());
        } catch (IOException exception) {
            // What remains is in a private folder, and harmless.
            return;
        }
    }
}
