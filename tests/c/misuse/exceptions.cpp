// Callbacks that throw: exceptions DOCUMENT. Each call must rethrow the exception of its callback, unchanged.
#include <atomic>
#include <cstring>
#include <fstream>
#include <iostream>
#include <recto.hpp>
#include <sstream>

namespace {

struct test_exception {
    int number;
};

int number_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const test_exception &thrown) {
        return thrown.number;
    } catch (const recto::error &error) {
        std::cerr << error.what() << "\n";
        return -recto_status(error.status());
    }
    return 0;
}

void check(bool passed, const char *what) {
    if (!passed) {
        std::cerr << what << "\n";
        std::exit(1);
    }
}

// A stream that throws at its third piece.
class broken : public std::streambuf {
    int_type underflow() override {
        if (++pieces_ == 3)
            throw test_exception{3};
        std::memset(piece_, 'x', sizeof piece_);
        setg(piece_, piece_, piece_ + sizeof piece_);
        return traits_type::to_int_type(*piece_);
    }
    int pieces_ = 0;
    char piece_[4096];
};

// A stream that has room for a few bytes.
class limited : public std::streambuf {
    int_type overflow(int_type letter) override { return ++written_ > 100 ? traits_type::eof() : letter; }
    int written_ = 0;
};

std::int32_t throws_through_c(std::int32_t, std::int64_t, std::int64_t, void *) { throw test_exception{9}; }

} // namespace

int main(int count, char **arguments) {
    const char *document = arguments[1];
    recto::config config;
    std::atomic<int> lines = 0; // The threads of the service also log.
    config.log(RECTO_LOG_TRACE, [&](std::int32_t, std::string_view) {
        lines++;
        throw test_exception{5};
    });
    recto::client client(config);
    if (count == 3) {
        // Not allowed: the process must end with a message, and must not continue in an undefined state.
        recto::call settings;
        char *id = nullptr;
        return recto_call_set_progress(settings.get(), throws_through_c, nullptr, nullptr) == RECTO_OK
               && recto_upload_path(client.get(), document, settings.get(), &id, nullptr) == RECTO_OK;
    }

    recto::call settings;
    settings.on_progress([](const recto::progress &) -> bool { throw test_exception{1}; });
    check(number_of([&] { client.upload(document, settings); }) == 1, "progress of an upload");
    recto::operation operation = client.start(document, recto::optimize_options{});
    check(number_of([&] { operation.wait(settings); }) == 1, "progress of a wait");
    check(number_of([&] { operation.save("never.pdf", settings); }) == 1, "progress of a save");
    check(!std::filesystem::exists("never.pdf"), "a file was left");
    // The same settings still work, and the earlier exception is not thrown again.
    settings.on_progress([](const recto::progress &) { return true; });
    check(number_of([&] { client.upload(document, settings); }) == 0, "the settings after an exception");
    settings.on_progress([](const recto::progress &) { return false; });
    check(number_of([&] { client.upload(document, settings); }) == -RECTO_E_CANCELLED, "progress that returns false");

    check(number_of([&] { operation.stream([](const void *, std::size_t) -> bool { throw test_exception{2}; }); }) == 2, "write");
    std::ostringstream full;
    full.setstate(std::ios::badbit);
    check(number_of([&] { operation.write_to(full); }) == -RECTO_E_IO, "a stream that cannot be written to");
    full.clear();
    limited small;
    std::ostream flushed(&small);
    check(number_of([&] { operation.write_to(flushed); }) == -RECTO_E_IO, "a stream that fails while it is written to");

    std::ifstream unopened("no-such-file.pdf");
    check(number_of([&] { client.upload(recto::source::stream(unopened, "a.pdf")); }) == -RECTO_E_IO, "an unopened stream");
    check(number_of([&] { client.upload(recto::source::stream(unopened, "a.pdf", 9)); }) == -RECTO_E_IO,
          "an unopened stream with a length");
    std::ifstream opened(document, std::ios::binary);
    check(number_of([&] { client.upload(recto::source::stream(opened, "a.pdf")); }) == 0, "an opened stream");
    std::istringstream empty;
    check(number_of([&] { client.upload(recto::source::stream(empty, "a.pdf")); }) == 0, "an empty stream");

    const std::string nul("a\0b", 3);
    auto refused = [&](const std::function<void()> &call) { return number_of(call) == -RECTO_E_INVALID; };
    check(refused([&] { client.upload(nul); }), "NUL in the path of an upload");
    check(refused([&] { operation.save(nul); }), "NUL in the path of a result");
    check(refused([&] { client.upload(recto::source::bytes("x", 1, nul)); }), "NUL in a name");
    check(refused([&] { client.upload_url(nul); }), "NUL in a URL");
    check(refused([&] { client.resume(nul); }), "NUL in a token");
    check(refused([&] { client.file_info({nul}); }), "NUL in an identifier");
    check(refused([&] { recto::config().api_key(nul); }), "NUL in a setting");

    recto::options by_name("stamp-text");
    by_name.set("text", "a").set("textStyle.fontSize", 12).set("textStyle.isBold", true).set("margin.top", 1.5);
    by_name.set("margin.unit", std::string("cm"));
    check(client.start(document, by_name).status() != "", "options by name");
    check(refused([&] { by_name.set("text", "b"); }), "an option that is set twice");
    check(refused([&] { recto::options("optimize").set("profile", "small"); }), "a value that is not allowed");

    recto::batch batch = client.batch(recto::options("optimize").set("profile", "web"));
    batch.to("out").relative_to(std::filesystem::path(document).parent_path()).stop_on_error(false).delete_after().force();
    batch.add(document).add("no-such-file.pdf");
    int failed = 0;
    while (auto item = batch.next()) {
        failed += item->error().has_value();
        check(item->error().has_value() == !item->operation_id().has_value(), "an item has an error or an operation");
        std::optional<recto::error> why = item->error();
        check(!item->left_behind().has_value(), "left behind");
        item.reset();
        check(!why || (why->status() == RECTO_E_IO && why->document().has_value()), "an error outlives its item");
    }
    check(failed == 1, "one document failed");

    broken buffer;
    std::istream stream(&buffer);
    stream.exceptions(std::ios::badbit); // Otherwise the stream catches the exception of its buffer.
    check(number_of([&] { client.upload(recto::source::stream(stream, "a.pdf")); }) == 3, "read");
    check(lines > 0, "the log received no lines");

    try {
        client.file_info({"no-such-file"});
        check(false, "a file that does not exist");
    } catch (const recto::not_found &error) {
        recto::error copy = error;
        check(copy.http_status() == 404 && std::strlen(copy.what()) > 20 && !copy.is_retryable(), "the error's fields");
    }
    try {
        recto::stamp_text_options text;
        text.text = "a \"quoted\"\n\\ text é";
        text.text_style.emplace().font_size = -1.5;
        client.start(document, text);
        check(false, "a size below zero");
    } catch (const recto::invalid_request &error) {
        check(std::string(error.what()).find("fontSize") != std::string::npos, error.what());
    }
    recto::operation other = std::move(operation);
    check(other.name() == "optimize" && client.resume(other.token()).id() == other.id(), "a token");
    std::cout << "done" << std::endl;
}
