/**
 * @file recto.hpp
 * The C++ interface of Recto (C++17, header only, on top of recto.h).
 *
 *     recto::client client;
 *     recto::optimize_options options;
 *     options.profile = recto::profile::web;
 *     client.start("report.pdf", options).save("small.pdf");
 *
 * Handles free themselves; what fails throws a recto::error. An exception that a callback throws ends the call and comes
 * out of it. Calls block; a client may be used from many threads at once, everything else from one at a time.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */
#ifndef RECTO_HPP
#define RECTO_HPP

#include <recto.h>
#include <recto_options.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>
#if __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

namespace recto {

/** The identifier of a file in the service. */
struct file_id {
    /** The identifier's text. */
    std::string value;
};

/** What went wrong. what() is one line for people: what happened, where, and what to do next. */
class error : public std::runtime_error {
public:
    /** Takes an error object of the C interface. */
    explicit error(recto_error *owned) : runtime_error(recto_error_message(owned)), error_(owned, recto_error_free) {}

    /** A RECTO_E_ value. */
    recto_status status() const noexcept { return recto_error_status(get()); }
    /** What to do next, where there is something to advise. */
    std::optional<std::string> advice() const { return text(recto_error_advice(get())); }
    /** The step in which it happened, a RECTO_PHASE_ value; 0 where none is known. */
    std::int32_t phase() const noexcept { return recto_error_phase(get()); }
    /** The HTTP status of the service's answer; 0 where there was none. */
    int http_status() const noexcept { return recto_error_http_status(get()); }
    /** The HTTP method of the request. */
    std::optional<std::string> method() const { return text(recto_error_method(get())); }
    /** The address of the request, its query left out. */
    std::optional<std::string> url() const { return text(recto_error_url(get())); }
    /** The service's own word for the error. */
    std::optional<std::string> code() const { return text(recto_error_code(get())); }
    /** The service's title for this kind of error. */
    std::optional<std::string> title() const { return text(recto_error_title(get())); }
    /** The service's account of what happened. */
    std::optional<std::string> detail() const { return text(recto_error_detail(get())); }
    /** The identifier under which the service logged the request. */
    std::optional<std::string> request_id() const { return text(recto_error_request_id(get())); }
    /** The operation concerned. */
    std::optional<std::string> operation_id() const { return text(recto_error_operation_id(get())); }
    /** The document that the call was about, as the caller calls it. */
    std::optional<std::string> document() const { return text(recto_error_document(get())); }
    /** With wait_timeout: what client::resume() takes. */
    std::optional<std::string> token() const { return text(recto_error_token(get())); }
    /** The beginning of the service's answer, or the raw result of a failed operation. */
    std::optional<std::string> body() const { return text(recto_error_body(get())); }
    /** How many requests were made. */
    std::uint32_t attempts() const noexcept { return recto_error_attempts(get()); }
    /** How long the service asked to wait. */
    std::optional<std::chrono::milliseconds> retry_after() const {
        std::int64_t after = recto_error_retry_after_ms(get());
        return after < 0 ? std::nullopt : std::optional(std::chrono::milliseconds(after));
    }
    /** Whether the same call may succeed later, without a change. */
    bool is_retryable() const noexcept { return recto_error_is_retryable(get()) != 0; }

private:
    const recto_error *get() const noexcept { return error_.get(); }
    static std::optional<std::string> text(const char *text) {
        return text == nullptr ? std::nullopt : std::optional<std::string>(text);
    }

    std::shared_ptr<recto_error> error_;
};

/** The configuration is wrong or incomplete, or the client was closed. */
class config_error : public error { using error::error; };
/** The request could only fail, or the service refused it as wrong. */
class invalid_request : public error { using error::error; };
/** The service does not know the key (401). */
class auth_error : public error { using error::error; };
/** The key does not permit this (402, 403). */
class permission_denied : public error { using error::error; };
/** There is no such file or operation (404, 410). */
class not_found : public error { using error::error; };
/** Too many requests (429). */
class rate_limited : public error { using error::error; };
/** The document is larger than the service takes (413). */
class payload_too_large : public error { using error::error; };
/** The service failed (5xx). */
class server_error : public error { using error::error; };
/** The service could not be reached, or the connection broke. */
class transport_error : public error { using error::error; };
/** A request took longer than allowed. */
class request_timeout : public error { using error::error; };
/** The operation took longer than the wait allowed: it goes on, and token() resumes it. */
class wait_timeout : public error { using error::error; };
/** The service could not do the work. */
class operation_failed : public error { using error::error; };
/** Whether the operation was started is not known. */
class outcome_unknown : public error { using error::error; };
/** The service answered what makes no sense. */
class protocol_error : public error { using error::error; };
/** The call was cancelled. */
class cancelled : public error { using error::error; };
/** A local file or stream cannot be read or written. */
class io_error : public error { using error::error; };
/** The client was made before fork(), and this is the child. */
class forked : public error { using error::error; };

namespace detail {

template <class T, void (*Free)(T *)>
struct deleter {
    void operator()(T *handle) const noexcept { Free(handle); }
};

template <class T, void (*Free)(T *)>
using handle = std::unique_ptr<T, deleter<T, Free>>;

using batch_handle = handle<recto_batch, recto_batch_free>;
using call_handle = handle<recto_call, recto_call_free>;
using client_handle = handle<recto_client, recto_client_free>;
using config_handle = handle<recto_config, recto_config_free>;
using local_handle = handle<recto_local, recto_local_free>;
using operation_handle = handle<recto_operation, recto_operation_free>;

inline void free_memory(char *memory) { recto_free(memory); }
using text_handle = handle<char, free_memory>;

[[noreturn]] inline void fail(recto_error *owned) {
    switch (recto_error_status(owned)) {
    case RECTO_E_CONFIG: throw config_error(owned);
    case RECTO_E_NULL:
    case RECTO_E_INVALID: throw invalid_request(owned);
    case RECTO_E_AUTH: throw auth_error(owned);
    case RECTO_E_PERMISSION: throw permission_denied(owned);
    case RECTO_E_NOT_FOUND: throw not_found(owned);
    case RECTO_E_RATE_LIMITED: throw rate_limited(owned);
    case RECTO_E_TOO_LARGE: throw payload_too_large(owned);
    case RECTO_E_SERVER: throw server_error(owned);
    case RECTO_E_TRANSPORT: throw transport_error(owned);
    case RECTO_E_TIMEOUT: throw request_timeout(owned);
    case RECTO_E_WAIT_TIMEOUT: throw wait_timeout(owned);
    case RECTO_E_OPERATION_FAILED: throw operation_failed(owned);
    case RECTO_E_OUTCOME_UNKNOWN: throw outcome_unknown(owned);
    case RECTO_E_PROTOCOL: throw protocol_error(owned);
    case RECTO_E_CANCELLED: throw cancelled(owned);
    case RECTO_E_IO: throw io_error(owned);
    case RECTO_E_FORKED: throw forked(owned);
    default: throw error(owned);
    }
}

/** Makes a call of the C interface; an exception that was kept meanwhile comes first. */
template <class Call>
void check(Call &&call, std::exception_ptr *kept = nullptr) {
    if (kept != nullptr)
        *kept = nullptr;
    recto_error *failed = nullptr;
    recto_status status = call(&failed);
    if (kept != nullptr && *kept) {
        recto_error_free(failed);
        std::rethrow_exception(std::exchange(*kept, nullptr));
    }
    if (status < RECTO_OK)
        fail(failed);
}

/** Runs a callback; an exception is kept for the end of the call. */
template <class Result, class Callback>
Result guarded(std::exception_ptr &kept, Result stop, Callback &&callback) noexcept {
    try {
        return callback();
    } catch (...) {
        kept = std::current_exception();
        return stop;
    }
}

inline std::optional<std::string> text(const char *text) {
    return text == nullptr ? std::nullopt : std::optional<std::string>(text);
}

/** A path as the C interface takes it. */
inline std::string native(const std::filesystem::path &path) {
#ifdef _WIN32
    auto utf8 = path.u8string();
    return std::string(reinterpret_cast<const char *>(utf8.data()), utf8.size());
#else
    return path.native();
#endif
}

} // namespace detail

/** How far a call is. */
struct progress {
    /** RECTO_PHASE_UPLOAD, RECTO_PHASE_WAIT or RECTO_PHASE_DOWNLOAD. */
    std::int32_t phase;
    /** Bytes moved, each counted once. */
    std::int64_t done;
    /** Bytes to move, where known. */
    std::optional<std::int64_t> total;
};

/** A switch that ends the calls it was given to, from any thread. Copies are the same switch. */
class cancel {
public:
    cancel() {
        recto_cancel *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_cancel_new(&made, failed); });
        cancel_.reset(made, recto_cancel_free);
    }

    /** Ends every call that was given this switch. */
    void trigger() const noexcept { recto_cancel_trigger(cancel_.get()); }
    /** Whether it was triggered. */
    bool is_triggered() const noexcept { return recto_cancel_is_triggered(cancel_.get()) != 0; }
    /** The handle of the C interface. */
    const recto_cancel *get() const noexcept { return cancel_.get(); }

private:
    std::shared_ptr<recto_cancel> cancel_;
};

/** Settings of a call; may serve several calls, one after the other. */
class call {
public:
    call() : state_(std::make_unique<state>()) {
        recto_call *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_call_new(&made, failed); });
        state_->handle.reset(made);
    }

    /** The longest the whole call may take: retries, waiting and transfers included. */
    call &timeout(std::chrono::milliseconds time) & {
        detail::check([&](recto_error **failed) { return recto_call_set_timeout(get(), time.count(), failed); });
        return *this;
    }
    /** The longest to wait for the operation to end; nullopt waits for ever. */
    call &wait_timeout(std::optional<std::chrono::milliseconds> time) & {
        std::int64_t count = time ? time->count() : RECTO_FOREVER;
        detail::check([&](recto_error **failed) { return recto_call_set_wait_timeout(get(), count, failed); });
        return *this;
    }
    /** Sends an input even where its extension is none that the operation takes. */
    call &force(bool force = true) & {
        detail::check([&](recto_error **failed) { return recto_call_set_force(get(), force, failed); });
        return *this;
    }
    /** The switch that ends the call. */
    call &cancel(const recto::cancel &cancel) & {
        detail::check([&](recto_error **failed) { return recto_call_set_cancel(get(), cancel.get(), failed); });
        return *this;
    }
    /** Is told how far the call is; `false`, and an exception, end it. */
    call &on_progress(std::function<bool(const recto::progress &)> callback) & {
        state_->callback = std::move(callback);
        recto_progress_fn function = state_->callback ? report : nullptr;
        detail::check(
            [&](recto_error **failed) { return recto_call_set_progress(get(), function, state_.get(), failed); });
        return *this;
    }
    /** The same, on settings that are made in one expression. */
    call &&timeout(std::chrono::milliseconds time) && { return std::move(timeout(time)); }
    /** The same, on settings that are made in one expression. */
    call &&wait_timeout(std::optional<std::chrono::milliseconds> time) && { return std::move(wait_timeout(time)); }
    /** The same, on settings that are made in one expression. */
    call &&force(bool yes = true) && { return std::move(force(yes)); }
    /** The same, on settings that are made in one expression. */
    call &&cancel(const recto::cancel &by) && { return std::move(cancel(by)); }
    /** The same, on settings that are made in one expression. */
    call &&on_progress(std::function<bool(const recto::progress &)> callback) && {
        return std::move(on_progress(std::move(callback)));
    }

    /** The handle of the C interface. */
    recto_call *get() const noexcept { return state_->handle.get(); }
    /** Where an exception of a callback is kept until the call has ended. */
    std::exception_ptr &kept() const noexcept { return state_->kept; }

private:
    struct state {
        detail::call_handle handle;
        std::function<bool(const recto::progress &)> callback;
        std::exception_ptr kept;
    };

    static std::int32_t report(std::int32_t phase, std::int64_t done, std::int64_t total, void *of) {
        state &told = *static_cast<state *>(of);
        return detail::guarded<std::int32_t>(told.kept, 1, [&] {
            recto::progress now{phase, done, total < 0 ? std::nullopt : std::optional(total)};
            return told.callback(now) ? 0 : 1;
        });
    }

    std::unique_ptr<state> state_;
};

/** Where a document comes from: a file, bytes, a stream, or a file that is in the service already. */
class source {
public:
    /** A file on this machine. */
    source(std::filesystem::path path) : from_(std::move(path)) {}
    /** A file on this machine. */
    source(const char *path) : from_(std::filesystem::path(path)) {}
    /** A file on this machine. */
    source(const std::string &path) : from_(std::filesystem::path(path)) {}
    /** A file that is in the service already. */
    source(file_id id) : from_(std::move(id)) {}

    /** Bytes, which must live as long as the call, under a name; its extension says what they are. */
    static source bytes(const void *data, std::size_t length, std::string name) {
        return source(borrowed{data, length, std::move(name)});
    }
    /** Bytes, which must live as long as the call, under a name. */
    static source bytes(std::string_view data, std::string name) {
        return bytes(data.data(), data.size(), std::move(name));
    }
#ifdef __cpp_lib_span
    /** Bytes, which must live as long as the call, under a name. */
    static source bytes(std::span<const std::byte> data, std::string name) {
        return bytes(data.data(), data.size(), std::move(name));
    }
#endif
    /** What a stream gives, which must live as long as the call. Without a length it is put into a file first. */
    static source stream(std::istream &stream, std::string name, std::optional<std::int64_t> length = std::nullopt) {
        return source(streamed{&stream, std::move(name), length});
    }

private:
    friend class client;
    struct borrowed {
        const void *data;
        std::size_t length;
        std::string name;
    };
    struct streamed {
        std::istream *stream;
        std::string name;
        std::optional<std::int64_t> length;
    };
    struct reading {
        std::istream *stream;
        std::exception_ptr *kept;
    };
    explicit source(borrowed from) : from_(std::move(from)) {}
    explicit source(streamed from) : from_(std::move(from)) {}

    static std::int64_t read(void *buffer, std::size_t size, void *of) {
        reading &from = *static_cast<reading *>(of);
        return detail::guarded<std::int64_t>(*from.kept, -1, [&] {
            from.stream->read(static_cast<char *>(buffer), static_cast<std::streamsize>(size));
            return from.stream->bad() ? std::int64_t{-1} : static_cast<std::int64_t>(from.stream->gcount());
        });
    }

    std::variant<std::filesystem::path, file_id, borrowed, streamed> from_;
};

/** A result file. */
struct output_file {
    /** Its identifier. */
    std::optional<std::string> file_id;
    /** The service's word: make it safe before it touches a disk, as operation::save() does. */
    std::optional<std::string> name;
    /** Its query is a secret: whoever has it has the file. */
    std::optional<std::string> url;
};

/** The outcome of a validation. */
struct validation_report {
    /** Whether the document conforms; none where the service did not say. */
    std::optional<bool> is_conforming;
    /** What was found, for people to read. */
    std::vector<std::string> errors;
    /** The level that the document claims, such as "pdf15". */
    std::optional<std::string> conformance;
};

/** What came of an operation. */
struct result {
    /** `operationType`, as the service said when the operation was started. */
    std::string operation_type;
    /** The status as the service spells it. */
    std::string status;
    /** The result file of an operation that makes one. */
    std::optional<output_file> output;
    /** The report of a validation. */
    std::optional<validation_report> validation;
    /** The service's whole answer, which may hold the file's address. */
    std::string json;

    /** Copies a result of the C interface. */
    static result of(const recto_result *from) {
        result made{recto_result_operation_type(from), recto_result_status(from), {}, {}, recto_result_json(from)};
        if (recto_result_has_output(from))
            made.output = output_file{detail::text(recto_result_output_file_id(from)),
                                      detail::text(recto_result_output_name(from)),
                                      detail::text(recto_result_output_url(from))};
        if (recto_result_has_validation(from)) {
            validation_report report;
            std::int32_t conforming = recto_result_is_conforming(from);
            if (conforming >= 0)
                report.is_conforming = conforming != 0;
            for (std::size_t at = 0; at < recto_result_error_count(from); at++)
                report.errors.emplace_back(recto_result_error_at(from, at));
            report.conformance = detail::text(recto_result_conformance(from));
            made.validation = std::move(report);
        }
        return made;
    }
};

/** What the service knows of a file. */
struct file {
    /** Its identifier. */
    std::string id;
    /** ISO 8601, UTC. */
    std::optional<std::string> created_at;
    /** How it came to the service, such as "fromUrl". */
    std::optional<std::string> origin;
    /** Its name. */
    std::optional<std::string> name;
    /** Its extension without the dot. */
    std::optional<std::string> extension;

    /** Copies a file record of the C interface. */
    static file of(const recto_file *from) {
        return file{recto_file_id(from), detail::text(recto_file_created_at(from)), detail::text(recto_file_origin(from)),
                    detail::text(recto_file_name(from)), detail::text(recto_file_extension(from))};
    }
};

/** A started operation. It outlives its client; the end of this object does not stop it in the service. */
class operation {
public:
    /** Takes a handle of the C interface. */
    explicit operation(recto_operation *owned) : operation_(owned) {}

    /** The identifier that the service gave it. */
    std::string id() const { return recto_operation_id(get()); }
    /** Which operation it is, such as "stamp-qr". */
    std::string name() const { return recto_operation_name(get()); }
    /** `operationType` of the service's answer, such as "stampQR". */
    std::string type() const { return recto_operation_type(get()); }
    /** What client::resume() takes, in another process too. */
    std::string token() const { return recto_operation_token(get()); }

    /** Asks the service once how far it is. */
    std::string status(const call &settings = {}) const {
        char *status = nullptr;
        detail::check([&](recto_error **failed) { return recto_operation_status(get(), settings.get(), &status, failed); },
                      &settings.kept());
        return detail::text_handle(status).get();
    }

    /** Waits until it has ended. A document that does not conform is a result. */
    result wait(const call &settings = {}) const {
        recto_result *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_operation_wait(get(), settings.get(), &made, failed); },
                      &settings.kept());
        detail::handle<recto_result, recto_result_free> held(made);
        return result::of(held.get());
    }

    /** Waits, and writes the result to a file, or into a directory; it appears whole or not at all. Returns where. */
    std::filesystem::path save(const std::filesystem::path &path, const call &settings = {}) const {
        char *saved = nullptr;
        detail::check(
            [&](recto_error **failed) {
                return recto_operation_save(get(), detail::native(path).c_str(), settings.get(), &saved, failed);
            },
            &settings.kept());
        return std::filesystem::path(detail::text_handle(saved).get());
    }

    /** Waits, and hands the result to `write`, piece by piece; `false`, and an exception, end the call. */
    std::uint64_t stream(std::function<bool(const void *data, std::size_t length)> write, const call &settings = {}) const {
        writing to{std::move(write), &settings.kept()};
        std::uint64_t length = 0;
        detail::check(
            [&](recto_error **failed) {
                return recto_operation_stream(get(), take, &to, settings.get(), &length, failed);
            },
            &settings.kept());
        return length;
    }

    /** Waits, and streams the result to `out`. Returns its length in bytes. */
    std::uint64_t write_to(std::ostream &out, const call &settings = {}) const {
        return stream(
            [&](const void *data, std::size_t length) {
                return bool(out.write(static_cast<const char *>(data), static_cast<std::streamsize>(length)));
            },
            settings);
    }

    /** Waits, and returns the result's bytes. */
    std::vector<std::byte> read(const call &settings = {}) const {
        std::vector<std::byte> bytes;
        stream(
            [&](const void *data, std::size_t length) {
                const std::byte *first = static_cast<const std::byte *>(data);
                bytes.insert(bytes.end(), first, first + length);
                return true;
            },
            settings);
        return bytes;
    }

    /** The handle of the C interface. */
    const recto_operation *get() const noexcept { return operation_.get(); }

private:
    struct writing {
        std::function<bool(const void *, std::size_t)> write;
        std::exception_ptr *kept;
    };

    static std::int32_t take(const void *data, std::size_t length, void *of) {
        writing &to = *static_cast<writing *>(of);
        return detail::guarded<std::int32_t>(*to.kept, 1, [&] { return to.write(data, length) ? 0 : 1; });
    }

    detail::operation_handle operation_;
};

/** One document of a batch, and what became of it. */
class batch_item {
public:
    /** Takes a handle of the C interface. */
    explicit batch_item(recto_batch_item *owned) : item_(owned) {}

    /** Its place among the documents that were added, from 0. */
    std::size_t index() const noexcept { return recto_batch_item_index(item_.get()); }
    /** The document, as it was added. */
    std::filesystem::path source() const { return recto_batch_item_source(item_.get()); }
    /** Whether it is done. */
    bool is_done() const noexcept { return recto_batch_item_error(item_.get()) == nullptr; }
    /** Why it failed, in one line; empty for a document that is done. */
    std::string message() const { return recto_error_message(recto_batch_item_error(item_.get())); }
    /** Why it failed, as a RECTO_E_ value. */
    recto_status status() const noexcept { return recto_error_status(recto_batch_item_error(item_.get())); }
    /** The result file. */
    std::optional<std::filesystem::path> path() const {
        const char *path = recto_batch_item_path(item_.get());
        return path == nullptr ? std::nullopt : std::optional<std::filesystem::path>(path);
    }
    /** The service's result; none for a document that failed or that an earlier run has done. */
    std::optional<recto::result> result() const {
        const recto_result *from = recto_batch_item_result(item_.get());
        return from == nullptr ? std::nullopt : std::optional(recto::result::of(from));
    }
    /** Whether an earlier run with the same journal had done it. */
    bool is_resumed() const noexcept { return recto_batch_item_is_resumed(item_.get()) != 0; }

private:
    detail::handle<recto_batch_item, recto_batch_item_free> item_;
};

/** Many documents through one operation. Its end cancels what is in work. */
class batch {
public:
    /** Takes a handle of the C interface. */
    explicit batch(recto_batch *owned) : batch_(owned) {}

    /** Any setting of recto_batch_set(), by its name. */
    batch &set(const std::string &name, const std::string &value) & {
        detail::check([&](recto_error **failed) {
            return recto_batch_set(batch_.get(), name.c_str(), value.c_str(), failed);
        });
        return *this;
    }
    /** The directory of the result files. */
    batch &to(const std::filesystem::path &directory) & { return set("to", detail::native(directory)); }
    /** A file to go on from after an interruption. */
    batch &journal(const std::filesystem::path &path) & { return set("journal", detail::native(path)); }
    /** How many documents are in work at once. */
    batch &concurrency(std::size_t documents) & { return set("concurrency", std::to_string(documents)); }
    /** Adds a document. */
    batch &add(const std::filesystem::path &path) & {
        detail::check(
            [&](recto_error **failed) { return recto_batch_add(batch_.get(), detail::native(path).c_str(), failed); });
        return *this;
    }

    /** Waits for the next document to end, well or not; nothing when there are no more. */
    std::optional<batch_item> next(const call &settings = {}) & {
        recto_batch_item *made = nullptr;
        detail::check(
            [&](recto_error **failed) { return recto_batch_next(batch_.get(), settings.get(), &made, failed); },
            &settings.kept());
        return made == nullptr ? std::nullopt : std::optional<batch_item>(made);
    }

private:
    detail::batch_handle batch_;
};

/** What a client is told; what it is not told is taken from the environment. */
class config {
public:
    config() {
        recto_config *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_config_new(&made, failed); });
        config_.reset(made);
    }

    /** Any setting of recto_config_set(), by its name. */
    config &set(const std::string &name, const std::string &value) {
        detail::check([&](recto_error **failed) {
            return recto_config_set(config_.get(), name.c_str(), value.c_str(), failed);
        });
        return *this;
    }
    /** The service's address. */
    config &base_url(const std::string &url) { return set("base_url", url); }
    /** The key, sent to the base URL's origin and nowhere else. */
    config &api_key(const std::string &key) { return set("api_key", key); }
    /** The longest a call may take, waiting for an operation not counted. */
    config &timeout(std::chrono::milliseconds time) { return set("timeout_ms", std::to_string(time.count())); }
    /** The longest to wait for an operation to end; nullopt waits for ever. */
    config &wait_timeout(std::optional<std::chrono::milliseconds> time) {
        return set("wait_timeout_ms", time ? std::to_string(time->count()) : "-1");
    }

    /** Is told what happens, up to a RECTO_LOG_ level, in the threads of the calls. What it throws is ignored. */
    config &log(std::int32_t level, std::function<void(std::int32_t level, std::string_view line)> log) {
        using function = std::function<void(std::int32_t, std::string_view)>;
        auto held = std::make_unique<function>(std::move(log));
        auto tell = [](std::int32_t at, const char *line, void *of) {
            try {
                (*static_cast<function *>(of))(at, line);
            } catch (...) {
            }
        };
        auto drop = [](void *of) { delete static_cast<function *>(of); };
        detail::check([&](recto_error **failed) {
            return recto_config_set_log(config_.get(), level, tell, held.get(), drop, failed);
        });
        held.release();
        return *this;
    }

    /** The handle of the C interface. */
    const recto_config *get() const noexcept { return config_.get(); }

private:
    detail::config_handle config_;
};

/** A client of the service. Without a base URL, here and in the environment, it brings the service along. */
class client {
public:
    /** A client of the service that the environment tells of. */
    client() : client(config()) {}
    /** A client of the service that the configuration tells of. */
    explicit client(const config &config) {
        recto_client *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_client_new(config.get(), &made, failed); });
        client_.reset(made);
    }

    /** Starts an operation on a document, which is uploaded first unless it is in the service already. */
    template <class Options, class = decltype(Options::operation)>
    recto::operation start(const source &document, const Options &options, const call &settings = {}) const {
        return start(Options::operation, document, options.to_json(), settings);
    }

    /** The same, with the operation's name and the options as JSON. */
    recto::operation start(const std::string &name, const source &document, const std::string &options_json,
                           const call &settings = {}) const {
        recto_operation *made = nullptr;
        const char *kind = name.c_str(), *json = options_json.c_str();
        recto_call *with = settings.get();
        source::reading from{nullptr, &settings.kept()};
        detail::check(
            [&](recto_error **failed) {
                if (auto *path = std::get_if<std::filesystem::path>(&document.from_))
                    return recto_start_path(get(), kind, detail::native(*path).c_str(), json, with, &made, failed);
                if (auto *id = std::get_if<file_id>(&document.from_))
                    return recto_start(get(), kind, id->value.c_str(), json, with, &made, failed);
                if (auto *bytes = std::get_if<source::borrowed>(&document.from_))
                    return recto_start_data(get(), kind, bytes->data, bytes->length, bytes->name.c_str(), json, with,
                                            &made, failed);
                auto &stream = std::get<source::streamed>(document.from_);
                from.stream = stream.stream;
                return recto_start_stream(get(), kind, source::read, &from, stream.length.value_or(-1),
                                          stream.name.c_str(), json, with, &made, failed);
            },
            &settings.kept());
        return recto::operation(made);
    }

    /** Goes on with an operation that was started before, perhaps by another process. */
    recto::operation resume(const std::string &token) const {
        recto_operation *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_resume(get(), token.c_str(), &made, failed); });
        return recto::operation(made);
    }

    /** Many documents through one operation. */
    template <class Options, class = decltype(Options::operation)>
    recto::batch batch(const Options &options) const {
        recto_batch *made = nullptr;
        std::string json = options.to_json();
        detail::check([&](recto_error **failed) {
            return recto_batch_new(get(), Options::operation, json.c_str(), &made, failed);
        });
        return recto::batch(made);
    }

    /** Places a document in the service; of a file that is there already, the identifier. */
    file_id upload(const source &document, const call &settings = {}) const {
        char *made = nullptr;
        recto_call *with = settings.get();
        source::reading from{nullptr, &settings.kept()};
        if (auto *id = std::get_if<file_id>(&document.from_))
            return *id;
        detail::check(
            [&](recto_error **failed) {
                if (auto *path = std::get_if<std::filesystem::path>(&document.from_))
                    return recto_upload_path(get(), detail::native(*path).c_str(), with, &made, failed);
                if (auto *bytes = std::get_if<source::borrowed>(&document.from_))
                    return recto_upload_data(get(), bytes->data, bytes->length, bytes->name.c_str(), with, &made, failed);
                auto &stream = std::get<source::streamed>(document.from_);
                from.stream = stream.stream;
                return recto_upload_stream(get(), source::read, &from, stream.length.value_or(-1), stream.name.c_str(),
                                           with, &made, failed);
            },
            &settings.kept());
        return file_id{detail::text_handle(made).get()};
    }

    /** Has the service fetch a document itself. */
    file_id upload_url(const std::string &url, const call &settings = {}) const {
        char *made = nullptr;
        detail::check(
            [&](recto_error **failed) { return recto_upload_url(get(), url.c_str(), settings.get(), &made, failed); },
            &settings.kept());
        return file_id{detail::text_handle(made).get()};
    }

    /** The active files; only result files, if so wished. */
    std::vector<file> files(bool only_result_files = false, const call &settings = {}) const {
        recto_file_list *made = nullptr;
        detail::check(
            [&](recto_error **failed) {
                return recto_file_list_get(get(), only_result_files, settings.get(), &made, failed);
            },
            &settings.kept());
        return listed(made);
    }

    /** What the service knows of a file. */
    recto::file file_info(const file_id &id, const call &settings = {}) const {
        recto_file *made = nullptr;
        detail::check(
            [&](recto_error **failed) { return recto_file_get(get(), id.value.c_str(), settings.get(), &made, failed); },
            &settings.kept());
        detail::handle<recto_file, recto_file_free> held(made);
        return recto::file::of(held.get());
    }

    /** Deletes a file. Returns the files that the service answers with; which those are, the interface leaves open. */
    std::vector<file> remove(const file_id &id, const call &settings = {}) const {
        recto_file_list *made = nullptr;
        detail::check(
            [&](recto_error **failed) {
                return recto_file_delete(get(), id.value.c_str(), settings.get(), &made, failed);
            },
            &settings.kept());
        return listed(made);
    }

    /** The service's address. */
    std::string base_url() const { return recto_client_base_url(get()); }
    /** Ends the running calls of all threads; later ones are refused. */
    void close() const noexcept { recto_client_close(get()); }
    /** The handle of the C interface. */
    const recto_client *get() const noexcept { return client_.get(); }

private:
    static std::vector<file> listed(recto_file_list *made) {
        detail::handle<recto_file_list, recto_file_list_free> held(made);
        std::vector<file> files;
        for (std::size_t at = 0; at < recto_file_list_count(made); at++)
            files.push_back(recto::file::of(recto_file_list_at(made, at)));
        return files;
    }

    detail::client_handle client_;
};

/** The service, on this machine, for other programs or clients with settings of their own. */
class local_service {
public:
    /** Starts it; `options_json` is that of recto_local_start(). */
    explicit local_service(const std::string &options_json = "{}") {
        recto_local *made = nullptr;
        detail::check([&](recto_error **failed) { return recto_local_start(options_json.c_str(), &made, failed); });
        local_.reset(made);
    }

    /** The address to give to a client. */
    std::string base_url() const { return recto_local_base_url(local_.get()); }
    /** The key to give to a client. */
    std::string api_key() const { return recto_local_api_key(local_.get()); }

private:
    detail::local_handle local_;
};

} // namespace recto

#endif
