package dev.recto;

import dev.recto.ffi.CLibrary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The result of an operation: a result file or a validation report.
 *
 * @param operationType the type, as in the response to the start of the operation
 * @param status the status as the service spells it, such as "finished"
 * @param output the result file, if there is one
 * @param validation the validation report, if there is one
 * @param requestId the identifier under which the service logged the request for this result, if it sent one
 * @param json the whole response of the service; it may contain the URL of the result file, which is a secret
 */
public record Result(
        String operationType,
        String status,
        Optional<OutputFile> output,
        Optional<Validation> validation,
        Optional<String> requestId,
        String json) {

    /**
     * A result file.
     *
     * @param fileId the identifier of the file; null if the response has none
     * @param name the name of the file, not sanitised: make it safe before you use it as a file name, as {@link
     *     Operation#save} does; null if the response has none
     * @param url the URL to download the file from, whose query is a secret; null if the response has none
     */
    public record OutputFile(FileId fileId, String name, String url) {
        /** The URL is left out: it is a secret. */
        @Override
        public String toString() {
            return "OutputFile[fileId=" + fileId + ", name=" + name + "]";
        }
    }

    /**
     * The report of a validation.
     *
     * @param isConforming whether the document conforms; empty if the report does not state this
     * @param errors the findings, as texts for people
     * @param conformance the level that the document declares, such as "pdf15", if there is one
     */
    public record Validation(Optional<Boolean> isConforming, List<String> errors, Optional<String> conformance) {}

    /** The response is left out: it may contain a secret. */
    @Override
    public String toString() {
        return "Result[operationType=" + operationType + ", status=" + status + ", output=" + output + ", validation="
                + validation + "]";
    }

    /** Copies a result of the C library, which is freed. */
    static Result take(long result) {
        try {
            return copy(result);
        } finally {
            CLibrary.recto_result_free(result);
        }
    }

    /** Copies a result that belongs to another object; null for 0. */
    static Result copy(long result) {
        if (result == 0) {
            return null;
        }
        return new Result(
                Frame.string(CLibrary.recto_result_operation_type(result)),
                Frame.string(CLibrary.recto_result_status(result)),
                output(result),
                validation(result),
                Optional.ofNullable(Frame.string(CLibrary.recto_result_request_id(result))),
                Frame.string(CLibrary.recto_result_json(result)));
    }

    private static Optional<OutputFile> output(long result) {
        if (CLibrary.recto_result_has_output(result) == 0) {
            return Optional.empty();
        }
        String id = Frame.string(CLibrary.recto_result_output_file_id(result));
        return Optional.of(new OutputFile(
                id == null ? null : new FileId(id),
                Frame.string(CLibrary.recto_result_output_name(result)),
                Frame.string(CLibrary.recto_result_output_url(result))));
    }

    private static Optional<Validation> validation(long result) {
        if (CLibrary.recto_result_has_validation(result) == 0) {
            return Optional.empty();
        }
        List<String> errors = new ArrayList<>();
        for (long at = 0; at < CLibrary.recto_result_error_count(result); at++) {
            errors.add(Frame.string(CLibrary.recto_result_error_at(result, at)));
        }
        int conforming = CLibrary.recto_result_is_conforming(result);
        return Optional.of(new Validation(
                conforming < 0 ? Optional.empty() : Optional.of(conforming != 0),
                List.copyOf(errors),
                Optional.ofNullable(Frame.string(CLibrary.recto_result_conformance(result)))));
    }
}
