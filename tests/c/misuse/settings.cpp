/*
 * The settings of the embedded service: settings DOCUMENT. Prints how many files a client keeps, why a full storage
 * refuses a document, and why services with wrong settings do not start.
 */
#include <iostream>
#include <recto.hpp>

static void start(const char *json) {
    try {
        recto::local_service service(json);
        std::cout << "started\n";
    } catch (const recto::error &error) {
        std::cout << error.what() << '\n';
    }
}

int main(int, char **arguments) {
    recto::config config;
    config.isolation("none").keep_files(true).stored_bytes(1000000);
    config.retention(std::chrono::hours(1)).worker_memory(1 << 30).in_process_bytes(100 << 20);
    recto::client client(config);
    recto::optimize_options options;
    client.start(arguments[1], options).read();
    std::cout << client.files().size() << " files kept\n";
    try {
        for (int number = 0; number < 100; number++)
            client.start(arguments[1], options).read();
    } catch (const recto::error &error) {
        std::cout << error.code().value_or("no code") << '\n';
    }
    start(R"({"stored_bytes": 0})");
    start(R"({"stored_bytes": "1"})");
    start(R"({"isolation": 1})");
    start(R"({"isolation": "tight"})");
    start(R"({"worker": "/nowhere/recto"})");
    start(R"({"x": 1})");
    start(R"({"isolation": "none", "stored_bytes": 1000000, "retention_ms": 60000, "workers": 1, "data_dir": null})");
    return 0;
}
