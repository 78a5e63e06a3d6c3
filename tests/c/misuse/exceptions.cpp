// Callbacks that throw: exceptions DOCUMENT. Each exception must come out of the call it was thrown in, as it was.
#include <cstring>
#include <iostream>
#include <recto.hpp>
#include <sstream>

namespace {

struct mine {
    int number;
};

int number_of(const std::function<void()> &call) {
    try {
        call();
    } catch (const mine &thrown) {
        return thrown.number;
    } catch (const recto::error &error) {
        std::cerr << error.what() << "\n";
        return -recto_status(error.status());
    }
    return 0;
}

void check(bool fine, const char *what) {
    if (!fine) {
        std::cerr << what << "\n";
        std::exit(1);
    }
}

// A stream whose third piece cannot be had.
class broken : public std::streambuf {
    int_type underflow() override {
        if (++pieces_ == 3)
            throw mine{3};
        std::memset(piece_, 'x', sizeof piece_);
        setg(piece_, piece_, piece_ + sizeof piece_);
        return traits_type::to_int_type(*piece_);
    }
    int pieces_ = 0;
    char piece_[4096];
};

std::int32_t throws_through_c(std::int32_t, std::int64_t, std::int64_t, void *) { throw mine{9}; }

} // namespace

int main(int count, char **arguments) {
    const char *document = arguments[1];
    recto::config config;
    int lines = 0;
    config.log(RECTO_LOG_TRACE, [&](std::int32_t, std::string_view) {
        lines++;
        throw mine{5};
    });
    recto::client client(config);
    if (count == 3) {
        // Not allowed: the process must end, with a word, and not go on in an undefined state.
        recto::call settings;
        recto_call_set_progress(settings.get(), throws_through_c, nullptr, nullptr);
        char *id = nullptr;
        recto_upload_path(client.get(), document, settings.get(), &id, nullptr);
        return 0;
    }

    recto::call settings;
    settings.on_progress([](const recto::progress &) -> bool { throw mine{1}; });
    check(number_of([&] { client.upload(document, settings); }) == 1, "progress of an upload");
    recto::operation operation = client.start(document, recto::optimize_options{});
    check(number_of([&] { operation.wait(settings); }) == 1, "progress of a wait");
    check(number_of([&] { operation.save("never.pdf", settings); }) == 1, "progress of a save");
    check(!std::filesystem::exists("never.pdf"), "a file was left");
    // The same settings go on to work, and an exception of before is forgotten.
    settings.on_progress([](const recto::progress &) { return true; });
    check(number_of([&] { client.upload(document, settings); }) == 0, "the settings after an exception");
    settings.on_progress([](const recto::progress &) { return false; });
    check(number_of([&] { client.upload(document, settings); }) == -RECTO_E_CANCELLED, "progress that says no");

    check(number_of([&] { operation.stream([](const void *, std::size_t) -> bool { throw mine{2}; }); }) == 2, "write");
    std::ostringstream full;
    full.setstate(std::ios::badbit);
    check(number_of([&] { operation.write_to(full); }) == -RECTO_E_CANCELLED, "a stream that is full");

    broken buffer;
    std::istream stream(&buffer);
    stream.exceptions(std::ios::badbit); // Else the stream itself swallows what its buffer throws.
    check(number_of([&] { client.upload(recto::source::stream(stream, "a.pdf")); }) == 3, "read");
    check(lines > 0, "the log was told nothing");

    try {
        client.file_info({"no-such-file"});
        check(false, "a file that is not there");
    } catch (const recto::not_found &error) {
        recto::error copy = error;
        check(copy.http_status() == 404 && std::strlen(copy.what()) > 20 && !copy.is_retryable(), "the error's fields");
    }
    try {
        recto::archive_pdfa_options wrong;
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
