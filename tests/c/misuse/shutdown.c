/* The threads and descriptors of the library: shutdown DOCUMENT FOLDER. */
#include <dirent.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                            \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

static int entries(const char *path) {
    int count = 0;
    DIR *directory = opendir(path);
    CHECK(directory != NULL);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;)
        count += *entry->d_name != '.';
    closedir(directory);
    return count;
}

/*
 * Prints what is different, so that a failure shows which thread or descriptor was left. The system may still list a
 * thread for a moment after it was joined.
 */
static void check_count(const char *path, int before, const char *when) {
    int after = entries(path);
    for (int tries = 0; after != before && tries < 200; tries++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        after = entries(path);
    }
    if (after != before) {
        fprintf(stderr, "%s: %d entries before, %d %s\n", path, before, after, when);
        exit(1);
    }
}

int main(int count, char **arguments) {
    CHECK(count == 3);
    int threads = entries("/proc/self/task"), descriptors = entries("/proc/self/fd"), first = 0;
    CHECK(recto_shutdown(NULL) == RECTO_OK);
    for (int round = 0; round < 3; round++) {
        recto_client *client = NULL;
        recto_operation *operation = NULL;
        recto_task *task = NULL;
        recto_error *error = NULL;
        CHECK(recto_client_new(NULL, &client, NULL) == RECTO_OK);
        CHECK(recto_start_path(client, RECTO_OPTIMIZE, arguments[1], NULL, NULL, &operation, NULL) == RECTO_OK);
        CHECK(recto_background_save(operation, arguments[2], NULL, &task, NULL) == RECTO_OK);
        CHECK(recto_task_poll(task, RECTO_FOREVER, NULL) == RECTO_OK);
        recto_task_free(task);
        recto_client_free(client);
        CHECK(entries("/proc/self/task") > threads);
        CHECK(recto_shutdown(&error) == RECTO_E_CONFIG);
        recto_error_free(error);
        recto_operation_free(operation);
        if (recto_shutdown(&error) != RECTO_OK) {
            fprintf(stderr, "%s\n", recto_error_message(error));
            return 1;
        }
        check_count("/proc/self/task", threads, "after recto_shutdown()");
        /* The runtime keeps one pair of sockets for the life of the process, from its first start on. */
        CHECK(entries("/proc/self/fd") <= descriptors + 2);
        if (round > 0)
            check_count("/proc/self/fd", first, "after recto_shutdown()");
        first = entries("/proc/self/fd");
    }
    puts("done");
    return 0;
}
