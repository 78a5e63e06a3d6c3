// Generated from bindings/operations.json by bindings/generate/java.py: do not edit.
package dev.recto.ffi;

/**
 * The functions of recto.h, for JNA. Java 22 and later use the class of the same name that calls them with the foreign
 * function and memory API. An address is a {@code long}. Internal: programs do not use this package.
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
        Memory.bind(CLibrary.class);
        Library.check(recto_version_number());
    }

    private CLibrary() {}

    /** See recto.h. */
    public static native long recto_status_name(int status);

    /** See recto.h. */
    public static native void recto_error_free(long error);

    /** See recto.h. */
    public static native int recto_error_status(long error);

    /** See recto.h. */
    public static native long recto_error_message(long error);

    /** See recto.h. */
    public static native long recto_error_advice(long error);

    /** See recto.h. */
    public static native int recto_error_phase(long error);

    /** See recto.h. */
    public static native int recto_error_http_status(long error);

    /** See recto.h. */
    public static native long recto_error_method(long error);

    /** See recto.h. */
    public static native long recto_error_url(long error);

    /** See recto.h. */
    public static native long recto_error_code(long error);

    /** See recto.h. */
    public static native long recto_error_title(long error);

    /** See recto.h. */
    public static native long recto_error_detail(long error);

    /** See recto.h. */
    public static native long recto_error_request_id(long error);

    /** See recto.h. */
    public static native long recto_error_operation_id(long error);

    /** See recto.h. */
    public static native long recto_error_document(long error);

    /** See recto.h. */
    public static native long recto_error_token(long error);

    /** See recto.h. */
    public static native long recto_error_body(long error);

    /** See recto.h. */
    public static native int recto_error_attempts(long error);

    /** See recto.h. */
    public static native long recto_error_retry_after_ms(long error);

    /** See recto.h. */
    public static native int recto_error_is_retryable(long error);

    /** See recto.h. */
    public static native int recto_config_new(long out, long err);

    /** See recto.h. */
    public static native int recto_config_set(long config, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_config_set_header(long config, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_config_set_log(long config, int level, long log, long userdata, long drop, long err);

    /** See recto.h. */
    public static native void recto_config_free(long config);

    /** See recto.h. */
    public static native int recto_client_new(long config, long out, long err);

    /** See recto.h. */
    public static native int recto_client_with(long client, long config, long out, long err);

    /** See recto.h. */
    public static native long recto_client_base_url(long client);

    /** See recto.h. */
    public static native void recto_client_close(long client);

    /** See recto.h. */
    public static native void recto_client_free(long client);

    /** See recto.h. */
    public static native int recto_options_new(long operation, long out, long err);

    /** See recto.h. */
    public static native int recto_options_set(long options, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_options_set_text(long options, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_options_set_int(long options, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_options_set_double(long options, long name, double value, long err);

    /** See recto.h. */
    public static native int recto_options_set_bool(long options, long name, int value, long err);

    /** See recto.h. */
    public static native long recto_options_json(long options);

    /** See recto.h. */
    public static native void recto_options_free(long options);

    /** See recto.h. */
    public static native int recto_start(
            long client, long operation, long fileId, long options, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_start_path(
            long client, long operation, long path, long options, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_start_data(
            long client, long operation, long data, long length, long name, long options, long call, long out, long
            err);

    /** See recto.h. */
    public static native int recto_start_stream(
            long client, long operation, long read, long userdata, long length, long name, long options, long call, long
            out, long err);

    /** See recto.h. */
    public static native int recto_start_chained(
            long client, long operation, long previous, long options, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_resume(long client, long token, long out, long err);

    /** See recto.h. */
    public static native long recto_operation_id(long operation);

    /** See recto.h. */
    public static native long recto_operation_name(long operation);

    /** See recto.h. */
    public static native long recto_operation_type(long operation);

    /** See recto.h. */
    public static native long recto_operation_token(long operation);

    /** See recto.h. */
    public static native long recto_operation_request_id(long operation);

    /** See recto.h. */
    public static native int recto_operation_status(long operation, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_operation_wait(long operation, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_operation_save(long operation, long path, long call, long saved, long err);

    /** See recto.h. */
    public static native int recto_operation_read(long operation, long call, long data, long length, long err);

    /** See recto.h. */
    public static native int recto_operation_stream(
            long operation, long write, long userdata, long call, long length, long err);

    /** See recto.h. */
    public static native int recto_operation_delete(long operation, long call, long err);

    /** See recto.h. */
    public static native void recto_operation_keep(long operation);

    /** See recto.h. */
    public static native void recto_operation_free(long operation);

    /** See recto.h. */
    public static native long recto_result_operation_type(long result);

    /** See recto.h. */
    public static native long recto_result_status(long result);

    /** See recto.h. */
    public static native int recto_result_has_output(long result);

    /** See recto.h. */
    public static native long recto_result_output_file_id(long result);

    /** See recto.h. */
    public static native long recto_result_output_name(long result);

    /** See recto.h. */
    public static native long recto_result_output_url(long result);

    /** See recto.h. */
    public static native int recto_result_has_validation(long result);

    /** See recto.h. */
    public static native int recto_result_is_conforming(long result);

    /** See recto.h. */
    public static native long recto_result_conformance(long result);

    /** See recto.h. */
    public static native long recto_result_error_count(long result);

    /** See recto.h. */
    public static native long recto_result_error_at(long result, long index);

    /** See recto.h. */
    public static native long recto_result_request_id(long result);

    /** See recto.h. */
    public static native long recto_result_json(long result);

    /** See recto.h. */
    public static native void recto_result_free(long result);

    /** See recto.h. */
    public static native int recto_background_start_path(
            long client, long operation, long path, long options, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_start(
            long client, long operation, long fileId, long options, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_start_data(
            long client, long operation, long data, long length, long name, long options, long call, long out, long
            err);

    /** See recto.h. */
    public static native int recto_background_run(
            long client, long operation, long path, long options, long saveTo, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_wait(long operation, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_save(long operation, long path, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_read(long operation, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_upload_path(long client, long path, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_upload_data(
            long client, long data, long length, long name, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_start_chained(
            long client, long operation, long previous, long options, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_background_batch_next(long batch, long call, long out, long err);

    /** See recto.h. */
    public static native long recto_task_descriptor(long task);

    /** See recto.h. */
    public static native int recto_task_poll(long task, long timeoutMs, long err);

    /** See recto.h. */
    public static native int recto_task_take_operation(long task, long out, long err);

    /** See recto.h. */
    public static native int recto_task_take_result(long task, long out, long err);

    /** See recto.h. */
    public static native int recto_task_take_path(long task, long out, long err);

    /** See recto.h. */
    public static native int recto_task_take_data(long task, long data, long length, long err);

    /** See recto.h. */
    public static native int recto_task_take_file_id(long task, long out, long err);

    /** See recto.h. */
    public static native int recto_task_take_item(long task, long out, long err);

    /** See recto.h. */
    public static native void recto_task_cancel(long task);

    /** See recto.h. */
    public static native void recto_task_free(long task);

    /** See recto.h. */
    public static native int recto_upload_path(long client, long path, long call, long fileId, long err);

    /** See recto.h. */
    public static native int recto_upload_data(
            long client, long data, long length, long name, long call, long fileId, long err);

    /** See recto.h. */
    public static native int recto_upload_stream(
            long client, long read, long userdata, long length, long name, long call, long fileId, long err);

    /** See recto.h. */
    public static native int recto_upload_url(long client, long url, long call, long fileId, long err);

    /** See recto.h. */
    public static native int recto_batch_new(long client, long operation, long options, long out, long err);

    /** See recto.h. */
    public static native int recto_batch_set(long batch, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_batch_set_header(long batch, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_batch_stop_on(long batch, long stop, long err);

    /** See recto.h. */
    public static native int recto_batch_add(long batch, long path, long err);

    /** See recto.h. */
    public static native int recto_batch_add_data(long batch, long data, long length, long name, long err);

    /** See recto.h. */
    public static native int recto_batch_add_file(long batch, long fileId, long err);

    /** See recto.h. */
    public static native int recto_batch_add_operation(long batch, long operation, long err);

    /** See recto.h. */
    public static native int recto_batch_next(long batch, long call, long out, long err);

    /** See recto.h. */
    public static native void recto_batch_free(long batch);

    /** See recto.h. */
    public static native long recto_batch_item_index(long item);

    /** See recto.h. */
    public static native long recto_batch_item_source(long item);

    /** See recto.h. */
    public static native long recto_batch_item_error(long item);

    /** See recto.h. */
    public static native long recto_batch_item_path(long item);

    /** See recto.h. */
    public static native long recto_batch_item_operation_id(long item);

    /** See recto.h. */
    public static native long recto_batch_item_result(long item);

    /** See recto.h. */
    public static native int recto_batch_item_is_resumed(long item);

    /** See recto.h. */
    public static native long recto_batch_item_left_behind(long item);

    /** See recto.h. */
    public static native long recto_batch_item_moved_to(long item);

    /** See recto.h. */
    public static native void recto_batch_item_free(long item);

    /** See recto.h. */
    public static native int recto_file_get(long client, long fileId, long call, long out, long err);

    /** See recto.h. */
    public static native int recto_file_delete(long client, long fileId, long call, long out, long err);

    /** See recto.h. */
    public static native long recto_file_id(long file);

    /** See recto.h. */
    public static native long recto_file_created_at(long file);

    /** See recto.h. */
    public static native long recto_file_origin(long file);

    /** See recto.h. */
    public static native long recto_file_name(long file);

    /** See recto.h. */
    public static native long recto_file_extension(long file);

    /** See recto.h. */
    public static native void recto_file_free(long file);

    /** See recto.h. */
    public static native int recto_file_list_get(long client, int onlyResultFiles, long call, long out, long err);

    /** See recto.h. */
    public static native long recto_file_list_count(long list);

    /** See recto.h. */
    public static native long recto_file_list_at(long list, long index);

    /** See recto.h. */
    public static native void recto_file_list_free(long list);

    /** See recto.h. */
    public static native long recto_phase_name(int phase);

    /** See recto.h. */
    public static native int recto_call_new(long out, long err);

    /** See recto.h. */
    public static native int recto_call_set_timeout(long call, long milliseconds, long err);

    /** See recto.h. */
    public static native int recto_call_set_wait_timeout(long call, long milliseconds, long err);

    /** See recto.h. */
    public static native int recto_call_set_force(long call, int force, long err);

    /** See recto.h. */
    public static native int recto_call_set_overwrite(long call, int overwrite, long err);

    /** See recto.h. */
    public static native int recto_call_set_delete_after(long call, int deleteAfter, long err);

    /** See recto.h. */
    public static native int recto_call_set_header(long call, long name, long value, long err);

    /** See recto.h. */
    public static native int recto_call_set_extra_options(long call, long options, long err);

    /** See recto.h. */
    public static native int recto_call_set_unchecked(long call, int unchecked, long err);

    /** See recto.h. */
    public static native int recto_call_set_cancel(long call, long cancel, long err);

    /** See recto.h. */
    public static native int recto_call_set_progress(long call, long progress, long userdata, long err);

    /** See recto.h. */
    public static native void recto_call_free(long call);

    /** See recto.h. */
    public static native int recto_cancel_new(long out, long err);

    /** See recto.h. */
    public static native void recto_cancel_trigger(long cancel);

    /** See recto.h. */
    public static native int recto_cancel_is_triggered(long cancel);

    /** See recto.h. */
    public static native void recto_cancel_free(long cancel);

    /** See recto.h. */
    public static native int recto_local_start(long options, long out, long err);

    /** See recto.h. */
    public static native int recto_local_start_logged(long options, long config, long out, long err);

    /** See recto.h. */
    public static native long recto_local_base_url(long local);

    /** See recto.h. */
    public static native long recto_local_api_key(long local);

    /** See recto.h. */
    public static native void recto_local_free(long local);

    /** See recto.h. */
    public static native void recto_free(long memory);

    /** See recto.h. */
    public static native int recto_shutdown(long err);

    /** See recto.h. */
    public static native int recto_version_number();

    /** See recto.h. */
    public static native long recto_version_string();

    /** See recto.h. */
    public static native int recto_has_feature(long name);
}
