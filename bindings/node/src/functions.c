/* The functions and handle types of recto.h. Generated from bindings/operations.json by bindings/generate/node.py: do not edit. */
#include "addon.h"

static void free_recto_error(void *pointer) {
    recto_error_free(pointer);
}

static const handle_type TYPE_recto_error = {"recto_error", free_recto_error, false};

static void free_recto_config(void *pointer) {
    recto_config_free(pointer);
}

static const handle_type TYPE_recto_config = {"recto_config", free_recto_config, false};

static void free_recto_client(void *pointer) {
    recto_client_free(pointer);
}

static const handle_type TYPE_recto_client = {"recto_client", free_recto_client, true};

static void free_recto_operation(void *pointer) {
    recto_operation_free(pointer);
}

static const handle_type TYPE_recto_operation = {"recto_operation", free_recto_operation, true};

static void free_recto_result(void *pointer) {
    recto_result_free(pointer);
}

static const handle_type TYPE_recto_result = {"recto_result", free_recto_result, false};

static void free_recto_batch(void *pointer) {
    recto_batch_free(pointer);
}

static const handle_type TYPE_recto_batch = {"recto_batch", free_recto_batch, true};

static void free_recto_batch_item(void *pointer) {
    recto_batch_item_free(pointer);
}

static const handle_type TYPE_recto_batch_item = {"recto_batch_item", free_recto_batch_item, false};

static void free_recto_file(void *pointer) {
    recto_file_free(pointer);
}

static const handle_type TYPE_recto_file = {"recto_file", free_recto_file, false};

static void free_recto_file_list(void *pointer) {
    recto_file_list_free(pointer);
}

static const handle_type TYPE_recto_file_list = {"recto_file_list", free_recto_file_list, false};

static void free_recto_call(void *pointer) {
    recto_call_free(pointer);
}

static const handle_type TYPE_recto_call = {"recto_call", free_recto_call, false};

static void free_recto_cancel(void *pointer) {
    recto_cancel_free(pointer);
}

static const handle_type TYPE_recto_cancel = {"recto_cancel", free_recto_cancel, false};

static void free_recto_local(void *pointer) {
    recto_local_free(pointer);
}

static const handle_type TYPE_recto_local = {"recto_local", free_recto_local, true};

static void run_recto_status_name(slot *slots) {
    slots[0].text = recto_status_name((recto_status)slots[1].number);
}

static void run_recto_error_status(slot *slots) {
    slots[0].number = recto_error_status(slots[1].pointer);
}

static void run_recto_error_message(slot *slots) {
    slots[0].text = recto_error_message(slots[1].pointer);
}

static void run_recto_error_advice(slot *slots) {
    slots[0].text = recto_error_advice(slots[1].pointer);
}

static void run_recto_error_phase(slot *slots) {
    slots[0].number = recto_error_phase(slots[1].pointer);
}

static void run_recto_error_http_status(slot *slots) {
    slots[0].number = recto_error_http_status(slots[1].pointer);
}

static void run_recto_error_method(slot *slots) {
    slots[0].text = recto_error_method(slots[1].pointer);
}

static void run_recto_error_url(slot *slots) {
    slots[0].text = recto_error_url(slots[1].pointer);
}

static void run_recto_error_code(slot *slots) {
    slots[0].text = recto_error_code(slots[1].pointer);
}

static void run_recto_error_title(slot *slots) {
    slots[0].text = recto_error_title(slots[1].pointer);
}

static void run_recto_error_detail(slot *slots) {
    slots[0].text = recto_error_detail(slots[1].pointer);
}

static void run_recto_error_request_id(slot *slots) {
    slots[0].text = recto_error_request_id(slots[1].pointer);
}

static void run_recto_error_operation_id(slot *slots) {
    slots[0].text = recto_error_operation_id(slots[1].pointer);
}

static void run_recto_error_document(slot *slots) {
    slots[0].text = recto_error_document(slots[1].pointer);
}

static void run_recto_error_token(slot *slots) {
    slots[0].text = recto_error_token(slots[1].pointer);
}

static void run_recto_error_body(slot *slots) {
    slots[0].text = recto_error_body(slots[1].pointer);
}

static void run_recto_error_attempts(slot *slots) {
    slots[0].number = recto_error_attempts(slots[1].pointer);
}

static void run_recto_error_retry_after_ms(slot *slots) {
    slots[0].number = recto_error_retry_after_ms(slots[1].pointer);
}

static void run_recto_error_is_retryable(slot *slots) {
    slots[0].number = recto_error_is_retryable(slots[1].pointer);
}

static void run_recto_config_new(slot *slots) {
    slots[0].number = recto_config_new(slots[1].pointer, slots[2].pointer);
}

static void run_recto_config_set(slot *slots) {
    slots[0].number = recto_config_set(slots[1].pointer, slots[2].text, slots[3].text, slots[4].pointer);
}

static void run_recto_config_set_header(slot *slots) {
    slots[0].number = recto_config_set_header(slots[1].pointer, slots[2].text, slots[3].text, slots[4].pointer);
}

static void run_recto_config_set_log(slot *slots) {
    slots[0].number = recto_config_set_log(slots[1].pointer, (int32_t)slots[2].number, slots[3].function == NULL ? NULL : callback_log, slots[4].pointer, slots[4].pointer == NULL ? NULL : callback_drop, slots[6].pointer);
}

static void run_recto_client_new(slot *slots) {
    slots[0].number = recto_client_new(slots[1].pointer, slots[2].pointer, slots[3].pointer);
}

static void run_recto_client_with(slot *slots) {
    slots[0].number = recto_client_with(slots[1].pointer, slots[2].pointer, slots[3].pointer, slots[4].pointer);
}

static void run_recto_client_base_url(slot *slots) {
    slots[0].text = recto_client_base_url(slots[1].pointer);
}

static void run_recto_client_close(slot *slots) {
    recto_client_close(slots[1].pointer);
}

static void run_recto_start(slot *slots) {
    slots[0].number = recto_start(slots[1].pointer, slots[2].text, slots[3].text, slots[4].text, slots[5].pointer, slots[6].pointer, slots[7].pointer);
}

static void run_recto_start_path(slot *slots) {
    slots[0].number = recto_start_path(slots[1].pointer, slots[2].text, slots[3].text, slots[4].text, slots[5].pointer, slots[6].pointer, slots[7].pointer);
}

static void run_recto_start_data(slot *slots) {
    slots[0].number = recto_start_data(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].count, slots[5].text, slots[6].text, slots[7].pointer, slots[8].pointer, slots[9].pointer);
}

static void run_recto_start_stream(slot *slots) {
    slots[0].number = recto_start_stream(slots[1].pointer, slots[2].text, slots[3].function == NULL ? NULL : callback_read, slots[4].pointer, (int64_t)slots[5].number, slots[6].text, slots[7].text, slots[8].pointer, slots[9].pointer, slots[10].pointer);
}

static void run_recto_start_chained(slot *slots) {
    slots[0].number = recto_start_chained(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].text, slots[5].pointer, slots[6].pointer, slots[7].pointer);
}

static void run_recto_resume(slot *slots) {
    slots[0].number = recto_resume(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].pointer);
}

static void run_recto_operation_id(slot *slots) {
    slots[0].text = recto_operation_id(slots[1].pointer);
}

static void run_recto_operation_name(slot *slots) {
    slots[0].text = recto_operation_name(slots[1].pointer);
}

static void run_recto_operation_type(slot *slots) {
    slots[0].text = recto_operation_type(slots[1].pointer);
}

static void run_recto_operation_token(slot *slots) {
    slots[0].text = recto_operation_token(slots[1].pointer);
}

static void run_recto_operation_request_id(slot *slots) {
    slots[0].text = recto_operation_request_id(slots[1].pointer);
}

static void run_recto_operation_status(slot *slots) {
    slots[0].number = recto_operation_status(slots[1].pointer, slots[2].pointer, slots[3].pointer, slots[4].pointer);
}

static void run_recto_operation_wait(slot *slots) {
    slots[0].number = recto_operation_wait(slots[1].pointer, slots[2].pointer, slots[3].pointer, slots[4].pointer);
}

static void run_recto_operation_save(slot *slots) {
    slots[0].number = recto_operation_save(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_operation_read(slot *slots) {
    slots[0].number = recto_operation_read(slots[1].pointer, slots[2].pointer, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_operation_stream(slot *slots) {
    slots[0].number = recto_operation_stream(slots[1].pointer, slots[2].function == NULL ? NULL : callback_write, slots[3].pointer, slots[4].pointer, slots[5].pointer, slots[6].pointer);
}

static void run_recto_operation_delete(slot *slots) {
    slots[0].number = recto_operation_delete(slots[1].pointer, slots[2].pointer, slots[3].pointer);
}

static void run_recto_operation_keep(slot *slots) {
    recto_operation_keep(slots[1].pointer);
}

static void run_recto_result_operation_type(slot *slots) {
    slots[0].text = recto_result_operation_type(slots[1].pointer);
}

static void run_recto_result_status(slot *slots) {
    slots[0].text = recto_result_status(slots[1].pointer);
}

static void run_recto_result_has_output(slot *slots) {
    slots[0].number = recto_result_has_output(slots[1].pointer);
}

static void run_recto_result_output_file_id(slot *slots) {
    slots[0].text = recto_result_output_file_id(slots[1].pointer);
}

static void run_recto_result_output_name(slot *slots) {
    slots[0].text = recto_result_output_name(slots[1].pointer);
}

static void run_recto_result_output_url(slot *slots) {
    slots[0].text = recto_result_output_url(slots[1].pointer);
}

static void run_recto_result_has_validation(slot *slots) {
    slots[0].number = recto_result_has_validation(slots[1].pointer);
}

static void run_recto_result_is_conforming(slot *slots) {
    slots[0].number = recto_result_is_conforming(slots[1].pointer);
}

static void run_recto_result_conformance(slot *slots) {
    slots[0].text = recto_result_conformance(slots[1].pointer);
}

static void run_recto_result_error_count(slot *slots) {
    slots[0].number = recto_result_error_count(slots[1].pointer);
}

static void run_recto_result_error_at(slot *slots) {
    slots[0].text = recto_result_error_at(slots[1].pointer, (size_t)slots[2].number);
}

static void run_recto_result_request_id(slot *slots) {
    slots[0].text = recto_result_request_id(slots[1].pointer);
}

static void run_recto_result_json(slot *slots) {
    slots[0].text = recto_result_json(slots[1].pointer);
}

static void run_recto_upload_path(slot *slots) {
    slots[0].number = recto_upload_path(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_upload_data(slot *slots) {
    slots[0].number = recto_upload_data(slots[1].pointer, slots[2].pointer, slots[3].count, slots[4].text, slots[5].pointer, slots[6].pointer, slots[7].pointer);
}

static void run_recto_upload_stream(slot *slots) {
    slots[0].number = recto_upload_stream(slots[1].pointer, slots[2].function == NULL ? NULL : callback_read, slots[3].pointer, (int64_t)slots[4].number, slots[5].text, slots[6].pointer, slots[7].pointer, slots[8].pointer);
}

static void run_recto_upload_url(slot *slots) {
    slots[0].number = recto_upload_url(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_batch_new(slot *slots) {
    slots[0].number = recto_batch_new(slots[1].pointer, slots[2].text, slots[3].text, slots[4].pointer, slots[5].pointer);
}

static void run_recto_batch_set(slot *slots) {
    slots[0].number = recto_batch_set(slots[1].pointer, slots[2].text, slots[3].text, slots[4].pointer);
}

static void run_recto_batch_set_header(slot *slots) {
    slots[0].number = recto_batch_set_header(slots[1].pointer, slots[2].text, slots[3].text, slots[4].pointer);
}

static void run_recto_batch_stop_on(slot *slots) {
    slots[0].number = recto_batch_stop_on(slots[1].pointer, slots[2].pointer, slots[3].pointer);
}

static void run_recto_batch_add(slot *slots) {
    slots[0].number = recto_batch_add(slots[1].pointer, slots[2].text, slots[3].pointer);
}

static void run_recto_batch_add_data(slot *slots) {
    slots[0].number = recto_batch_add_data(slots[1].pointer, slots[2].pointer, slots[3].count, slots[4].text, slots[5].pointer);
}

static void run_recto_batch_add_file(slot *slots) {
    slots[0].number = recto_batch_add_file(slots[1].pointer, slots[2].text, slots[3].pointer);
}

static void run_recto_batch_add_operation(slot *slots) {
    slots[0].number = recto_batch_add_operation(slots[1].pointer, slots[2].pointer, slots[3].pointer);
}

static void run_recto_batch_next(slot *slots) {
    slots[0].number = recto_batch_next(slots[1].pointer, slots[2].pointer, slots[3].pointer, slots[4].pointer);
}

static void run_recto_batch_item_index(slot *slots) {
    slots[0].number = recto_batch_item_index(slots[1].pointer);
}

static void run_recto_batch_item_source(slot *slots) {
    slots[0].text = recto_batch_item_source(slots[1].pointer);
}

static void run_recto_batch_item_error(slot *slots) {
    slots[0].pointer = (void *)recto_batch_item_error(slots[1].pointer);
}

static void run_recto_batch_item_path(slot *slots) {
    slots[0].text = recto_batch_item_path(slots[1].pointer);
}

static void run_recto_batch_item_operation_id(slot *slots) {
    slots[0].text = recto_batch_item_operation_id(slots[1].pointer);
}

static void run_recto_batch_item_result(slot *slots) {
    slots[0].pointer = (void *)recto_batch_item_result(slots[1].pointer);
}

static void run_recto_batch_item_is_resumed(slot *slots) {
    slots[0].number = recto_batch_item_is_resumed(slots[1].pointer);
}

static void run_recto_batch_item_left_behind(slot *slots) {
    slots[0].pointer = (void *)recto_batch_item_left_behind(slots[1].pointer);
}

static void run_recto_batch_item_moved_to(slot *slots) {
    slots[0].text = recto_batch_item_moved_to(slots[1].pointer);
}

static void run_recto_file_get(slot *slots) {
    slots[0].number = recto_file_get(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_file_delete(slot *slots) {
    slots[0].number = recto_file_delete(slots[1].pointer, slots[2].text, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_file_id(slot *slots) {
    slots[0].text = recto_file_id(slots[1].pointer);
}

static void run_recto_file_created_at(slot *slots) {
    slots[0].text = recto_file_created_at(slots[1].pointer);
}

static void run_recto_file_origin(slot *slots) {
    slots[0].text = recto_file_origin(slots[1].pointer);
}

static void run_recto_file_name(slot *slots) {
    slots[0].text = recto_file_name(slots[1].pointer);
}

static void run_recto_file_extension(slot *slots) {
    slots[0].text = recto_file_extension(slots[1].pointer);
}

static void run_recto_file_list_get(slot *slots) {
    slots[0].number = recto_file_list_get(slots[1].pointer, (int32_t)slots[2].number, slots[3].pointer, slots[4].pointer, slots[5].pointer);
}

static void run_recto_file_list_count(slot *slots) {
    slots[0].number = recto_file_list_count(slots[1].pointer);
}

static void run_recto_file_list_at(slot *slots) {
    slots[0].pointer = (void *)recto_file_list_at(slots[1].pointer, (size_t)slots[2].number);
}

static void run_recto_phase_name(slot *slots) {
    slots[0].text = recto_phase_name((int32_t)slots[1].number);
}

static void run_recto_call_new(slot *slots) {
    slots[0].number = recto_call_new(slots[1].pointer, slots[2].pointer);
}

static void run_recto_call_set_timeout(slot *slots) {
    slots[0].number = recto_call_set_timeout(slots[1].pointer, (int64_t)slots[2].number, slots[3].pointer);
}

static void run_recto_call_set_wait_timeout(slot *slots) {
    slots[0].number = recto_call_set_wait_timeout(slots[1].pointer, (int64_t)slots[2].number, slots[3].pointer);
}

static void run_recto_call_set_force(slot *slots) {
    slots[0].number = recto_call_set_force(slots[1].pointer, (int32_t)slots[2].number, slots[3].pointer);
}

static void run_recto_call_set_overwrite(slot *slots) {
    slots[0].number = recto_call_set_overwrite(slots[1].pointer, (int32_t)slots[2].number, slots[3].pointer);
}

static void run_recto_call_set_delete_after(slot *slots) {
    slots[0].number = recto_call_set_delete_after(slots[1].pointer, (int32_t)slots[2].number, slots[3].pointer);
}

static void run_recto_call_set_header(slot *slots) {
    slots[0].number = recto_call_set_header(slots[1].pointer, slots[2].text, slots[3].text, slots[4].pointer);
}

static void run_recto_call_set_extra_options(slot *slots) {
    slots[0].number = recto_call_set_extra_options(slots[1].pointer, slots[2].text, slots[3].pointer);
}

static void run_recto_call_set_unchecked(slot *slots) {
    slots[0].number = recto_call_set_unchecked(slots[1].pointer, (int32_t)slots[2].number, slots[3].pointer);
}

static void run_recto_call_set_cancel(slot *slots) {
    slots[0].number = recto_call_set_cancel(slots[1].pointer, slots[2].pointer, slots[3].pointer);
}

static void run_recto_call_set_progress(slot *slots) {
    slots[0].number = recto_call_set_progress(slots[1].pointer, slots[2].function == NULL ? NULL : callback_progress, slots[3].pointer, slots[4].pointer);
}

static void run_recto_cancel_new(slot *slots) {
    slots[0].number = recto_cancel_new(slots[1].pointer, slots[2].pointer);
}

static void run_recto_cancel_trigger(slot *slots) {
    recto_cancel_trigger(slots[1].pointer);
}

static void run_recto_cancel_is_triggered(slot *slots) {
    slots[0].number = recto_cancel_is_triggered(slots[1].pointer);
}

static void run_recto_local_start(slot *slots) {
    slots[0].number = recto_local_start(slots[1].text, slots[2].pointer, slots[3].pointer);
}

static void run_recto_local_start_logged(slot *slots) {
    slots[0].number = recto_local_start_logged(slots[1].text, slots[2].pointer, slots[3].pointer, slots[4].pointer);
}

static void run_recto_local_base_url(slot *slots) {
    slots[0].text = recto_local_base_url(slots[1].pointer);
}

static void run_recto_local_api_key(slot *slots) {
    slots[0].text = recto_local_api_key(slots[1].pointer);
}

static void run_recto_shutdown(slot *slots) {
    slots[0].number = recto_shutdown(slots[1].pointer);
}

static void run_recto_version_number(slot *slots) {
    slots[0].number = recto_version_number();
}

static void run_recto_version_string(slot *slots) {
    slots[0].text = recto_version_string();
}

static void run_recto_has_feature(slot *slots) {
    slots[0].number = recto_has_feature(slots[1].text);
}

const function FUNCTIONS[] = {
    {"recto_status_name", run_recto_status_name, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_NUMBER, NULL}}},
    {"recto_error_status", run_recto_error_status, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_message", run_recto_error_message, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_advice", run_recto_error_advice, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_phase", run_recto_error_phase, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_http_status", run_recto_error_http_status, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_method", run_recto_error_method, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_url", run_recto_error_url, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_code", run_recto_error_code, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_title", run_recto_error_title, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_detail", run_recto_error_detail, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_request_id", run_recto_error_request_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_operation_id", run_recto_error_operation_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_document", run_recto_error_document, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_token", run_recto_error_token, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_body", run_recto_error_body, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_attempts", run_recto_error_attempts, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_retry_after_ms", run_recto_error_retry_after_ms, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_error_is_retryable", run_recto_error_is_retryable, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_error}}},
    {"recto_config_new", run_recto_config_new, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_OUT_HANDLE, &TYPE_recto_config}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_config_set", run_recto_config_set, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_config}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_config_set_header", run_recto_config_set_header, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_config}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_config_set_log", run_recto_config_set_log, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_config}, {KIND_NUMBER, NULL}, {KIND_LOG, NULL}, {KIND_USERDATA, NULL}, {KIND_DROP, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_client_new", run_recto_client_new, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_config}, {KIND_OUT_HANDLE, &TYPE_recto_client}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_client_with", run_recto_client_with, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_HANDLE, &TYPE_recto_config}, {KIND_OUT_HANDLE, &TYPE_recto_client}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_client_base_url", run_recto_client_base_url, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}}},
    {"recto_client_close", run_recto_client_close, false, {KIND_NONE, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}}},
    {"recto_start", run_recto_start, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_start_path", run_recto_start_path, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_start_data", run_recto_start_data, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_DATA, NULL}, {KIND_LENGTH, NULL}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_start_stream", run_recto_start_stream, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_READ, NULL}, {KIND_USERDATA, NULL}, {KIND_NUMBER, NULL}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_start_chained", run_recto_start_chained, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_resume", run_recto_resume, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_OUT_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_id", run_recto_operation_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}}},
    {"recto_operation_name", run_recto_operation_name, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}}},
    {"recto_operation_type", run_recto_operation_type, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}}},
    {"recto_operation_token", run_recto_operation_token, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}}},
    {"recto_operation_request_id", run_recto_operation_request_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}}},
    {"recto_operation_status", run_recto_operation_status, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_wait", run_recto_operation_wait, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_result}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_save", run_recto_operation_save, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_read", run_recto_operation_read, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_DATA, NULL}, {KIND_OUT_LENGTH, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_stream", run_recto_operation_stream, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_WRITE, NULL}, {KIND_USERDATA, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_COUNT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_delete", run_recto_operation_delete, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_operation_keep", run_recto_operation_keep, false, {KIND_NONE, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_operation}}},
    {"recto_result_operation_type", run_recto_result_operation_type, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_status", run_recto_result_status, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_has_output", run_recto_result_has_output, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_output_file_id", run_recto_result_output_file_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_output_name", run_recto_result_output_name, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_output_url", run_recto_result_output_url, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_has_validation", run_recto_result_has_validation, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_is_conforming", run_recto_result_is_conforming, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_conformance", run_recto_result_conformance, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_error_count", run_recto_result_error_count, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_error_at", run_recto_result_error_at, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}, {KIND_NUMBER, NULL}}},
    {"recto_result_request_id", run_recto_result_request_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_result_json", run_recto_result_json, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_result}}},
    {"recto_upload_path", run_recto_upload_path, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_upload_data", run_recto_upload_data, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_DATA, NULL}, {KIND_LENGTH, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_upload_stream", run_recto_upload_stream, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_READ, NULL}, {KIND_USERDATA, NULL}, {KIND_NUMBER, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_upload_url", run_recto_upload_url, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_new", run_recto_batch_new, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_OUT_HANDLE, &TYPE_recto_batch}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_set", run_recto_batch_set, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_set_header", run_recto_batch_set_header, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_stop_on", run_recto_batch_stop_on, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_HANDLE, &TYPE_recto_cancel}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_add", run_recto_batch_add, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_add_data", run_recto_batch_add_data, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_DATA, NULL}, {KIND_LENGTH, NULL}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_add_file", run_recto_batch_add_file, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_add_operation", run_recto_batch_add_operation, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_HANDLE, &TYPE_recto_operation}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_next", run_recto_batch_next, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_batch_item}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_batch_item_index", run_recto_batch_item_index, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_source", run_recto_batch_item_source, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_error", run_recto_batch_item_error, false, {KIND_HANDLE, &TYPE_recto_error},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_path", run_recto_batch_item_path, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_operation_id", run_recto_batch_item_operation_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_result", run_recto_batch_item_result, false, {KIND_HANDLE, &TYPE_recto_result},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_is_resumed", run_recto_batch_item_is_resumed, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_left_behind", run_recto_batch_item_left_behind, false, {KIND_HANDLE, &TYPE_recto_error},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_batch_item_moved_to", run_recto_batch_item_moved_to, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_batch_item}}},
    {"recto_file_get", run_recto_file_get, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_file}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_file_delete", run_recto_file_delete, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_file_list}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_file_id", run_recto_file_id, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file}}},
    {"recto_file_created_at", run_recto_file_created_at, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file}}},
    {"recto_file_origin", run_recto_file_origin, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file}}},
    {"recto_file_name", run_recto_file_name, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file}}},
    {"recto_file_extension", run_recto_file_extension, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file}}},
    {"recto_file_list_get", run_recto_file_list_get, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_client}, {KIND_NUMBER, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_OUT_HANDLE, &TYPE_recto_file_list}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_file_list_count", run_recto_file_list_count, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file_list}}},
    {"recto_file_list_at", run_recto_file_list_at, false, {KIND_HANDLE, &TYPE_recto_file},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_file_list}, {KIND_NUMBER, NULL}}},
    {"recto_phase_name", run_recto_phase_name, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_NUMBER, NULL}}},
    {"recto_call_new", run_recto_call_new, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_OUT_HANDLE, &TYPE_recto_call}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_timeout", run_recto_call_set_timeout, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_NUMBER, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_wait_timeout", run_recto_call_set_wait_timeout, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_NUMBER, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_force", run_recto_call_set_force, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_NUMBER, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_overwrite", run_recto_call_set_overwrite, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_NUMBER, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_delete_after", run_recto_call_set_delete_after, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_NUMBER, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_header", run_recto_call_set_header, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_TEXT, NULL}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_extra_options", run_recto_call_set_extra_options, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_TEXT, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_unchecked", run_recto_call_set_unchecked, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_NUMBER, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_cancel", run_recto_call_set_cancel, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_HANDLE, &TYPE_recto_cancel}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_call_set_progress", run_recto_call_set_progress, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_call}, {KIND_PROGRESS, NULL}, {KIND_USERDATA, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_cancel_new", run_recto_cancel_new, false, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_OUT_HANDLE, &TYPE_recto_cancel}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_cancel_trigger", run_recto_cancel_trigger, false, {KIND_NONE, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_cancel}}},
    {"recto_cancel_is_triggered", run_recto_cancel_is_triggered, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_cancel}}},
    {"recto_local_start", run_recto_local_start, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_TEXT, NULL}, {KIND_OUT_HANDLE, &TYPE_recto_local}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_local_start_logged", run_recto_local_start_logged, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_TEXT, NULL}, {KIND_HANDLE, &TYPE_recto_config}, {KIND_OUT_HANDLE, &TYPE_recto_local}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_local_base_url", run_recto_local_base_url, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_local}}},
    {"recto_local_api_key", run_recto_local_api_key, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}, {KIND_HANDLE, &TYPE_recto_local}}},
    {"recto_shutdown", run_recto_shutdown, true, {KIND_STATUS, NULL},
     {{KIND_NONE, NULL}, {KIND_ERROR, &TYPE_recto_error}}},
    {"recto_version_number", run_recto_version_number, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}}},
    {"recto_version_string", run_recto_version_string, false, {KIND_TEXT, NULL},
     {{KIND_NONE, NULL}}},
    {"recto_has_feature", run_recto_has_feature, false, {KIND_NUMBER, NULL},
     {{KIND_NONE, NULL}, {KIND_TEXT, NULL}}},
};

const size_t FUNCTION_COUNT = sizeof FUNCTIONS / sizeof *FUNCTIONS;
