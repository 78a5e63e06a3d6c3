/*
 * The cost of small calls of the C interface, to compare Java with: bench URL FILE_ID. Prints the same lines as
 * dev.recto.Bench.
 */
#define _POSIX_C_SOURCE 200809L
#include <recto.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { AT_ONCE = 64, WARM_UP = 200, RESUMES = 100000, REQUESTS = 2000 };

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static void pass(recto_status status, recto_error *error) {
    if (status < RECTO_OK) {
        fprintf(stderr, "%s\n", recto_error_message(error));
        exit(1);
    }
}

static recto_client *connect_to(const char *url) {
    recto_error *error = NULL;
    recto_config *config = NULL;
    recto_client *client = NULL;
    pass(recto_config_new(&config, &error), error);
    pass(recto_config_set(config, "base_url", url, &error), error);
    pass(recto_config_set(config, "api_key", "key", &error), error);
    pass(recto_client_new(config, &client, &error), error);
    recto_config_free(config);
    return client;
}

static void resume(recto_client *client, const char *token, int count) {
    for (int at = 0; at < count; at++) {
        recto_error *error = NULL;
        recto_operation *operation = NULL;
        pass(recto_resume(client, token, &operation, &error), error);
        recto_operation_free(operation);
    }
}

static void get(recto_client *client, const char *id, int count) {
    for (int at = 0; at < count; at++) {
        recto_error *error = NULL;
        recto_file *file = NULL;
        pass(recto_file_get(client, id, NULL, &file, &error), error);
        recto_file_free(file);
    }
}

/* Starts 64 operations and reads their results, all at once, with background calls. */
static void at_once(recto_client *client, const char *id) {
    recto_task *tasks[AT_ONCE];
    recto_operation *operations[AT_ONCE];
    recto_error *error = NULL;
    for (int at = 0; at < AT_ONCE; at++)
        pass(recto_background_start(client, RECTO_OPTIMIZE, id, NULL, NULL, &tasks[at], &error), error);
    for (int at = 0; at < AT_ONCE; at++) {
        pass(recto_task_poll(tasks[at], RECTO_FOREVER, &error), error);
        pass(recto_task_take_operation(tasks[at], &operations[at], &error), error);
        recto_task_free(tasks[at]);
        pass(recto_background_read(operations[at], NULL, &tasks[at], &error), error);
    }
    for (int at = 0; at < AT_ONCE; at++) {
        void *data = NULL;
        size_t length = 0;
        pass(recto_task_poll(tasks[at], RECTO_FOREVER, &error), error);
        pass(recto_task_take_data(tasks[at], &data, &length, &error), error);
        recto_free(data);
        recto_task_free(tasks[at]);
        recto_operation_free(operations[at]);
    }
}

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    recto_client *client = connect_to(arguments[1]);
    recto_operation *operation = NULL;
    recto_error *error = NULL;
    pass(recto_start(client, RECTO_OPTIMIZE, arguments[2], NULL, NULL, &operation, &error), error);
    const char *token = recto_operation_token(operation);

    resume(client, token, WARM_UP);
    double began = now_us();
    resume(client, token, RESUMES);
    printf("C: a call without a request: %.2f us\n", (now_us() - began) / RESUMES);
    get(client, arguments[2], WARM_UP);
    began = now_us();
    get(client, arguments[2], REQUESTS);
    printf("C: a call with one request: %.0f us\n", (now_us() - began) / REQUESTS);
    at_once(client, arguments[2]);
    began = now_us();
    at_once(client, arguments[2]);
    printf("C: 64 operations at once: %.0f ms\n", (now_us() - began) / 1000);
    recto_operation_free(operation);
    recto_client_free(client);
    return 0;
}
