// Callbacks that throw: exceptions DOCUMENT. Each call must rethrow the exception of its callback, unchanged.
#include <cstring>
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

std::int32_t throws_through_c(std::int32_t, std::int64_t, std::int64_t, void *) { throw test_exception{9}; }

} // namespace

int main(int count, char **arguments) {
    const char *document = arguments[1];
    recto::config config;
    int lines = 0;
    config.log(RECTO_LOG_TRACE, [&](std::int32_t, std::string_view) {
        lines++;
        throw test_exception{5};
    });
    recto::client client(config);
    if (count == 3) {
        // Not allowed: the process must end with a message, and must not continue in an undefined state.
        recto::call settings;
        recto_call_set_progress(settings.get(), throws_through_c, nullptr, nullptr);
        char *id = nullptr;
        recto_upload_path(client.get(), document, settings.get(), &id, nullptr);
        return 0;
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
    check(number_of([&] { operation.write_to(full); }) == -RECTO_E_CANCELLED, "a stream that cannot be written to");

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
