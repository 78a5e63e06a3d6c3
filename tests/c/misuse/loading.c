/* Two copies of the library in one process, each loaded, used, unloaded, loaded again: loading COPY COPY DOCUMENT. */
#include <dlfcn.h>
#include <recto.h>
#include <stdio.h>
#include <stdlib.h>

typedef recto_status client_new(const recto_config *, recto_client **, recto_error **);
typedef recto_status upload_path(const recto_client *, const char *, const recto_call *, char **, recto_error **);
typedef void client_free(recto_client *);
typedef void memory_free(void *);

static void *symbol_of(void *library, const char *name) {
    void *symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return symbol;
}

static void *use(const char *path, const char *document) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    union {
        void *symbol;
        client_new *make;
        upload_path *upload;
        client_free *free_client;
        memory_free *free_memory;
    } make = {symbol_of(library, "recto_client_new")}, upload = {symbol_of(library, "recto_upload_path")},
      free_client = {symbol_of(library, "recto_client_free")}, free_memory = {symbol_of(library, "recto_free")};
    recto_client *client = NULL;
    char *id = NULL;
    if (make.make(NULL, &client, NULL) != RECTO_OK || upload.upload(client, document, NULL, &id, NULL) != RECTO_OK)
        exit(1);
    free_memory.free_memory(id);
    free_client.free_client(client);
    return library;
}

int main(int count, char **arguments) {
    if (count != 4)
        return 2;
    for (int round = 0; round < 3; round++) {
        void *first = use(arguments[1], arguments[3]), *second = use(arguments[2], arguments[3]);
        if (first == second)
            return 1;
        dlclose(first);
        dlclose(second);
    }
    puts("done");
    return 0;
}
