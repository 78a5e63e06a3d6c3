// Calls in the background: background DOCUMENT. Each task returns what its call returns, or throws its error.
#include <atomic>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <memory>
#include <poll.h>
#include <recto.hpp>
#include <thread>

namespace {

struct test_exception {
    int number;
};

void check(bool passed, const char *what) {
    if (!passed) {
        std::cerr << what << "\n";
        std::exit(1);
    }
}

template <class T>
T ended(const recto::task<T> &task) {
    pollfd waited{static_cast<int>(task.descriptor()), POLLIN, 0};
    check(poll(&waited, 1, 60000) == 1 && (waited.revents & POLLIN) != 0, "the descriptor becomes readable");
    check(task.has_ended(), "the call has ended");
    return task.take();
}

recto_status status_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const recto::error &error) {
        return error.status();
    }
    return RECTO_OK;
}

void each_call(const recto::client &client, const std::filesystem::path &document) {
    recto::optimize_options web;
    web.profile = recto::profile::web;
    recto::file_id id = ended(client.upload_in_background(document));
    recto::operation operation = ended(client.start_in_background(id, web));
    recto::result result = ended(operation.wait_in_background());
    check(result.output.has_value(), "a result");
    check(std::filesystem::exists(ended(operation.save_in_background("saved.pdf"))), "a saved file");
    check(ended(operation.read_in_background()).size() == std::filesystem::file_size("saved.pdf"), "the bytes");

    // Bytes are copied, and need not stay.
    auto content = std::make_unique<std::string>(
        std::istreambuf_iterator<char>(std::ifstream(document, std::ios::binary).rdbuf()),
        std::istreambuf_iterator<char>());
    auto of_bytes = client.start_in_background(recto::source::bytes(*content, "bytes.pdf"), web);
    auto uploaded = client.upload_in_background(content->data(), content->size(), "bytes.pdf");
    content->assign(content->size(), 'x');
    content.reset();
    check(ended(of_bytes).wait().output.has_value(), "bytes in the background");
    check(client.start(ended(uploaded), web).wait().output.has_value(), "uploaded bytes");

    recto::options stamp("stamp-text");
    stamp.set("text", "DRAFT");
    recto::operation chained = ended(client.start_in_background(operation, stamp));
    check(chained.name() == "stamp-text", "a chain");
    check(client.start(result, stamp).status() != "", "a result as a source");
    check(client.start(*result.output, stamp).status() != "", "an output as a source");
    chained.save("draft.pdf", recto::call().delete_after());
    chained.remove();

    recto::saved saved = ended(client.run_in_background(document, web, "run.pdf"));
    check(saved.path == "run.pdf" && !saved.operation.id().empty(), "a whole job");
    recto::task<recto::saved> waited = client.run_in_background(document, stamp, "run.pdf");
    check(waited.take().path == "run.pdf", "take() waits");
    check(status_of([&] { waited.take(); }) == RECTO_E_INVALID, "a value is taken once");
}

void batch(const recto::client &client, const std::filesystem::path &document) {
    recto::operation previous = client.start(document, recto::optimize_options{});
    std::string content(std::istreambuf_iterator<char>(std::ifstream(document, std::ios::binary).rdbuf()), {});
    recto::batch batch = client.batch(recto::optimize_options{});
    batch.to("out").overwrite(false).header("traceparent", "00-1").extra_options("{\"newer\": 1}");
    batch.add(document).add(client.upload(document)).add(previous).add(recto::source::bytes(content, "named.pdf"));
    check(status_of([&] { batch.add(recto::source::stream(std::cin, "a.pdf")); }) == RECTO_E_INVALID, "a stream");
    int items = 0;
    while (auto item = ended(batch.next_in_background())) {
        check(item->is_done(), item->message().c_str());
        items++;
    }
    check(items == 4, "all documents of the batch");
}

/** A batch processes the files of a folder until it is stopped. */
void watch(const recto::client &client, const std::filesystem::path &document) {
    std::filesystem::create_directory("watched");
    std::filesystem::copy_file(document, "watched/a.pdf");
    recto::cancel stop;
    recto::batch batch = client.batch(recto::optimize_options{});
    batch.to("watch-results").watch("watched").settle(std::chrono::milliseconds(50)).recursive().stop_on(stop);
    batch.move_originals("watch-done").failed("watch-failed").delete_originals(false);
    auto first = batch.next();
    check(first && first->is_done(), "a watched document");
    check(first->moved_to() && std::filesystem::exists("watch-done/a.pdf"), "a moved file");
    std::ofstream("watched/bad.pdf") << "not a PDF";
    auto second = batch.next();
    check(second && !second->is_done() && second->moved_to() == std::filesystem::absolute("watch-failed/bad.pdf"),
          "a failed document is set aside");
    check(std::filesystem::exists("watch-failed/bad.pdf.reason.txt"), "its reason");
    stop.trigger();
    check(!batch.next(), "a watch that is stopped");
    recto::batch without = client.batch(recto::optimize_options{});
    without.settle(std::chrono::milliseconds(50)).add(document);
    check(status_of([&] { without.next(); }) == RECTO_E_CONFIG, "a setting of a watch without a folder");
    check(status_of([&] { without.set("settle_ms", "soon"); }) == RECTO_E_CONFIG, "an invalid time");
}

void errors(const recto::client &client, const std::filesystem::path &document) {
    recto::optimize_options web;
    auto missing = client.start_in_background("no-such-file.pdf", web);
    check(status_of([&] { ended(missing); }) == RECTO_E_IO, "a missing file");
    check(status_of([&] { client.start_in_background(recto::source::stream(std::cin, "a.pdf"), web); }) == RECTO_E_INVALID,
          "a stream");
    check(status_of([&] { client.upload(client.start(document, web)); }) == RECTO_E_INVALID, "an operation is not uploaded");
    check(status_of([&] { recto::source(recto::output_file{}); }) == RECTO_E_INVALID, "an output without an identifier");

    // The task has its own copy of the callback. The settings can be changed, used again and destroyed.
    std::atomic<int> first = 0, second = 0;
    auto started = [&] {
        recto::call settings;
        settings.on_progress([&](const recto::progress &) { return ++first > 0; });
        auto task = client.start_in_background(document, web, settings);
        settings.on_progress([&](const recto::progress &) { return ++second > 0; });
        client.upload(document, settings);
        return task;
    }();
    ended(started);
    check(first > 0 && second > 0, "both callbacks were called");

    recto::call throwing;
    throwing.on_progress([](const recto::progress &) -> bool { throw test_exception{4}; });
    auto task = client.start_in_background(document, web, throwing);
    try {
        ended(task);
        check(false, "the exception of the callback");
    } catch (const test_exception &thrown) {
        check(thrown.number == 4, "the exception of the callback, unchanged");
    }

    // A task that is destroyed while its callback runs: the callback ends first, and is never called again.
    std::atomic<bool> reached = false, released = false, destroyed = false;
    recto::call holding;
    holding.on_progress([&](const recto::progress &) {
        check(!destroyed, "no callback after the task was destroyed");
        reached = true;
        while (!released)
            std::this_thread::yield();
        return true;
    });
    std::thread release;
    {
        auto held = client.start_in_background(document, web, holding);
        while (!reached)
            std::this_thread::yield();
        check(!held.has_ended() && !held.wait_for(std::chrono::milliseconds(5)), "a call that runs");
        held.cancel();
        release = std::thread([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
            released = true;
        });
    }
    destroyed = true;
    release.join();
}

void copies(const std::filesystem::path &document) {
    std::atomic<int> service = 0, copied = 0;
    recto::config logging;
    logging.log(RECTO_LOG_TRACE, [&](std::int32_t, std::string_view) { service++; });
    recto::local_service local("{\"workers\": 1}", logging);
    recto::config config;
    config.base_url(local.base_url()).api_key(local.api_key()).header("X-Gateway", "blue").timeout(std::nullopt);
    recto::client client(config);
    recto::config changes;
    changes.timeout(std::chrono::minutes(2)).wait_timeout(std::nullopt).header("X-Gateway", "green");
    changes.log(RECTO_LOG_TRACE, [&](std::int32_t, std::string_view) { copied++; });
    recto::client copy = client.with(changes);
    recto::call newer;
    newer.unchecked().extra_options("{\"text\": \"DRAFT\"}").header("traceparent", "00-1");
    copy.start("stamp/text", document, "{}", newer).save("newer.pdf");
    check(service > 0 && copied > 0, "both logs");
    recto::config other;
    other.base_url("http://127.0.0.1:1");
    check(status_of([&] { client.with(other); }) == RECTO_E_CONFIG, "a copy has the address of the client");
    copy.close();
    check(status_of([&] { client.files(); }) == RECTO_E_CONFIG, "closing the copy closes the client");
}

} // namespace

int main(int, char **arguments) {
    const std::filesystem::path document = arguments[1];
    recto::client client;
    each_call(client, document);
    batch(client, document);
    watch(client, document);
    errors(client, document);
    copies(document);
    std::cout << "done" << std::endl;
}
