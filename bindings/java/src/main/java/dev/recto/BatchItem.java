package dev.recto;

import dev.recto.errors.RectoException;
import dev.recto.ffi.CLibrary;
import java.nio.file.Path;

/**
 * One document of a batch, with its outcome.
 *
 * @param index the position of the document among those that were added, counted from 0
 * @param source the document as it was added: its path, its address without the query, its name, or its identifier
 * @param error why the document failed; null if it succeeded
 * @param path the result file; null if the document failed, or if there is none
 * @param operationId the identifier of the operation; null if the document failed
 * @param result the result; null if the document failed, or was finished in an earlier run
 * @param isResumed whether the document was finished in an earlier run with the same journal
 * @param leftBehind with {@code deleteAfter}: why files of the document could not be deleted; otherwise null
 */
public record BatchItem(
        long index,
        String source,
        RectoException error,
        Path path,
        String operationId,
        Result result,
        boolean isResumed,
        RectoException leftBehind) {

    /**
     * Whether the document failed.
     *
     * @return whether it did
     */
    public boolean hasFailed() {
        return error != null;
    }

    /** Copies an item of the C library, which is freed; null for 0. */
    static BatchItem take(long item) {
        if (item == 0) {
            return null;
        }
        try {
            return new BatchItem(
                    CLibrary.recto_batch_item_index(item),
                    Frame.string(CLibrary.recto_batch_item_source(item)),
                    Errors.copy(CLibrary.recto_batch_item_error(item)),
                    Frame.toPath(CLibrary.recto_batch_item_path(item)),
                    Frame.string(CLibrary.recto_batch_item_operation_id(item)),
                    Result.copy(CLibrary.recto_batch_item_result(item)),
                    CLibrary.recto_batch_item_is_resumed(item) != 0,
                    Errors.copy(CLibrary.recto_batch_item_left_behind(item)));
        } finally {
            CLibrary.recto_batch_item_free(item);
        }
    }
}
