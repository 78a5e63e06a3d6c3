/* The declarations of recto.h without directives, for parsers such as those of cffi and LuaJIT. Generated: do not edit.
   The types size_t, intptr_t, int32_t, int64_t, uint32_t and uint64_t must be known. The names of the operations, such as
   "optimize", are in recto.h. */

enum {
    RECTO_VERSION_MAJOR = 0,
    RECTO_VERSION_MINOR = 1,
    RECTO_VERSION_PATCH = 0,
    RECTO_LOG_ERROR = 1,
    RECTO_LOG_WARN = 2,
    RECTO_LOG_INFO = 3,
    RECTO_LOG_DEBUG = 4,
    RECTO_LOG_TRACE = 5,
    RECTO_PHASE_CONFIGURE = 1,
    RECTO_PHASE_UPLOAD = 2,
    RECTO_PHASE_START = 3,
    RECTO_PHASE_WAIT = 4,
    RECTO_PHASE_DOWNLOAD = 5,
    RECTO_PHASE_FILES = 6,
    RECTO_FOREVER = -1,
    RECTO_VERSION_NUMBER = 256,
    RECTO_OK = 0,
    RECTO_DONE = 1,
    RECTO_PENDING = 2,
    RECTO_E_NULL = -1,
    RECTO_E_INVALID = -2,
    RECTO_E_CONFIG = -3,
    RECTO_E_AUTH = -4,
    RECTO_E_PERMISSION = -5,
    RECTO_E_NOT_FOUND = -6,
    RECTO_E_RATE_LIMITED = -7,
    RECTO_E_TOO_LARGE = -8,
    RECTO_E_SERVER = -9,
    RECTO_E_TRANSPORT = -10,
    RECTO_E_TIMEOUT = -11,
    RECTO_E_WAIT_TIMEOUT = -12,
    RECTO_E_OPERATION_FAILED = -13,
    RECTO_E_OUTCOME_UNKNOWN = -14,
    RECTO_E_PROTOCOL = -15,
    RECTO_E_CANCELLED = -16,
    RECTO_E_IO = -17,
    RECTO_E_FORKED = -18,
    RECTO_E_PANIC = -19,
    RECTO_E_UNKNOWN = -99
};

typedef struct recto_batch recto_batch;
typedef struct recto_batch_item recto_batch_item;
typedef struct recto_call recto_call;
typedef struct recto_cancel recto_cancel;
typedef struct recto_client recto_client;
typedef struct recto_config recto_config;
typedef struct recto_error recto_error;
typedef struct recto_file recto_file;
typedef struct recto_file_list recto_file_list;
typedef struct recto_local recto_local;
typedef struct recto_operation recto_operation;
typedef struct recto_options recto_options;
typedef struct recto_result recto_result;
typedef struct recto_task recto_task;
typedef int32_t recto_status;
typedef void (*recto_log_fn)(int32_t level, const char *message, void *userdata);
typedef void (*recto_drop_fn)(void *userdata);
typedef int64_t (*recto_read_fn)(void *buffer, size_t size, void *userdata);
typedef int32_t (*recto_write_fn)(const void *data, size_t length, void *userdata);
typedef int32_t (*recto_progress_fn)(int32_t phase, int64_t done, int64_t total, void *userdata);
const char *recto_status_name(recto_status status);
void recto_error_free(recto_error *error);
recto_status recto_error_status(const recto_error *error);
const char *recto_error_message(const recto_error *error);
const char *recto_error_advice(const recto_error *error);
int32_t recto_error_phase(const recto_error *error);
int32_t recto_error_http_status(const recto_error *error);
const char *recto_error_method(const recto_error *error);
const char *recto_error_url(const recto_error *error);
const char *recto_error_code(const recto_error *error);
const char *recto_error_title(const recto_error *error);
const char *recto_error_detail(const recto_error *error);
const char *recto_error_request_id(const recto_error *error);
const char *recto_error_operation_id(const recto_error *error);
const char *recto_error_document(const recto_error *error);
const char *recto_error_token(const recto_error *error);
const char *recto_error_body(const recto_error *error);
uint32_t recto_error_attempts(const recto_error *error);
int64_t recto_error_retry_after_ms(const recto_error *error);
int32_t recto_error_is_retryable(const recto_error *error);
recto_status recto_config_new(recto_config **out, recto_error **err);
recto_status recto_config_set(recto_config *config,
                              const char *name,
                              const char *value,
                              recto_error **err);
recto_status recto_config_set_header(recto_config *config,
                                     const char *name,
                                     const char *value,
                                     recto_error **err);
recto_status recto_config_set_log(recto_config *config,
                                  int32_t level,
                                  recto_log_fn log,
                                  void *userdata,
                                  recto_drop_fn drop,
                                  recto_error **err);
void recto_config_free(recto_config *config);
recto_status recto_client_new(const recto_config *config,
                              recto_client **out,
                              recto_error **err);
recto_status recto_client_with(const recto_client *client,
                               const recto_config *config,
                               recto_client **out,
                               recto_error **err);
const char *recto_client_base_url(const recto_client *client);
void recto_client_close(const recto_client *client);
void recto_client_free(recto_client *client);
recto_status recto_options_new(const char *operation, recto_options **out, recto_error **err);
recto_status recto_options_set(recto_options *options,
                               const char *name,
                               const char *value,
                               recto_error **err);
recto_status recto_options_set_text(recto_options *options,
                                    const char *name,
                                    const char *value,
                                    recto_error **err);
recto_status recto_options_set_int(recto_options *options,
                                   const char *name,
                                   int64_t value,
                                   recto_error **err);
recto_status recto_options_set_double(recto_options *options,
                                      const char *name,
                                      double value,
                                      recto_error **err);
recto_status recto_options_set_bool(recto_options *options,
                                    const char *name,
                                    int32_t value,
                                    recto_error **err);
const char *recto_options_json(const recto_options *options);
void recto_options_free(recto_options *options);
recto_status recto_start(const recto_client *client,
                         const char *operation,
                         const char *file_id,
                         const char *options,
                         const recto_call *call,
                         recto_operation **out,
                         recto_error **err);
recto_status recto_start_path(const recto_client *client,
                              const char *operation,
                              const char *path,
                              const char *options,
                              const recto_call *call,
                              recto_operation **out,
                              recto_error **err);
recto_status recto_start_data(const recto_client *client,
                              const char *operation,
                              const void *data,
                              size_t length,
                              const char *name,
                              const char *options,
                              const recto_call *call,
                              recto_operation **out,
                              recto_error **err);
recto_status recto_start_stream(const recto_client *client,
                                const char *operation,
                                recto_read_fn read,
                                void *userdata,
                                int64_t length,
                                const char *name,
                                const char *options,
                                const recto_call *call,
                                recto_operation **out,
                                recto_error **err);
recto_status recto_start_chained(const recto_client *client,
                                 const char *operation,
                                 const recto_operation *previous,
                                 const char *options,
                                 const recto_call *call,
                                 recto_operation **out,
                                 recto_error **err);
recto_status recto_resume(const recto_client *client,
                          const char *token,
                          recto_operation **out,
                          recto_error **err);
const char *recto_operation_id(const recto_operation *operation);
const char *recto_operation_name(const recto_operation *operation);
const char *recto_operation_type(const recto_operation *operation);
const char *recto_operation_token(const recto_operation *operation);
const char *recto_operation_request_id(const recto_operation *operation);
recto_status recto_operation_status(const recto_operation *operation,
                                    const recto_call *call,
                                    char **out,
                                    recto_error **err);
recto_status recto_operation_wait(const recto_operation *operation,
                                  const recto_call *call,
                                  recto_result **out,
                                  recto_error **err);
recto_status recto_operation_save(const recto_operation *operation,
                                  const char *path,
                                  const recto_call *call,
                                  char **saved,
                                  recto_error **err);
recto_status recto_operation_read(const recto_operation *operation,
                                  const recto_call *call,
                                  void **data,
                                  size_t *length,
                                  recto_error **err);
recto_status recto_operation_stream(const recto_operation *operation,
                                    recto_write_fn write,
                                    void *userdata,
                                    const recto_call *call,
                                    uint64_t *length,
                                    recto_error **err);
recto_status recto_operation_delete(const recto_operation *operation,
                                    const recto_call *call,
                                    recto_error **err);
void recto_operation_keep(const recto_operation *operation);
void recto_operation_free(recto_operation *operation);
const char *recto_result_operation_type(const recto_result *result);
const char *recto_result_status(const recto_result *result);
int32_t recto_result_has_output(const recto_result *result);
const char *recto_result_output_file_id(const recto_result *result);
const char *recto_result_output_name(const recto_result *result);
const char *recto_result_output_url(const recto_result *result);
int32_t recto_result_has_validation(const recto_result *result);
int32_t recto_result_is_conforming(const recto_result *result);
const char *recto_result_conformance(const recto_result *result);
size_t recto_result_error_count(const recto_result *result);
const char *recto_result_error_at(const recto_result *result, size_t index);
const char *recto_result_request_id(const recto_result *result);
const char *recto_result_json(const recto_result *result);
void recto_result_free(recto_result *result);
recto_status recto_background_start_path(const recto_client *client,
                                         const char *operation,
                                         const char *path,
                                         const char *options,
                                         const recto_call *call,
                                         recto_task **out,
                                         recto_error **err);
recto_status recto_background_start(const recto_client *client,
                                    const char *operation,
                                    const char *file_id,
                                    const char *options,
                                    const recto_call *call,
                                    recto_task **out,
                                    recto_error **err);
recto_status recto_background_start_data(const recto_client *client,
                                         const char *operation,
                                         const void *data,
                                         size_t length,
                                         const char *name,
                                         const char *options,
                                         const recto_call *call,
                                         recto_task **out,
                                         recto_error **err);
recto_status recto_background_run(const recto_client *client,
                                  const char *operation,
                                  const char *path,
                                  const char *options,
                                  const char *save_to,
                                  const recto_call *call,
                                  recto_task **out,
                                  recto_error **err);
recto_status recto_background_wait(const recto_operation *operation,
                                   const recto_call *call,
                                   recto_task **out,
                                   recto_error **err);
recto_status recto_background_save(const recto_operation *operation,
                                   const char *path,
                                   const recto_call *call,
                                   recto_task **out,
                                   recto_error **err);
recto_status recto_background_read(const recto_operation *operation,
                                   const recto_call *call,
                                   recto_task **out,
                                   recto_error **err);
recto_status recto_background_upload_path(const recto_client *client,
                                          const char *path,
                                          const recto_call *call,
                                          recto_task **out,
                                          recto_error **err);
recto_status recto_background_upload_data(const recto_client *client,
                                          const void *data,
                                          size_t length,
                                          const char *name,
                                          const recto_call *call,
                                          recto_task **out,
                                          recto_error **err);
recto_status recto_background_start_chained(const recto_client *client,
                                            const char *operation,
                                            const recto_operation *previous,
                                            const char *options,
                                            const recto_call *call,
                                            recto_task **out,
                                            recto_error **err);
recto_status recto_background_batch_next(recto_batch *batch,
                                         const recto_call *call,
                                         recto_task **out,
                                         recto_error **err);
ptrdiff_t recto_task_descriptor(const recto_task *task);
recto_status recto_task_poll(const recto_task *task, int64_t timeout_ms, recto_error **err);
recto_status recto_task_take_operation(const recto_task *task, recto_operation **out, recto_error **err);
recto_status recto_task_take_result(const recto_task *task,
                                    recto_result **out,
                                    recto_error **err);
recto_status recto_task_take_path(const recto_task *task,
                                  char **out,
                                  recto_error **err);
recto_status recto_task_take_data(const recto_task *task,
                                  void **data,
                                  size_t *length,
                                  recto_error **err);
recto_status recto_task_take_file_id(const recto_task *task,
                                     char **out,
                                     recto_error **err);
recto_status recto_task_take_item(const recto_task *task,
                                  recto_batch_item **out,
                                  recto_error **err);
void recto_task_cancel(const recto_task *task);
void recto_task_free(recto_task *task);
recto_status recto_upload_path(const recto_client *client,
                               const char *path,
                               const recto_call *call,
                               char **file_id,
                               recto_error **err);
recto_status recto_upload_data(const recto_client *client,
                               const void *data,
                               size_t length,
                               const char *name,
                               const recto_call *call,
                               char **file_id,
                               recto_error **err);
recto_status recto_upload_stream(const recto_client *client,
                                 recto_read_fn read,
                                 void *userdata,
                                 int64_t length,
                                 const char *name,
                                 const recto_call *call,
                                 char **file_id,
                                 recto_error **err);
recto_status recto_upload_url(const recto_client *client,
                              const char *url,
                              const recto_call *call,
                              char **file_id,
                              recto_error **err);
recto_status recto_batch_new(const recto_client *client,
                             const char *operation,
                             const char *options,
                             recto_batch **out,
                             recto_error **err);
recto_status recto_batch_set(recto_batch *batch,
                             const char *name,
                             const char *value,
                             recto_error **err);
recto_status recto_batch_set_header(recto_batch *batch,
                                    const char *name,
                                    const char *value,
                                    recto_error **err);
recto_status recto_batch_stop_on(recto_batch *batch,
                                 const recto_cancel *stop,
                                 recto_error **err);
recto_status recto_batch_add(recto_batch *batch,
                             const char *path,
                             recto_error **err);
recto_status recto_batch_add_data(recto_batch *batch,
                                  const void *data,
                                  size_t length,
                                  const char *name,
                                  recto_error **err);
recto_status recto_batch_add_file(recto_batch *batch, const char *file_id, recto_error **err);
recto_status recto_batch_add_operation(recto_batch *batch,
                                       const recto_operation *operation,
                                       recto_error **err);
recto_status recto_batch_next(recto_batch *batch,
                              const recto_call *call,
                              recto_batch_item **out,
                              recto_error **err);
void recto_batch_free(recto_batch *batch);
size_t recto_batch_item_index(const recto_batch_item *item);
const char *recto_batch_item_source(const recto_batch_item *item);
const recto_error *recto_batch_item_error(const recto_batch_item *item);
const char *recto_batch_item_path(const recto_batch_item *item);
const char *recto_batch_item_operation_id(const recto_batch_item *item);
const recto_result *recto_batch_item_result(const recto_batch_item *item);
int32_t recto_batch_item_is_resumed(const recto_batch_item *item);
const recto_error *recto_batch_item_left_behind(const recto_batch_item *item);
const char *recto_batch_item_moved_to(const recto_batch_item *item);
void recto_batch_item_free(recto_batch_item *item);
recto_status recto_file_get(const recto_client *client,
                            const char *file_id,
                            const recto_call *call,
                            recto_file **out,
                            recto_error **err);
recto_status recto_file_delete(const recto_client *client,
                               const char *file_id,
                               const recto_call *call,
                               recto_file_list **out,
                               recto_error **err);
const char *recto_file_id(const recto_file *file);
const char *recto_file_created_at(const recto_file *file);
const char *recto_file_origin(const recto_file *file);
const char *recto_file_name(const recto_file *file);
const char *recto_file_extension(const recto_file *file);
void recto_file_free(recto_file *file);
recto_status recto_file_list_get(const recto_client *client,
                                 int32_t only_result_files,
                                 const recto_call *call,
                                 recto_file_list **out,
                                 recto_error **err);
size_t recto_file_list_count(const recto_file_list *list);
const recto_file *recto_file_list_at(const recto_file_list *list,
                                     size_t index);
void recto_file_list_free(recto_file_list *list);
const char *recto_phase_name(int32_t phase);
recto_status recto_call_new(recto_call **out, recto_error **err);
recto_status recto_call_set_timeout(recto_call *call,
                                    int64_t milliseconds,
                                    recto_error **err);
recto_status recto_call_set_wait_timeout(recto_call *call,
                                         int64_t milliseconds,
                                         recto_error **err);
recto_status recto_call_set_force(recto_call *call, int32_t force, recto_error **err);
recto_status recto_call_set_overwrite(recto_call *call,
                                      int32_t overwrite,
                                      recto_error **err);
recto_status recto_call_set_delete_after(recto_call *call,
                                         int32_t delete_after,
                                         recto_error **err);
recto_status recto_call_set_header(recto_call *call,
                                   const char *name,
                                   const char *value,
                                   recto_error **err);
recto_status recto_call_set_extra_options(recto_call *call,
                                          const char *options,
                                          recto_error **err);
recto_status recto_call_set_unchecked(recto_call *call,
                                      int32_t unchecked,
                                      recto_error **err);
recto_status recto_call_set_cancel(recto_call *call, const recto_cancel *cancel, recto_error **err);
recto_status recto_call_set_progress(recto_call *call,
                                     recto_progress_fn progress,
                                     void *userdata,
                                     recto_error **err);
void recto_call_free(recto_call *call);
recto_status recto_cancel_new(recto_cancel **out, recto_error **err);
void recto_cancel_trigger(const recto_cancel *cancel);
int32_t recto_cancel_is_triggered(const recto_cancel *cancel);
void recto_cancel_free(recto_cancel *cancel);
recto_status recto_local_start(const char *options,
                               recto_local **out,
                               recto_error **err);
recto_status recto_local_start_logged(const char *options,
                                      const recto_config *config,
                                      recto_local **out,
                                      recto_error **err);
const char *recto_local_base_url(const recto_local *local);
const char *recto_local_api_key(const recto_local *local);
void recto_local_free(recto_local *local);
void recto_free(void *memory);
recto_status recto_shutdown(recto_error **err);
uint32_t recto_version_number(void);
const char *recto_version_string(void);
int32_t recto_has_feature(const char *name);
