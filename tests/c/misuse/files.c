/*
 * The files of the embedded service: files DOCUMENT RESULT END. Runs some operations and frees their handles, prints
 * the number of files that are left, then ends in the way END, without freeing the client.
 */
#include <recto.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static recto_error *error = NULL;

static void check(recto_status status) {
    if (status == RECTO_OK)
        return;
    fprintf(stderr, "%s: %s\n", recto_status_name(status), recto_error_message(error));
    exit(1);
}

static size_t files(recto_client *client) {
    recto_file_list *list = NULL;
    check(recto_file_list_get(client, 0, NULL, &list, &error));
    size_t number = recto_file_list_count(list);
    recto_file_list_free(list);
    return number;
}

/* The number of files, when it has become `expected` or some seconds have passed. */
static size_t files_after_deletion(recto_client *client, size_t expected) {
    for (int tries = 0; tries < 500 && files(client) != expected; tries++)
        usleep(10000);
    return files(client);
}

static recto_operation *compressed(recto_client *client, char **arguments) {
    recto_operation *operation = NULL;
    check(recto_start_path(client, RECTO_OPTIMIZE, arguments[1], NULL, NULL, &operation, &error));
    check(recto_operation_save(operation, arguments[2], NULL, NULL, &error));
    return operation;
}

int main(int count, char **arguments) {
    recto_client *client = NULL;
    char *uploaded = NULL;
    if (count != 4)
        return 2;
    check(recto_client_new(NULL, &client, &error));
    for (int number = 0; number < 5; number++)
        recto_operation_free(compressed(client, arguments));
    printf("%zu files after operations\n", files_after_deletion(client, 0));

    check(recto_upload_path(client, arguments[1], NULL, &uploaded, &error));
    recto_operation *kept = compressed(client, arguments);
    recto_operation_keep(kept);
    recto_operation_free(kept);
    recto_operation *resumable = compressed(client, arguments);
    recto_operation_token(resumable);
    recto_operation_free(resumable);
    usleep(300000);
    printf("%zu files kept\n", files(client));
    fflush(stdout);
    recto_free(uploaded);

    if (strcmp(arguments[3], "exit") == 0)
        exit(0);
    if (strcmp(arguments[3], "_exit") == 0)
        _exit(0);
    raise(atoi(arguments[3]));
    return 1;
}
