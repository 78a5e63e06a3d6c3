// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.ffi;

import java.lang.invoke.MethodHandle;

/**
 * The functions of recto.h, for the foreign function and memory API. An address is a {@code long}. Internal: programs
 * do not use this package.
 */
public final class CLibrary {
    /** The version of this package, which is that of the library. */
    public static final String VERSION = "0.1.0";

    /** The number in the name of the installed library. */
    public static final String ABI = "0.1";

    /** The version as a number, without its last part. */
    public static final int RECTO_VERSION_NUMBER = 256;

    /** A time in milliseconds without a limit. */
    public static final long RECTO_FOREVER = -1;

    static {
        Library.check(recto_version_number());
    }

    private CLibrary() {}

    private static final class StatusName {
        static final MethodHandle HANDLE = Memory.function(
                "recto_status_name", long.class, int.class);
    }

    /** See recto.h. */
    public static long recto_status_name(int status) {
        try {
            return (long) StatusName.HANDLE.invokeExact(status);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_error_free(long error) {
        try {
            ErrorFree.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorStatus {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_status", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_error_status(long error) {
        try {
            return (int) ErrorStatus.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorMessage {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_message", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_message(long error) {
        try {
            return (long) ErrorMessage.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorAdvice {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_advice", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_advice(long error) {
        try {
            return (long) ErrorAdvice.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorPhase {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_phase", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_error_phase(long error) {
        try {
            return (int) ErrorPhase.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorHttpStatus {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_http_status", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_error_http_status(long error) {
        try {
            return (int) ErrorHttpStatus.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorMethod {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_method", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_method(long error) {
        try {
            return (long) ErrorMethod.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorUrl {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_url", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_url(long error) {
        try {
            return (long) ErrorUrl.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorCode {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_code", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_code(long error) {
        try {
            return (long) ErrorCode.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorTitle {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_title", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_title(long error) {
        try {
            return (long) ErrorTitle.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorDetail {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_detail", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_detail(long error) {
        try {
            return (long) ErrorDetail.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorRequestId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_request_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_request_id(long error) {
        try {
            return (long) ErrorRequestId.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorOperationId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_operation_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_operation_id(long error) {
        try {
            return (long) ErrorOperationId.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorDocument {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_document", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_document(long error) {
        try {
            return (long) ErrorDocument.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorToken {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_token", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_token(long error) {
        try {
            return (long) ErrorToken.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorBody {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_body", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_body(long error) {
        try {
            return (long) ErrorBody.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorAttempts {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_attempts", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_error_attempts(long error) {
        try {
            return (int) ErrorAttempts.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorRetryAfterMs {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_retry_after_ms", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_error_retry_after_ms(long error) {
        try {
            return (long) ErrorRetryAfterMs.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ErrorIsRetryable {
        static final MethodHandle HANDLE = Memory.function(
                "recto_error_is_retryable", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_error_is_retryable(long error) {
        try {
            return (int) ErrorIsRetryable.HANDLE.invokeExact(error);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ConfigNew {
        static final MethodHandle HANDLE = Memory.function(
                "recto_config_new", int.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_config_new(long out, long err) {
        try {
            return (int) ConfigNew.HANDLE.invokeExact(out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ConfigSet {
        static final MethodHandle HANDLE = Memory.function(
                "recto_config_set", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_config_set(long config, long name, long value, long err) {
        try {
            return (int) ConfigSet.HANDLE.invokeExact(config, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ConfigSetHeader {
        static final MethodHandle HANDLE = Memory.function(
                "recto_config_set_header", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_config_set_header(long config, long name, long value, long err) {
        try {
            return (int) ConfigSetHeader.HANDLE.invokeExact(config, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ConfigSetLog {
        static final MethodHandle HANDLE = Memory.function(
                "recto_config_set_log", int.class, long.class, int.class, long.class, long.class, long.class,
                long.class);
    }

    /** See recto.h. */
    public static int recto_config_set_log(long config, int level, long log, long userdata, long drop, long err) {
        try {
            return (int) ConfigSetLog.HANDLE.invokeExact(config, level, log, userdata, drop, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ConfigFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_config_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_config_free(long config) {
        try {
            ConfigFree.HANDLE.invokeExact(config);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ClientNew {
        static final MethodHandle HANDLE = Memory.function(
                "recto_client_new", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_client_new(long config, long out, long err) {
        try {
            return (int) ClientNew.HANDLE.invokeExact(config, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ClientWith {
        static final MethodHandle HANDLE = Memory.function(
                "recto_client_with", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_client_with(long client, long config, long out, long err) {
        try {
            return (int) ClientWith.HANDLE.invokeExact(client, config, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ClientBaseUrl {
        static final MethodHandle HANDLE = Memory.function(
                "recto_client_base_url", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_client_base_url(long client) {
        try {
            return (long) ClientBaseUrl.HANDLE.invokeExact(client);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ClientClose {
        static final MethodHandle HANDLE = Memory.function(
                "recto_client_close", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_client_close(long client) {
        try {
            ClientClose.HANDLE.invokeExact(client);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ClientFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_client_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_client_free(long client) {
        try {
            ClientFree.HANDLE.invokeExact(client);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsNew {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_new", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_options_new(long operation, long out, long err) {
        try {
            return (int) OptionsNew.HANDLE.invokeExact(operation, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsSet {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_set", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_options_set(long options, long name, long value, long err) {
        try {
            return (int) OptionsSet.HANDLE.invokeExact(options, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsSetText {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_set_text", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_options_set_text(long options, long name, long value, long err) {
        try {
            return (int) OptionsSetText.HANDLE.invokeExact(options, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsSetInt {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_set_int", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_options_set_int(long options, long name, long value, long err) {
        try {
            return (int) OptionsSetInt.HANDLE.invokeExact(options, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsSetDouble {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_set_double", int.class, long.class, long.class, double.class, long.class);
    }

    /** See recto.h. */
    public static int recto_options_set_double(long options, long name, double value, long err) {
        try {
            return (int) OptionsSetDouble.HANDLE.invokeExact(options, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsSetBool {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_set_bool", int.class, long.class, long.class, int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_options_set_bool(long options, long name, int value, long err) {
        try {
            return (int) OptionsSetBool.HANDLE.invokeExact(options, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsJson {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_json", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_options_json(long options) {
        try {
            return (long) OptionsJson.HANDLE.invokeExact(options);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OptionsFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_options_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_options_free(long options) {
        try {
            OptionsFree.HANDLE.invokeExact(options);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class Start {
        static final MethodHandle HANDLE = Memory.function(
                "recto_start", int.class, long.class, long.class, long.class, long.class, long.class, long.class,
                long.class);
    }

    /** See recto.h. */
    public static int recto_start(
            long client, long operation, long fileId, long options, long call, long out, long err) {
        try {
            return (int) Start.HANDLE.invokeExact(client, operation, fileId, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class StartPath {
        static final MethodHandle HANDLE = Memory.function(
                "recto_start_path", int.class, long.class, long.class, long.class, long.class, long.class, long.class,
                long.class);
    }

    /** See recto.h. */
    public static int recto_start_path(
            long client, long operation, long path, long options, long call, long out, long err) {
        try {
            return (int) StartPath.HANDLE.invokeExact(client, operation, path, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class StartData {
        static final MethodHandle HANDLE = Memory.function(
                "recto_start_data", int.class, long.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_start_data(
            long client, long operation, long data, long length, long name, long options, long call, long out, long err)
            {
        try {
            return (int) StartData.HANDLE.invokeExact(client, operation, data, length, name, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class StartStream {
        static final MethodHandle HANDLE = Memory.function(
                "recto_start_stream", int.class, long.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_start_stream(
            long client, long operation, long read, long userdata, long length, long name, long options, long call, long
            out, long err) {
        try {
            return (int) StartStream.HANDLE.invokeExact(
                    client, operation, read, userdata, length, name, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class StartChained {
        static final MethodHandle HANDLE = Memory.function(
                "recto_start_chained", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_start_chained(
            long client, long operation, long previous, long options, long call, long out, long err) {
        try {
            return (int) StartChained.HANDLE.invokeExact(client, operation, previous, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class Resume {
        static final MethodHandle HANDLE = Memory.function(
                "recto_resume", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_resume(long client, long token, long out, long err) {
        try {
            return (int) Resume.HANDLE.invokeExact(client, token, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_operation_id(long operation) {
        try {
            return (long) OperationId.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationName {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_name", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_operation_name(long operation) {
        try {
            return (long) OperationName.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationType {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_type", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_operation_type(long operation) {
        try {
            return (long) OperationType.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationToken {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_token", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_operation_token(long operation) {
        try {
            return (long) OperationToken.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationRequestId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_request_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_operation_request_id(long operation) {
        try {
            return (long) OperationRequestId.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationStatus {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_status", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_operation_status(long operation, long call, long out, long err) {
        try {
            return (int) OperationStatus.HANDLE.invokeExact(operation, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationWait {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_wait", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_operation_wait(long operation, long call, long out, long err) {
        try {
            return (int) OperationWait.HANDLE.invokeExact(operation, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationSave {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_save", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_operation_save(long operation, long path, long call, long saved, long err) {
        try {
            return (int) OperationSave.HANDLE.invokeExact(operation, path, call, saved, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationRead {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_read", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_operation_read(long operation, long call, long data, long length, long err) {
        try {
            return (int) OperationRead.HANDLE.invokeExact(operation, call, data, length, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationStream {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_stream", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class);
    }

    /** See recto.h. */
    public static int recto_operation_stream(
            long operation, long write, long userdata, long call, long length, long err) {
        try {
            return (int) OperationStream.HANDLE.invokeExact(operation, write, userdata, call, length, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationDelete {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_delete", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_operation_delete(long operation, long call, long err) {
        try {
            return (int) OperationDelete.HANDLE.invokeExact(operation, call, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationKeep {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_keep", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_operation_keep(long operation) {
        try {
            OperationKeep.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class OperationFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_operation_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_operation_free(long operation) {
        try {
            OperationFree.HANDLE.invokeExact(operation);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultOperationType {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_operation_type", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_operation_type(long result) {
        try {
            return (long) ResultOperationType.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultStatus {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_status", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_status(long result) {
        try {
            return (long) ResultStatus.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultHasOutput {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_has_output", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_result_has_output(long result) {
        try {
            return (int) ResultHasOutput.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultOutputFileId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_output_file_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_output_file_id(long result) {
        try {
            return (long) ResultOutputFileId.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultOutputName {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_output_name", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_output_name(long result) {
        try {
            return (long) ResultOutputName.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultOutputUrl {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_output_url", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_output_url(long result) {
        try {
            return (long) ResultOutputUrl.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultHasValidation {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_has_validation", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_result_has_validation(long result) {
        try {
            return (int) ResultHasValidation.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultIsConforming {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_is_conforming", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_result_is_conforming(long result) {
        try {
            return (int) ResultIsConforming.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultConformance {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_conformance", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_conformance(long result) {
        try {
            return (long) ResultConformance.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultErrorCount {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_error_count", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_error_count(long result) {
        try {
            return (long) ResultErrorCount.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultErrorAt {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_error_at", long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_error_at(long result, long index) {
        try {
            return (long) ResultErrorAt.HANDLE.invokeExact(result, index);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultRequestId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_request_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_request_id(long result) {
        try {
            return (long) ResultRequestId.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultJson {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_json", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_result_json(long result) {
        try {
            return (long) ResultJson.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class ResultFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_result_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_result_free(long result) {
        try {
            ResultFree.HANDLE.invokeExact(result);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundStartPath {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_start_path", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_start_path(
            long client, long operation, long path, long options, long call, long out, long err) {
        try {
            return (int) BackgroundStartPath.HANDLE.invokeExact(client, operation, path, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundStart {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_start", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_start(
            long client, long operation, long fileId, long options, long call, long out, long err) {
        try {
            return (int) BackgroundStart.HANDLE.invokeExact(client, operation, fileId, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundStartData {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_start_data", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_start_data(
            long client, long operation, long data, long length, long name, long options, long call, long out, long err)
            {
        try {
            return (int) BackgroundStartData.HANDLE.invokeExact(
                    client, operation, data, length, name, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundRun {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_run", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_run(
            long client, long operation, long path, long options, long saveTo, long call, long out, long err) {
        try {
            return (int) BackgroundRun.HANDLE.invokeExact(client, operation, path, options, saveTo, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundWait {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_wait", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_wait(long operation, long call, long out, long err) {
        try {
            return (int) BackgroundWait.HANDLE.invokeExact(operation, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundSave {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_save", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_save(long operation, long path, long call, long out, long err) {
        try {
            return (int) BackgroundSave.HANDLE.invokeExact(operation, path, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundRead {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_read", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_read(long operation, long call, long out, long err) {
        try {
            return (int) BackgroundRead.HANDLE.invokeExact(operation, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundUploadPath {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_upload_path", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_upload_path(long client, long path, long call, long out, long err) {
        try {
            return (int) BackgroundUploadPath.HANDLE.invokeExact(client, path, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundUploadData {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_upload_data", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_upload_data(
            long client, long data, long length, long name, long call, long out, long err) {
        try {
            return (int) BackgroundUploadData.HANDLE.invokeExact(client, data, length, name, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundStartChained {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_start_chained", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_start_chained(
            long client, long operation, long previous, long options, long call, long out, long err) {
        try {
            return (int) BackgroundStartChained.HANDLE.invokeExact(
                    client, operation, previous, options, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BackgroundBatchNext {
        static final MethodHandle HANDLE = Memory.function(
                "recto_background_batch_next", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_background_batch_next(long batch, long call, long out, long err) {
        try {
            return (int) BackgroundBatchNext.HANDLE.invokeExact(batch, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskDescriptor {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_descriptor", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_task_descriptor(long task) {
        try {
            return (long) TaskDescriptor.HANDLE.invokeExact(task);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskPoll {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_poll", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_poll(long task, long timeoutMs, long err) {
        try {
            return (int) TaskPoll.HANDLE.invokeExact(task, timeoutMs, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskTakeOperation {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_take_operation", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_take_operation(long task, long out, long err) {
        try {
            return (int) TaskTakeOperation.HANDLE.invokeExact(task, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskTakeResult {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_take_result", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_take_result(long task, long out, long err) {
        try {
            return (int) TaskTakeResult.HANDLE.invokeExact(task, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskTakePath {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_take_path", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_take_path(long task, long out, long err) {
        try {
            return (int) TaskTakePath.HANDLE.invokeExact(task, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskTakeData {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_take_data", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_take_data(long task, long data, long length, long err) {
        try {
            return (int) TaskTakeData.HANDLE.invokeExact(task, data, length, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskTakeFileId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_take_file_id", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_take_file_id(long task, long out, long err) {
        try {
            return (int) TaskTakeFileId.HANDLE.invokeExact(task, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskTakeItem {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_take_item", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_task_take_item(long task, long out, long err) {
        try {
            return (int) TaskTakeItem.HANDLE.invokeExact(task, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskCancel {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_cancel", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_task_cancel(long task) {
        try {
            TaskCancel.HANDLE.invokeExact(task);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class TaskFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_task_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_task_free(long task) {
        try {
            TaskFree.HANDLE.invokeExact(task);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class UploadPath {
        static final MethodHandle HANDLE = Memory.function(
                "recto_upload_path", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_upload_path(long client, long path, long call, long fileId, long err) {
        try {
            return (int) UploadPath.HANDLE.invokeExact(client, path, call, fileId, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class UploadData {
        static final MethodHandle HANDLE = Memory.function(
                "recto_upload_data", int.class, long.class, long.class, long.class, long.class, long.class, long.class,
                long.class);
    }

    /** See recto.h. */
    public static int recto_upload_data(
            long client, long data, long length, long name, long call, long fileId, long err) {
        try {
            return (int) UploadData.HANDLE.invokeExact(client, data, length, name, call, fileId, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class UploadStream {
        static final MethodHandle HANDLE = Memory.function(
                "recto_upload_stream", int.class, long.class, long.class, long.class, long.class, long.class,
                long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_upload_stream(
            long client, long read, long userdata, long length, long name, long call, long fileId, long err) {
        try {
            return (int) UploadStream.HANDLE.invokeExact(client, read, userdata, length, name, call, fileId, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class UploadUrl {
        static final MethodHandle HANDLE = Memory.function(
                "recto_upload_url", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_upload_url(long client, long url, long call, long fileId, long err) {
        try {
            return (int) UploadUrl.HANDLE.invokeExact(client, url, call, fileId, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchNew {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_new", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_new(long client, long operation, long options, long out, long err) {
        try {
            return (int) BatchNew.HANDLE.invokeExact(client, operation, options, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchSet {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_set", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_set(long batch, long name, long value, long err) {
        try {
            return (int) BatchSet.HANDLE.invokeExact(batch, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchSetHeader {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_set_header", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_set_header(long batch, long name, long value, long err) {
        try {
            return (int) BatchSetHeader.HANDLE.invokeExact(batch, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchStopOn {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_stop_on", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_stop_on(long batch, long stop, long err) {
        try {
            return (int) BatchStopOn.HANDLE.invokeExact(batch, stop, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchAdd {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_add", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_add(long batch, long path, long err) {
        try {
            return (int) BatchAdd.HANDLE.invokeExact(batch, path, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchAddData {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_add_data", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_add_data(long batch, long data, long length, long name, long err) {
        try {
            return (int) BatchAddData.HANDLE.invokeExact(batch, data, length, name, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchAddFile {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_add_file", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_add_file(long batch, long fileId, long err) {
        try {
            return (int) BatchAddFile.HANDLE.invokeExact(batch, fileId, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchAddOperation {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_add_operation", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_add_operation(long batch, long operation, long err) {
        try {
            return (int) BatchAddOperation.HANDLE.invokeExact(batch, operation, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchNext {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_next", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_next(long batch, long call, long out, long err) {
        try {
            return (int) BatchNext.HANDLE.invokeExact(batch, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_batch_free(long batch) {
        try {
            BatchFree.HANDLE.invokeExact(batch);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemIndex {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_index", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_index(long item) {
        try {
            return (long) BatchItemIndex.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemSource {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_source", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_source(long item) {
        try {
            return (long) BatchItemSource.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemError {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_error", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_error(long item) {
        try {
            return (long) BatchItemError.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemPath {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_path", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_path(long item) {
        try {
            return (long) BatchItemPath.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemOperationId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_operation_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_operation_id(long item) {
        try {
            return (long) BatchItemOperationId.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemResult {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_result", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_result(long item) {
        try {
            return (long) BatchItemResult.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemIsResumed {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_is_resumed", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_batch_item_is_resumed(long item) {
        try {
            return (int) BatchItemIsResumed.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemLeftBehind {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_left_behind", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_left_behind(long item) {
        try {
            return (long) BatchItemLeftBehind.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemMovedTo {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_moved_to", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_batch_item_moved_to(long item) {
        try {
            return (long) BatchItemMovedTo.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class BatchItemFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_batch_item_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_batch_item_free(long item) {
        try {
            BatchItemFree.HANDLE.invokeExact(item);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileGet {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_get", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_file_get(long client, long fileId, long call, long out, long err) {
        try {
            return (int) FileGet.HANDLE.invokeExact(client, fileId, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileDelete {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_delete", int.class, long.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_file_delete(long client, long fileId, long call, long out, long err) {
        try {
            return (int) FileDelete.HANDLE.invokeExact(client, fileId, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileId {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_id", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_id(long file) {
        try {
            return (long) FileId.HANDLE.invokeExact(file);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileCreatedAt {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_created_at", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_created_at(long file) {
        try {
            return (long) FileCreatedAt.HANDLE.invokeExact(file);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileOrigin {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_origin", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_origin(long file) {
        try {
            return (long) FileOrigin.HANDLE.invokeExact(file);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileName {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_name", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_name(long file) {
        try {
            return (long) FileName.HANDLE.invokeExact(file);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileExtension {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_extension", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_extension(long file) {
        try {
            return (long) FileExtension.HANDLE.invokeExact(file);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_file_free(long file) {
        try {
            FileFree.HANDLE.invokeExact(file);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileListGet {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_list_get", int.class, long.class, int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_file_list_get(long client, int onlyResultFiles, long call, long out, long err) {
        try {
            return (int) FileListGet.HANDLE.invokeExact(client, onlyResultFiles, call, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileListCount {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_list_count", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_list_count(long list) {
        try {
            return (long) FileListCount.HANDLE.invokeExact(list);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileListAt {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_list_at", long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_file_list_at(long list, long index) {
        try {
            return (long) FileListAt.HANDLE.invokeExact(list, index);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class FileListFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_file_list_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_file_list_free(long list) {
        try {
            FileListFree.HANDLE.invokeExact(list);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class PhaseName {
        static final MethodHandle HANDLE = Memory.function(
                "recto_phase_name", long.class, int.class);
    }

    /** See recto.h. */
    public static long recto_phase_name(int phase) {
        try {
            return (long) PhaseName.HANDLE.invokeExact(phase);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallNew {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_new", int.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_new(long out, long err) {
        try {
            return (int) CallNew.HANDLE.invokeExact(out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetTimeout {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_timeout", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_timeout(long call, long milliseconds, long err) {
        try {
            return (int) CallSetTimeout.HANDLE.invokeExact(call, milliseconds, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetWaitTimeout {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_wait_timeout", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_wait_timeout(long call, long milliseconds, long err) {
        try {
            return (int) CallSetWaitTimeout.HANDLE.invokeExact(call, milliseconds, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetForce {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_force", int.class, long.class, int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_force(long call, int force, long err) {
        try {
            return (int) CallSetForce.HANDLE.invokeExact(call, force, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetOverwrite {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_overwrite", int.class, long.class, int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_overwrite(long call, int overwrite, long err) {
        try {
            return (int) CallSetOverwrite.HANDLE.invokeExact(call, overwrite, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetDeleteAfter {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_delete_after", int.class, long.class, int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_delete_after(long call, int deleteAfter, long err) {
        try {
            return (int) CallSetDeleteAfter.HANDLE.invokeExact(call, deleteAfter, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetHeader {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_header", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_header(long call, long name, long value, long err) {
        try {
            return (int) CallSetHeader.HANDLE.invokeExact(call, name, value, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetExtraOptions {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_extra_options", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_extra_options(long call, long options, long err) {
        try {
            return (int) CallSetExtraOptions.HANDLE.invokeExact(call, options, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetUnchecked {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_unchecked", int.class, long.class, int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_unchecked(long call, int unchecked, long err) {
        try {
            return (int) CallSetUnchecked.HANDLE.invokeExact(call, unchecked, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetCancel {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_cancel", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_cancel(long call, long cancel, long err) {
        try {
            return (int) CallSetCancel.HANDLE.invokeExact(call, cancel, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallSetProgress {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_set_progress", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_call_set_progress(long call, long progress, long userdata, long err) {
        try {
            return (int) CallSetProgress.HANDLE.invokeExact(call, progress, userdata, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CallFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_call_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_call_free(long call) {
        try {
            CallFree.HANDLE.invokeExact(call);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CancelNew {
        static final MethodHandle HANDLE = Memory.function(
                "recto_cancel_new", int.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_cancel_new(long out, long err) {
        try {
            return (int) CancelNew.HANDLE.invokeExact(out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CancelTrigger {
        static final MethodHandle HANDLE = Memory.function(
                "recto_cancel_trigger", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_cancel_trigger(long cancel) {
        try {
            CancelTrigger.HANDLE.invokeExact(cancel);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CancelIsTriggered {
        static final MethodHandle HANDLE = Memory.function(
                "recto_cancel_is_triggered", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_cancel_is_triggered(long cancel) {
        try {
            return (int) CancelIsTriggered.HANDLE.invokeExact(cancel);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class CancelFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_cancel_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_cancel_free(long cancel) {
        try {
            CancelFree.HANDLE.invokeExact(cancel);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class LocalStart {
        static final MethodHandle HANDLE = Memory.function(
                "recto_local_start", int.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_local_start(long options, long out, long err) {
        try {
            return (int) LocalStart.HANDLE.invokeExact(options, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class LocalStartLogged {
        static final MethodHandle HANDLE = Memory.function(
                "recto_local_start_logged", int.class, long.class, long.class, long.class, long.class);
    }

    /** See recto.h. */
    public static int recto_local_start_logged(long options, long config, long out, long err) {
        try {
            return (int) LocalStartLogged.HANDLE.invokeExact(options, config, out, err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class LocalBaseUrl {
        static final MethodHandle HANDLE = Memory.function(
                "recto_local_base_url", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_local_base_url(long local) {
        try {
            return (long) LocalBaseUrl.HANDLE.invokeExact(local);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class LocalApiKey {
        static final MethodHandle HANDLE = Memory.function(
                "recto_local_api_key", long.class, long.class);
    }

    /** See recto.h. */
    public static long recto_local_api_key(long local) {
        try {
            return (long) LocalApiKey.HANDLE.invokeExact(local);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class LocalFree {
        static final MethodHandle HANDLE = Memory.function(
                "recto_local_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_local_free(long local) {
        try {
            LocalFree.HANDLE.invokeExact(local);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class Free {
        static final MethodHandle HANDLE = Memory.function(
                "recto_free", void.class, long.class);
    }

    /** See recto.h. */
    public static void recto_free(long memory) {
        try {
            Free.HANDLE.invokeExact(memory);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class Shutdown {
        static final MethodHandle HANDLE = Memory.function(
                "recto_shutdown", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_shutdown(long err) {
        try {
            return (int) Shutdown.HANDLE.invokeExact(err);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class VersionNumber {
        static final MethodHandle HANDLE = Memory.function(
                "recto_version_number", int.class);
    }

    /** See recto.h. */
    public static int recto_version_number() {
        try {
            return (int) VersionNumber.HANDLE.invokeExact();
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class VersionString {
        static final MethodHandle HANDLE = Memory.function(
                "recto_version_string", long.class);
    }

    /** See recto.h. */
    public static long recto_version_string() {
        try {
            return (long) VersionString.HANDLE.invokeExact();
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }

    private static final class HasFeature {
        static final MethodHandle HANDLE = Memory.function(
                "recto_has_feature", int.class, long.class);
    }

    /** See recto.h. */
    public static int recto_has_feature(long name) {
        try {
            return (int) HasFeature.HANDLE.invokeExact(name);
        } catch (Throwable throwable) {
            throw Memory.unexpected(throwable);
        }
    }
}
