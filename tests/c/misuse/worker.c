/*
 * Where the embedded service processes documents: worker DOCUMENT FOLDER ISOLATION. Prints whether a worker process was
 * started.
 */
#include <dirent.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(recto_status status, recto_error **error) {
    if (status == RECTO_OK)
        return;
    fprintf(stderr, "%s: %s\n", recto_status_name(status), recto_error_message(*error));
    exit(1);
}

/* Whether a child of this process runs. */
static int has_child(void) {
    char path[100], children[100] = "";
    int found = 0;
    DIR *tasks = opendir("/proc/self/task");
    for (struct dirent *task; (task = readdir(tasks)) != NULL;) {
        if (*task->d_name == '.')
            continue;
        snprintf(path, sizeof path, "/proc/self/task/%.20s/children", task->d_name);
        FILE *file = fopen(path, "r");
        if (file == NULL)
            continue;
        found |= fgets(children, sizeof children, file) != NULL;
        fclose(file);
    }
    closedir(tasks);
    return found;
}

int main(int count, char **arguments) {
    recto_config *config = NULL;
    recto_client *client = NULL;
    recto_operation *operation = NULL;
    recto_error *error = NULL;
    if (count != 4)
        return 2;
    check(recto_config_new(&config, &error), &error);
    check(recto_config_set(config, "isolation", arguments[3], &error), &error);
    check(recto_client_new(config, &client, &error), &error);
    check(recto_start_path(client, RECTO_OPTIMIZE, arguments[1], NULL, NULL, &operation, &error), &error);
    check(recto_operation_save(operation, arguments[2], NULL, NULL, &error), &error);
    puts(has_child() ? "in a worker" : "in this process");
    recto_operation_free(operation);
    recto_client_free(client);
    recto_config_free(config);
    return 0;
}
