// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.errors;

/** The exceptions for the statuses of the C interface. */
public final class ErrorKinds {
    private ErrorKinds() {}

    /**
     * The exception for a status.
     *
     * @param status the status
     * @param details the fields
     * @return an exception of the class for the status; a RectoException if it has none
     */
    public static RectoException exception(int status, ErrorDetails details) {
        return switch (status) {
            case -3 -> new ConfigException(details);
            case -2, -1 -> new InvalidRequestException(details);
            case -4 -> new AuthException(details);
            case -5 -> new PermissionDeniedException(details);
            case -6 -> new NotFoundException(details);
            case -7 -> new RateLimitedException(details);
            case -8 -> new PayloadTooLargeException(details);
            case -9 -> new ServerException(details);
            case -10 -> new TransportException(details);
            case -11 -> new RequestTimeoutException(details);
            case -12 -> new WaitTimeoutException(details);
            case -13 -> new OperationFailedException(details);
            case -14 -> new OutcomeUnknownException(details);
            case -15 -> new ProtocolException(details);
            case -16 -> new CancelledException(details);
            case -17 -> new IoException(details);
            default -> new RectoException(details);
        };
    }
}
