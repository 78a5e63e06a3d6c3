package dev.recto;

import dev.recto.ffi.CLibrary;
import dev.recto.ffi.Memory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The record of a file in the service. A field that the response does not have is null.
 *
 * @param id the identifier of the file
 * @param createdAt when the file was created in the service
 * @param origin how the file was created in the service, such as "fromUrl"
 * @param name the name of the file
 * @param extension the extension of the file, without the dot
 */
public record FileRecord(FileId id, Instant createdAt, String origin, String name, String extension) {
    static FileRecord of(long file) {
        String id = Frame.string(CLibrary.recto_file_id(file));
        String createdAt = Frame.string(CLibrary.recto_file_created_at(file));
        return new FileRecord(
                id == null ? null : new FileId(id),
                createdAt == null ? null : Instant.parse(createdAt),
                Frame.string(CLibrary.recto_file_origin(file)),
                Frame.string(CLibrary.recto_file_name(file)),
                Frame.string(CLibrary.recto_file_extension(file)));
    }

    /** The records of a list that a call has left in `slot`; the list is freed. */
    static List<FileRecord> takeList(long slot) {
        long list = Memory.getLong(slot);
        try {
            List<FileRecord> files = new ArrayList<>();
            for (long at = 0; at < CLibrary.recto_file_list_count(list); at++) {
                files.add(of(CLibrary.recto_file_list_at(list, at)));
            }
            return List.copyOf(files);
        } finally {
            CLibrary.recto_file_list_free(list);
        }
    }
}
