package dev.recto;

import dev.recto.errors.ErrorDetails;
import dev.recto.errors.ErrorKinds;
import dev.recto.errors.RectoException;
import dev.recto.ffi.CLibrary;
import java.time.Duration;

/** Makes exceptions of error objects of the C library. */
final class Errors {
    private Errors() {}

    /** The exception of an error object, which is freed. */
    static RectoException take(long error) {
        try {
            return copy(error);
        } finally {
            CLibrary.recto_error_free(error);
        }
    }

    /** The exception of an error object that belongs to another object; null for 0. */
    static RectoException copy(long error) {
        if (error == 0) {
            return null;
        }
        long retryAfter = CLibrary.recto_error_retry_after_ms(error);
        int status = CLibrary.recto_error_status(error);
        return ErrorKinds.exception(status, new ErrorDetails(
                Frame.string(CLibrary.recto_error_message(error)),
                Frame.string(CLibrary.recto_error_advice(error)),
                status,
                Phase.of(CLibrary.recto_error_phase(error)),
                CLibrary.recto_error_http_status(error),
                Frame.string(CLibrary.recto_error_method(error)),
                Frame.string(CLibrary.recto_error_url(error)),
                Frame.string(CLibrary.recto_error_code(error)),
                Frame.string(CLibrary.recto_error_title(error)),
                Frame.string(CLibrary.recto_error_detail(error)),
                Frame.string(CLibrary.recto_error_request_id(error)),
                Frame.string(CLibrary.recto_error_operation_id(error)),
                Frame.string(CLibrary.recto_error_document(error)),
                Frame.string(CLibrary.recto_error_token(error)),
                Frame.string(CLibrary.recto_error_body(error)),
                CLibrary.recto_error_attempts(error),
                retryAfter < 0 ? null : Duration.ofMillis(retryAfter),
                CLibrary.recto_error_is_retryable(error) != 0));
    }

    /** Throws the error that a call has left in `slot` of its memory, if its status is an error. */
    static void check(int status, long error) {
        if (status < 0) {
            throw error != 0
                    ? take(error)
                    : ErrorKinds.exception(status, ErrorDetails.of(Frame.string(CLibrary.recto_status_name(status))));
        }
    }
}
