package dev.recto.errors;

import dev.recto.Phase;
import java.time.Duration;

/**
 * The fields of a {@link RectoException}. A field that is not known is null, or 0 for a number.
 *
 * @param message what happened, to which document or operation, and what to do next, in one line
 * @param advice what to do next, which is also part of the message
 * @param status the status of the C interface, a negative number
 * @param phase the phase of the call in which the error happened
 * @param httpStatus the HTTP status of the response
 * @param method the HTTP method of the request
 * @param url the URL of the request, without its query
 * @param code the error code of the service, such as "file_not_found"
 * @param title the title that the service gives to this kind of error
 * @param detail the service's explanation of this error
 * @param requestId the identifier under which the service logged the request
 * @param operationId the identifier of the operation concerned
 * @param document the document that the call was about, as the caller named it
 * @param token of a {@link WaitTimeoutException}: the token that resumes the operation
 * @param body the beginning of the response body, or the raw result of a failed operation
 * @param attempts how many requests were made, including the last one
 * @param retryAfter how long the service asks to wait before the next request
 * @param isRetryable whether the same call can succeed later without a change
 */
public record ErrorDetails(
        String message,
        String advice,
        int status,
        Phase phase,
        int httpStatus,
        String method,
        String url,
        String code,
        String title,
        String detail,
        String requestId,
        String operationId,
        String document,
        String token,
        String body,
        int attempts,
        Duration retryAfter,
        boolean isRetryable) {

    /**
     * The details of an error of which only the message is known.
     *
     * @param message the message
     * @return the details
     */
    public static ErrorDetails of(String message) {
        return new ErrorDetails(
                message, null, 0, null, 0, null, null, null, null, null, null, null, null, null, null, 0, null, false);
    }
}
