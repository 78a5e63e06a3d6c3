package dev.recto.errors;

import dev.recto.Phase;
import java.time.Duration;
import java.util.Optional;

/**
 * A call has failed. Its subclasses are the kinds of errors.
 *
 * <p>The exceptions are unchecked: most programs cannot handle them where they occur, and a checked exception cannot
 * pass through lambdas, streams and {@link java.util.concurrent.CompletableFuture}. No message and no field contains
 * the API key, a password, or the query of a presigned URL.
 */
public class RectoException extends RuntimeException {
    private static final long serialVersionUID = 1;

    /** The details, which are not serialized: the message is. */
    private final transient ErrorDetails details;

    /**
     * Creates an exception.
     *
     * @param details the fields
     */
    public RectoException(ErrorDetails details) {
        super(details.message());
        this.details = details;
    }

    /**
     * All fields.
     *
     * @return the fields
     */
    public ErrorDetails details() {
        return details == null ? ErrorDetails.of(getMessage()) : details;
    }

    /**
     * What to do next, which is also part of the message.
     *
     * @return the advice, if there is any
     */
    public Optional<String> advice() {
        return Optional.ofNullable(details().advice());
    }

    /**
     * The phase of the call in which the error happened.
     *
     * @return the phase, if it is known
     */
    public Optional<Phase> phase() {
        return Optional.ofNullable(details().phase());
    }

    /**
     * The HTTP status of the response.
     *
     * @return the status; 0 if there was no response
     */
    public int httpStatus() {
        return details().httpStatus();
    }

    /**
     * The error code of the service, such as "file_not_found".
     *
     * @return the code, if the response has one
     */
    public Optional<String> code() {
        return Optional.ofNullable(details().code());
    }

    /**
     * The identifier under which the service logged the request.
     *
     * @return the identifier, if the response has one
     */
    public Optional<String> requestId() {
        return Optional.ofNullable(details().requestId());
    }

    /**
     * The identifier of the operation concerned.
     *
     * @return the identifier, if there is one
     */
    public Optional<String> operationId() {
        return Optional.ofNullable(details().operationId());
    }

    /**
     * Of a {@link WaitTimeoutException}: the token with which {@link dev.recto.RectoClient#resume} resumes the
     * operation.
     *
     * @return the token, if there is one
     */
    public Optional<String> token() {
        return Optional.ofNullable(details().token());
    }

    /**
     * How long the service asks to wait before the next request.
     *
     * @return the time, if the response has one
     */
    public Optional<Duration> retryAfter() {
        return Optional.ofNullable(details().retryAfter());
    }

    /**
     * Whether the same call can succeed later without a change.
     *
     * @return whether it can
     */
    public boolean isRetryable() {
        return details().isRetryable();
    }
}
