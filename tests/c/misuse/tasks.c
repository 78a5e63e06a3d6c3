/* Calls in the background: tasks DOCUMENT FOLDER. */
#include <poll.h>
#include <pthread.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

#define GIVES(wanted, call)                                                                                            \
    do {                                                                                                               \
        recto_error *error = NULL;                                                                                     \
        recto_status got = call;                                                                                       \
        if (got != (wanted)) {                                                                                         \
            fprintf(stderr, "%s:%d: %s gave %s: %s\n", __FILE__, __LINE__, #call, recto_status_name(got),              \
                    recto_error_message(error));                                                                       \
            exit(1);                                                                                                   \
        }                                                                                                              \
        recto_error_free(error);                                                                                       \
    } while (0)

enum { MANY = 80 };

static const char *document, *folder;
static recto_client *client;

static void wait_until_readable(recto_task *task) {
    struct pollfd waited = {.fd = (int)recto_task_descriptor(task), .events = POLLIN};
    CHECK(poll(&waited, 1, 60000) == 1 && (waited.revents & POLLIN) != 0);
    GIVES(RECTO_OK, recto_task_poll(task, 0, &error));
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void each_call(void) {
    recto_task *task = NULL;
    recto_operation *operation = NULL, *other = NULL;
    recto_result *result = NULL;
    char *path = NULL, *id = NULL;
    void *data = NULL;
    size_t length = 0;
    CHECK(recto_task_descriptor(NULL) == -1);
    recto_task_cancel(NULL);
    recto_task_free(NULL);

    GIVES(RECTO_OK, recto_background_start_path(client, RECTO_OPTIMIZE, document, NULL, NULL, &task, &error));
    wait_until_readable(task);
    GIVES(RECTO_E_INVALID, recto_task_take_path(task, &path, &error));
    GIVES(RECTO_OK, recto_task_take_operation(task, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_task_take_operation(task, &other, &error));
    CHECK(other == NULL && path == NULL);
    recto_task_free(task);

    GIVES(RECTO_OK, recto_background_wait(operation, NULL, &task, &error));
    wait_until_readable(task);
    GIVES(RECTO_OK, recto_task_take_result(task, &result, &error));
    CHECK(recto_result_has_output(result));
    recto_result_free(result);
    recto_task_free(task);

    GIVES(RECTO_OK, recto_background_save(operation, folder, NULL, &task, &error));
    wait_until_readable(task);
    GIVES(RECTO_OK, recto_task_take_path(task, &path, &error));
    CHECK(access(path, R_OK) == 0);
    recto_free(path);
    recto_task_free(task);

    GIVES(RECTO_OK, recto_background_read(operation, NULL, &task, &error));
    recto_operation_free(operation);
    GIVES(RECTO_OK, recto_task_poll(task, RECTO_FOREVER, &error));
    GIVES(RECTO_OK, recto_task_take_data(task, &data, &length, &error));
    CHECK(length > 8 && memcmp(data, "%PDF-", 5) == 0);
    recto_free(data);
    recto_task_free(task);

    GIVES(RECTO_OK, recto_background_upload_path(client, document, NULL, &task, &error));
    wait_until_readable(task);
    GIVES(RECTO_OK, recto_task_take_file_id(task, &id, &error));
    recto_task_free(task);

    GIVES(RECTO_OK, recto_background_start(client, RECTO_OPTIMIZE, id, NULL, NULL, &task, &error));
    recto_free(id);
    wait_until_readable(task);
    GIVES(RECTO_OK, recto_task_take_operation(task, &operation, &error));
    recto_task_free(task);

    GIVES(RECTO_E_NULL, recto_background_start_data(client, RECTO_OPTIMIZE, NULL, 1, "a.pdf", NULL, NULL, &task, &error));
    GIVES(RECTO_OK, recto_background_start_data(client, RECTO_OPTIMIZE, "no document", 11, "a.pdf", NULL, NULL, &task, &error));
    wait_until_readable(task);
    GIVES(RECTO_OK, recto_task_take_operation(task, &other, &error));
    GIVES(RECTO_E_OPERATION_FAILED, recto_operation_save(other, folder, NULL, NULL, &error));
    recto_operation_free(other);
    recto_task_free(task);
    GIVES(RECTO_OK, recto_background_start_chained(client, RECTO_OPTIMIZE, operation, NULL, NULL, &task, &error));
    recto_operation_free(operation);
    wait_until_readable(task);
    GIVES(RECTO_OK, recto_task_take_operation(task, &operation, &error));
    recto_operation_free(operation);
    recto_task_free(task);
}

static void batch(void) {
    recto_task *task = NULL;
    recto_batch *batch = NULL;
    recto_batch_item *item = NULL;
    recto_operation *operation = NULL;
    int items = 0;
    recto_status status;
    GIVES(RECTO_OK, recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, &error));
    GIVES(RECTO_OK, recto_batch_set(batch, "to", folder, &error));
    GIVES(RECTO_OK, recto_batch_add(batch, document, &error));
    GIVES(RECTO_OK, recto_batch_add(batch, "/no/such.pdf", &error));
    do {
        GIVES(RECTO_OK, recto_background_batch_next(batch, NULL, &task, &error));
        wait_until_readable(task);
        GIVES(RECTO_E_INVALID, recto_task_take_operation(task, &operation, &error));
        status = recto_task_take_item(task, &item, NULL);
        CHECK((status == RECTO_OK) == (item != NULL));
        if (item != NULL) {
            items++;
            CHECK((recto_batch_item_index(item) == 1) == (recto_batch_item_error(item) != NULL));
            recto_batch_item_free(item);
            GIVES(RECTO_E_INVALID, recto_task_take_item(task, &item, &error));
        }
        recto_task_free(task);
    } while (status == RECTO_OK);
    CHECK(status == RECTO_DONE && items == 2);
    recto_batch_free(batch);

    /* A batch that a task uses cannot be used otherwise, and ends with the task that is freed. */
    GIVES(RECTO_OK, recto_batch_new(client, RECTO_OPTIMIZE, NULL, &batch, &error));
    for (int at = 0; at < MANY; at++)
        GIVES(RECTO_OK, recto_batch_add(batch, document, &error));
    GIVES(RECTO_OK, recto_background_batch_next(batch, NULL, &task, &error));
    status = recto_batch_next(batch, NULL, &item, NULL);
    CHECK(status == RECTO_E_INVALID || status == RECTO_OK); /* The task may have ended before. */
    if (status == RECTO_OK)
        recto_batch_item_free(item);
    recto_batch_free(batch);
    recto_task_free(task);
}

static void errors(void) {
    recto_task *task = NULL;
    recto_operation *operation = NULL;
    GIVES(RECTO_E_INVALID, recto_background_start_path(client, "shrink", document, NULL, NULL, &task, &error));
    GIVES(RECTO_E_INVALID, recto_background_start_path(client, RECTO_OPTIMIZE, document, "{", NULL, &task, &error));
    CHECK(task == NULL);
    GIVES(RECTO_OK, recto_background_start_path(client, RECTO_OPTIMIZE, "/no/such.pdf", NULL, NULL, &task, &error));
    GIVES(RECTO_E_INVALID, recto_task_poll(task, -2, &error));
    wait_until_readable(task);
    GIVES(RECTO_E_IO, recto_task_take_operation(task, &operation, &error));
    GIVES(RECTO_E_INVALID, recto_task_take_operation(task, &operation, &error));
    recto_task_free(task);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int reached, released, freed;
static pthread_t caller;

/* Stops the call until it is released. */
static int32_t hold(int32_t phase, int64_t done, int64_t total, void *unused) {
    (void)phase, (void)done, (void)total, (void)unused;
    CHECK(!pthread_equal(pthread_self(), caller));
    pthread_mutex_lock(&mutex);
    CHECK(!freed);
    reached = 1;
    pthread_cond_broadcast(&changed);
    while (!released)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *release(void *unused) {
    (void)unused;
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    pthread_mutex_lock(&mutex);
    released = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void held(recto_task **task) {
    recto_call *call = NULL;
    reached = released = freed = 0;
    caller = pthread_self();
    GIVES(RECTO_OK, recto_call_new(&call, &error));
    GIVES(RECTO_OK, recto_call_set_progress(call, hold, NULL, &error));
    GIVES(RECTO_OK, recto_background_start_path(client, RECTO_OPTIMIZE, document, NULL, call, task, &error));
    recto_call_free(call);
    pthread_mutex_lock(&mutex);
    while (!reached)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void cancelled(void) {
    recto_task *task = NULL;
    recto_operation *operation = NULL;
    pthread_t releaser;
    held(&task);
    GIVES(RECTO_PENDING, recto_task_poll(task, 0, &error));
    GIVES(RECTO_PENDING, recto_task_take_operation(task, &operation, &error));
    GIVES(RECTO_PENDING, recto_task_poll(task, 20, &error));
    recto_task_cancel(task);
    CHECK(pthread_create(&releaser, NULL, release, NULL) == 0);
    wait_until_readable(task);
    GIVES(RECTO_E_CANCELLED, recto_task_take_operation(task, &operation, &error));
    recto_task_free(task);
    pthread_join(releaser, NULL);

    /* A task that is freed while its callback runs: the callback ends first, and is never called again. */
    held(&task);
    CHECK(pthread_create(&releaser, NULL, release, NULL) == 0);
    recto_task_free(task);
    pthread_mutex_lock(&mutex);
    CHECK(released);
    freed = 1;
    pthread_mutex_unlock(&mutex);
    pthread_join(releaser, NULL);
}

static void many(void) {
    recto_task *tasks[MANY];
    char path[4096];
    for (int at = 0; at < MANY; at++) {
        snprintf(path, sizeof path, "%s/many-%d.pdf", folder, at);
        GIVES(RECTO_OK, recto_background_run(client, RECTO_OPTIMIZE, document, NULL, path, NULL, &tasks[at], &error));
    }
    for (int at = 0; at < MANY; at++) {
        char *saved = NULL;
        recto_operation *operation = NULL;
        wait_until_readable(tasks[at]);
        GIVES(RECTO_OK, recto_task_take_path(tasks[at], &saved, &error));
        GIVES(RECTO_OK, recto_task_take_operation(tasks[at], &operation, &error));
        snprintf(path, sizeof path, "%s/many-%d.pdf", folder, at);
        CHECK(strcmp(saved, path) == 0 && access(path, R_OK) == 0);
        recto_free(saved);
        recto_operation_free(operation);
        recto_task_free(tasks[at]);
    }
}

/* A forked child can free the tasks of its parent, and start its own. */
static void forked(void) {
    recto_task *task = NULL;
    held(&task);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        alarm(60);
        recto_operation *operation = NULL;
        GIVES(RECTO_E_FORKED, recto_task_poll(task, RECTO_FOREVER, &error));
        GIVES(RECTO_E_FORKED, recto_task_take_operation(task, &operation, &error));
        recto_task_free(task);
        recto_client *own = NULL;
        GIVES(RECTO_OK, recto_client_new(NULL, &own, &error));
        GIVES(RECTO_OK, recto_background_start_path(own, RECTO_OPTIMIZE, document, NULL, NULL, &task, &error));
        wait_until_readable(task);
        GIVES(RECTO_OK, recto_task_take_operation(task, &operation, &error));
        recto_operation_free(operation);
        recto_task_free(task);
        recto_client_free(own);
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    release(NULL);
    wait_until_readable(task);
    recto_task_free(task);
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    document = arguments[1];
    folder = arguments[2];
    GIVES(RECTO_OK, recto_client_new(NULL, &client, &error));
    each_call();
    batch();
    errors();
    cancelled();
    many();
    forked();
    /* Nothing blocks, and a freed task releases its client. */
    recto_task *task = NULL;
    double began = now();
    GIVES(RECTO_OK, recto_background_run(client, RECTO_OPTIMIZE, document, NULL, folder, NULL, &task, &error));
    recto_client_free(client);
    recto_task_free(task);
    CHECK(now() - began < 1);
    GIVES(RECTO_OK, recto_shutdown(&error));
    puts("done");
    return 0;
}
