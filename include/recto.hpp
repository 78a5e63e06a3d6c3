/**
 * @file recto.hpp
 * The C++ interface of Recto (C++17, header only, on top of recto.h).
 *
 *     recto::client client;
 *     recto::optimize_options options;
 *     options.profile = recto::profile::web;
 *     client.start("report.pdf", options).save("small.pdf");
 *
 * Objects free their C handles. A call that fails throws a recto::error. If a callback throws an exception, the call
 * ends and throws this exception. Calls block. A client or an operation can be used by many threads at the same time, any
 * other object by one thread at a time.
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
#include <type_traits>
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
    /** The text of the identifier. */
    std::string value;
};

/** An error. what() is a message of one line: what happened, to which document or operation, and what to do next. */
class error : public std::runtime_error {
public:
    /** Takes ownership of an error object of the C interface. */
    explicit error(recto_error *owned) : runtime_error(recto_error_message(owned)), error_(owned, recto_error_free) {}
    /** An error object of the C interface that `shared` keeps alive. */
    explicit error(std::shared_ptr<const recto_error> shared)
        : runtime_error(recto_error_message(shared.get())), error_(std::move(shared)) {}
    /** An error that arose in this header. */
    error(recto_status status, const std::string &message) : runtime_error(message), status_(status) {}

    /** A RECTO_E_ value. */
    recto_status status() const noexcept { return error_ ? recto_error_status(get()) : status_; }
    /** What to do next, if there is advice. */
    std::optional<std::string> advice() const { return text(recto_error_advice(get())); }
    /** The phase of the call in which the error happened, a RECTO_PHASE_ value; 0 if the phase is not known. */
    std::int32_t phase() const noexcept { return recto_error_phase(get()); }
    /** The HTTP status of the response; 0 if there was no response. */
    int http_status() const noexcept { return recto_error_http_status(get()); }
    /** The HTTP method of the request. */
    std::optional<std::string> method() const { return text(recto_error_method(get())); }
    /** The URL of the request, without its query. */
    std::optional<std::string> url() const { return text(recto_error_url(get())); }
    /** The error code of the service, such as "file_not_found". */
    std::optional<std::string> code() const { return text(recto_error_code(get())); }
    /** The title that the service gives to this kind of error. */
    std::optional<std::string> title() const { return text(recto_error_title(get())); }
    /** The service's explanation of this error. */
    std::optional<std::string> detail() const { return text(recto_error_detail(get())); }
    /** The request identifier, under which the service logged the request. */
    std::optional<std::string> request_id() const { return text(recto_error_request_id(get())); }
    /** The identifier of the operation concerned. */
    std::optional<std::string> operation_id() const { return text(recto_error_operation_id(get())); }
    /** The document that the call was about, as the caller named it. */
    std::optional<std::string> document() const { return text(recto_error_document(get())); }
    /** With wait_timeout: the token for client::resume(). */
    std::optional<std::string> token() const { return text(recto_error_token(get())); }
    /** The beginning of the response body, or the raw result of a failed operation. */
    std::optional<std::string> body() const { return text(recto_error_body(get())); }
    /** How many requests were made, including the last one. */
    std::uint32_t attempts() const noexcept { return recto_error_attempts(get()); }
    /** How long the client should wait before the next request, as requested by the service (Retry-After). */
    std::optional<std::chrono::milliseconds> retry_after() const {
        std::int64_t after = recto_error_retry_after_ms(get());
        return after < 0 ? std::nullopt : std::optional(std::chrono::milliseconds(after));
    }
    /** Whether the same call can succeed later without a change. */
    bool is_retryable() const noexcept { return recto_error_is_retryable(get()) != 0; }

private:
    const recto_error *get() const noexcept { return error_.get(); }
    static std::optional<std::string> text(const char *text) {
        return text == nullptr ? std::nullopt : std::optional<std::string>(text);
    }

    std::shared_ptr<const recto_error> error_;
    recto_status status_ = RECTO_OK;
};

/** The configuration is wrong or incomplete, or the client was closed. */
class config_error : public error { using error::error; };
/** The request is invalid: the library or the service refused it. */
class invalid_request : public error { using error::error; };
/** The service did not accept the key (401). */
class auth_error : public error { using error::error; };
/** The key does not permit the request (402, 403). */
class permission_denied : public error { using error::error; };
/** The file or operation does not exist (404, 410). */
class not_found : public error { using error::error; };
/** Too many requests (429). */
class rate_limited : public error { using error::error; };
/** The document is larger than the service accepts (413). */
class payload_too_large : public error { using error::error; };
/** The service failed (5xx). */
class server_error : public error { using error::error; };
/** The service could not be reached, or the connection broke. */
class transport_error : public error { using error::error; };
/** A request took longer than its time limit. */
class request_timeout : public error { using error::error; };
/** The operation did not end within the wait timeout. It continues in the service; resume it with token(). */
class wait_timeout : public error { using error::error; };
/** The operation failed. */
class operation_failed : public error { using error::error; };
/** It is unknown whether the operation started. */
class outcome_unknown : public error { using error::error; };
/** The response of the service is invalid. */
class protocol_error : public error { using error::error; };
/** The call was cancelled. */
class cancelled : public error { using error::error; };
/** A local file or stream cannot be read or written. */
class io_error : public error { using error::error; };
/** The client was created before fork() and is used in the child. */
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
using task_handle = handle<recto_task, recto_task_free>;

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

/** Calls a function of the C interface, and throws if it failed. An exception of a callback takes precedence. */
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

/** Runs a callback. An exception is stored in `kept`, to be thrown at the end of the call. */
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

/** Refuses a text with a NUL: the C interface would read only what is before it. */
inline const std::string &whole(const std::string &text, const char *what) {
    if (text.find('\0') != std::string::npos)
        throw invalid_request(RECTO_E_INVALID, std::string("the ") + what + " contains a NUL character");
    return text;
}

/** A text for the C interface. */
inline const char *c_text(const std::string &text) { return whole(text, "text").c_str(); }

/** Converts a path for the C interface. */
inline std::string native(const std::filesystem::path &path) {
#ifdef _WIN32
    auto utf8 = path.u8string();
    return whole(std::string(reinterpret_cast<const char *>(utf8.data()), utf8.size()), "path");
#else
    return whole(path.native(), "path");
#endif
}

} // namespace detail

/** The options of an operation, set by their names. recto_options.hpp has a type for the options of each operation. */
class options {
public:
    /** Options in which nothing is set. */
    explicit options(const std::string &operation) : operation_(operation) {
        recto_options *out = nullptr;
        detail::check([&](recto_error **err) { return recto_options_new(detail::c_text(operation), &out, err); });
        options_.reset(out);
    }

    /**
     * Sets an option. Its type determines what `value` is: any text, an allowed value, a decimal number, "true" or
     * "false".
     */
    options &set(const std::string &name, const std::string &value) & {
        detail::check([&](recto_error **err) {
            return recto_options_set(options_.get(), detail::c_text(name), detail::c_text(value), err);
        });
        return *this;
    }
    /** Sets an option from text. */
    options &set(const std::string &name, const char *value) & { return set(name, std::string(value)); }
    /** Sets an option that is a number, or true or false. */
    template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>>
    options &set(const std::string &name, T value) & {
        detail::check([&](recto_error **err) {
            const char *key = detail::c_text(name);
            if constexpr (std::is_same_v<T, bool>)
                return recto_options_set_bool(options_.get(), key, value, err);
            else if constexpr (std::is_integral_v<T>)
                return recto_options_set_int(options_.get(), key, static_cast<std::int64_t>(value), err);
            else
                return recto_options_set_double(options_.get(), key, static_cast<double>(value), err);
        });
        return *this;
    }
    /** Like set() above, for a temporary object (an rvalue). */
    template <class T>
    options &&set(const std::string &name, const T &value) && {
        return std::move(set(name, value));
    }

    /** The name of the operation. */
    const std::string &operation_name() const noexcept { return operation_; }
    /** The options as JSON. */
    std::string to_json() const { return recto_options_json(options_.get()); }

private:
    std::string operation_;
    detail::handle<recto_options, recto_options_free> options_;
};

/** The progress of a call. */
struct progress {
    /** RECTO_PHASE_UPLOAD, RECTO_PHASE_WAIT or RECTO_PHASE_DOWNLOAD. */
    std::int32_t phase;
    /** Bytes transferred; a byte that is sent again is not counted again. */
    std::int64_t done;
    /** Bytes to transfer, if known. */
    std::optional<std::int64_t> total;
};

namespace detail {

/** A progress callback, and the exception that it has thrown. */
struct listener {
    std::function<bool(const recto::progress &)> callback;
    std::exception_ptr kept;

    static std::int32_t report(std::int32_t phase, std::int64_t done, std::int64_t total, void *of) {
        listener &self = *static_cast<listener *>(of);
        return guarded<std::int32_t>(self.kept, 1, [&] {
            recto::progress now{phase, done, total < 0 ? std::nullopt : std::optional(total)};
            return self.callback(now) ? 0 : 1;
        });
    }
};

} // namespace detail

/** A switch that cancels the calls it is set for, from any thread. Copies refer to the same switch. */
class cancel {
public:
    cancel() {
        recto_cancel *out = nullptr;
        detail::check([&](recto_error **err) { return recto_cancel_new(&out, err); });
        cancel_.reset(out, recto_cancel_free);
    }

    /** Cancels every call that this switch is set for. */
    void trigger() const noexcept { recto_cancel_trigger(cancel_.get()); }
    /** Whether it was triggered. */
    bool is_triggered() const noexcept { return recto_cancel_is_triggered(cancel_.get()) != 0; }
    /** The handle of the C interface. */
    const recto_cancel *get() const noexcept { return cancel_.get(); }

private:
    std::shared_ptr<recto_cancel> cancel_;
};

/** The settings of a call. They can be used for several calls, one after the other. */
class call {
public:
    call() : state_(std::make_unique<state>()) {
        recto_call *out = nullptr;
        detail::check([&](recto_error **err) { return recto_call_new(&out, err); });
        state_->handle.reset(out);
    }

    /** Sets the time limit of the whole call: upload, start, wait, download and retries. */
    call &timeout(std::chrono::milliseconds time) & {
        detail::check([&](recto_error **err) { return recto_call_set_timeout(get(), time.count(), err); });
        return *this;
    }
    /** Sets the time limit for waiting for the operation, within the time limit of the whole call; nullopt for no
     * limit. When it expires, the call throws wait_timeout, and the operation continues. */
    call &wait_timeout(std::optional<std::chrono::milliseconds> time) & {
        std::int64_t count = time ? time->count() : RECTO_FOREVER;
        detail::check([&](recto_error **err) { return recto_call_set_wait_timeout(get(), count, err); });
        return *this;
    }
    /** Sends an input even if the operation does not take its extension. */
    call &force(bool force = true) & {
        detail::check([&](recto_error **err) { return recto_call_set_force(get(), force, err); });
        return *this;
    }
    /** Sets whether a result may replace an existing file. Default: true. */
    call &overwrite(bool overwrite = true) & {
        detail::check([&](recto_error **err) { return recto_call_set_overwrite(get(), overwrite, err); });
        return *this;
    }
    /** Sets whether the files of the operation are deleted from the service once its result is saved or read. */
    call &delete_after(bool yes = true) & {
        detail::check([&](recto_error **err) { return recto_call_set_delete_after(get(), yes, err); });
        return *this;
    }
    /** Sets a header of the requests of this call to the service, such as "traceparent". */
    call &header(const std::string &name, const std::string &value) & {
        detail::check([&](recto_error **err) {
            return recto_call_set_header(get(), detail::c_text(name), detail::c_text(value), err);
        });
        return *this;
    }
    /** Sets options that this version does not know, as a JSON object; they are sent without a check. */
    call &extra_options(const std::string &json) & {
        detail::check(
            [&](recto_error **err) { return recto_call_set_extra_options(get(), detail::c_text(json), err); });
        return *this;
    }
    /** Allows operations that this version does not know, such as "convert/pdf-to-webp"; sends options without a check:
     * see recto_call_set_unchecked(). */
    call &unchecked(bool yes = true) & {
        detail::check([&](recto_error **err) { return recto_call_set_unchecked(get(), yes, err); });
        return *this;
    }
    /** Sets the switch that can cancel the call. */
    call &cancel(const recto::cancel &cancel) & {
        detail::check([&](recto_error **err) { return recto_call_set_cancel(get(), cancel.get(), err); });
        return *this;
    }
    /** Sets the progress callback. If it returns `false` or throws, the call ends. */
    call &on_progress(std::function<bool(const recto::progress &)> callback) & {
        state_->listener.callback = std::move(callback);
        detail::check([&](recto_error **err) { return listen(state_->listener, err); });
        return *this;
    }
    /** Like timeout() above, for a temporary object (an rvalue). */
    call &&timeout(std::chrono::milliseconds time) && { return std::move(timeout(time)); }
    /** Like wait_timeout() above, for a temporary object (an rvalue). */
    call &&wait_timeout(std::optional<std::chrono::milliseconds> time) && { return std::move(wait_timeout(time)); }
    /** Like force() above, for a temporary object (an rvalue). */
    call &&force(bool yes = true) && { return std::move(force(yes)); }
    /** Like overwrite() above, for a temporary object (an rvalue). */
    call &&overwrite(bool yes = true) && { return std::move(overwrite(yes)); }
    /** Like delete_after() above, for a temporary object (an rvalue). */
    call &&delete_after(bool yes = true) && { return std::move(delete_after(yes)); }
    /** Like header() above, for a temporary object (an rvalue). */
    call &&header(const std::string &name, const std::string &value) && { return std::move(header(name, value)); }
    /** Like extra_options() above, for a temporary object (an rvalue). */
    call &&extra_options(const std::string &json) && { return std::move(extra_options(json)); }
    /** Like unchecked() above, for a temporary object (an rvalue). */
    call &&unchecked(bool yes = true) && { return std::move(unchecked(yes)); }
    /** Like cancel() above, for a temporary object (an rvalue). */
    call &&cancel(const recto::cancel &by) && { return std::move(cancel(by)); }
    /** Like on_progress() above, for a temporary object (an rvalue). */
    call &&on_progress(std::function<bool(const recto::progress &)> callback) && {
        return std::move(on_progress(std::move(callback)));
    }

    /** The handle of the C interface. */
    recto_call *get() const noexcept { return state_->handle.get(); }
    /** The exception of a callback, which is thrown when the call has ended. */
    std::exception_ptr &kept() const noexcept { return state_->listener.kept; }

    /** Starts a call in the background with these settings. The call gets its own copy of the progress callback, which
     * the task keeps. */
    template <class Start>
    std::shared_ptr<detail::listener> in_background(Start &&start) const {
        auto copy = std::make_shared<detail::listener>();
        copy->callback = state_->listener.callback;
        detail::check([&](recto_error **err) { return listen(*copy, err); });
        struct restored {
            const call &settings;
            ~restored() {
                recto_status status = settings.listen(settings.state_->listener, nullptr);
                (void)status;
            }
        } restored{*this};
        detail::check(std::forward<Start>(start));
        return copy;
    }

private:
    struct state {
        detail::call_handle handle;
        detail::listener listener;
    };

    recto_status listen(detail::listener &to, recto_error **err) const {
        return recto_call_set_progress(get(), to.callback ? detail::listener::report : nullptr, &to, err);
    }

    std::unique_ptr<state> state_;
};

class operation;
struct output_file;
struct result;

/** A document: a local file, an address from which the service downloads it, bytes, a stream, a file that is already in
 * the service, or the result of an operation. */
class source {
public:
    /** A local file. */
    source(std::filesystem::path path) : from_(std::move(path)) {}
    /** A local file. */
    source(const char *path) : from_(std::filesystem::path(path)) {}
    /** A local file. */
    source(const std::string &path) : from_(std::filesystem::path(path)) {}
    /** A file that is already in the service. */
    source(file_id id) : from_(std::move(id)) {}
    /** The result of an operation; the call waits for it. The operation must stay valid during the call. */
    source(const operation &previous);
    /** The result file of an operation. */
    source(const result &result);
    /** The result file of an operation. */
    source(const output_file &output);

    /** Bytes, which must stay valid during the call, and a file name, whose extension determines the format. */
    static source bytes(const void *data, std::size_t length, std::string name) {
        return source(borrowed{data, length, std::move(name)});
    }
    /** Bytes, which must stay valid during the call, and a file name. */
    static source bytes(std::string_view data, std::string name) {
        return bytes(data.data(), data.size(), std::move(name));
    }
#ifdef __cpp_lib_span
    /** Bytes, which must stay valid during the call, and a file name. */
    static source bytes(std::span<const std::byte> data, std::string name) {
        return bytes(data.data(), data.size(), std::move(name));
    }
#endif
    /** A stream that must stay valid during the call, and a file name. Without a length it is first copied to disk. */
    static source stream(std::istream &stream, std::string name, std::optional<std::int64_t> length = std::nullopt) {
        return source(streamed{&stream, std::move(name), length});
    }

private:
    friend class client;
    friend class batch;
    struct chained {
        const recto_operation *previous;
    };
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
            // At its end a stream has both bits. With the fail bit alone it was never opened, or has failed before.
            if (from.stream->fail() && !from.stream->eof())
                throw io_error(RECTO_E_IO, "the stream of the document has failed, or was not opened");
            from.stream->read(static_cast<char *>(buffer), static_cast<std::streamsize>(size));
            if (from.stream->bad() || (from.stream->fail() && !from.stream->eof()))
                throw io_error(RECTO_E_IO, "cannot read from the stream of the document");
            return static_cast<std::int64_t>(from.stream->gcount());
        });
    }

    std::variant<std::filesystem::path, file_id, borrowed, streamed, chained> from_;
};

/** A result file. */
struct output_file {
    /** The identifier of the file. */
    std::optional<std::string> file_id;
    /** The name of the file, not sanitised: make it safe before you use it as a file name, as in operation::save(). */
    std::optional<std::string> name;
    /** The URL to download the file from. Its query is a secret: it gives access to the file. */
    std::optional<std::string> url;
};

/** The outcome of a validation. */
struct validation_report {
    /** Whether the document conforms; nullopt if the report does not state this. */
    std::optional<bool> is_conforming;
    /** The findings, as texts for people. */
    std::vector<std::string> errors;
    /** The conformance level that the document declares, such as "pdf15". */
    std::optional<std::string> conformance;
};

/** The result of an operation. */
struct result {
    /** `operationType`, as in the response to the start of the operation. */
    std::string operation_type;
    /** The status as the service spells it. */
    std::string status;
    /** The result file, if the operation has one. */
    std::optional<output_file> output;
    /** The report of a validation. */
    std::optional<validation_report> validation;
    /** The whole response of the service as JSON. It may contain the URL of the result file, which is a secret. */
    std::string json;
    /** The request identifier, under which the service logged the request for this result. */
    std::optional<std::string> request_id;

    /** Copies a result of the C interface. */
    static result of(const recto_result *from) {
        result copy{recto_result_operation_type(from),
                    recto_result_status(from),
                    {},
                    {},
                    recto_result_json(from),
                    detail::text(recto_result_request_id(from))};
        if (recto_result_has_output(from))
            copy.output = output_file{detail::text(recto_result_output_file_id(from)),
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
            copy.validation = std::move(report);
        }
        return copy;
    }
};

/** The record of a file in the service. */
struct file {
    /** The identifier of the file. */
    std::string id;
    /** When the file was created in the service: ISO 8601, UTC. */
    std::optional<std::string> created_at;
    /** How the file was created in the service, such as "fromUrl". */
    std::optional<std::string> origin;
    /** The name of the file. */
    std::optional<std::string> name;
    /** The extension of the file, without the dot. */
    std::optional<std::string> extension;

    /** Copies a file record of the C interface. */
    static file of(const recto_file *from) {
        return file{recto_file_id(from), detail::text(recto_file_created_at(from)), detail::text(recto_file_origin(from)),
                    detail::text(recto_file_name(from)), detail::text(recto_file_extension(from))};
    }
};

/**
 * A call that runs in the background, for programs with an event loop. Its descriptor becomes readable when the call
 * has ended. Then take() returns the result of the call, or throws its error. Destroying a task cancels its call.
 *
 * The progress callback of the call runs on a thread of the library, until the call has ended or the task is destroyed.
 * The callback must not destroy the task.
 */
template <class T>
class task {
public:
    /** Takes ownership of a handle of the C interface. `taken` takes the result of the call. */
    task(recto_task *owned, std::shared_ptr<detail::listener> listener, T (*taken)(const recto_task *))
        : listener_(std::move(listener)), task_(owned), taken_(taken) {}

    /** The descriptor for poll(), epoll or an event loop: see recto_task_descriptor(). It belongs to the task. */
    std::ptrdiff_t descriptor() const noexcept { return recto_task_descriptor(get()); }
    /** Whether the call has ended, with a result or an error. */
    bool has_ended() const { return wait_for(std::chrono::milliseconds(0)); }
    /** Waits at most this time. Returns whether the call has ended. */
    bool wait_for(std::chrono::milliseconds time) const { return poll(time.count()); }
    /** Waits until the call has ended, and returns its result. The result can be taken once. */
    T take() const {
        poll(RECTO_FOREVER);
        if (listener_->kept)
            std::rethrow_exception(std::exchange(listener_->kept, nullptr));
        return taken_(get());
    }
    /** Cancels the call. */
    void cancel() const noexcept { recto_task_cancel(get()); }
    /** The handle of the C interface. */
    const recto_task *get() const noexcept { return task_.get(); }

private:
    bool poll(std::int64_t milliseconds) const {
        recto_status status = RECTO_OK;
        detail::check([&](recto_error **err) { return status = recto_task_poll(get(), milliseconds, err); });
        return status == RECTO_OK;
    }

    // The task is freed first: until then the callback may run.
    std::shared_ptr<detail::listener> listener_;
    detail::task_handle task_;
    T (*taken_)(const recto_task *);
};

namespace detail {

/** Takes a value of a task: `function` is recto_task_take_operation() or a similar function. */
template <class T>
T *taken(const recto_task *task, recto_status (*function)(const recto_task *, T **, recto_error **)) {
    T *out = nullptr;
    check([&](recto_error **err) { return function(task, &out, err); });
    return out;
}

inline recto::result take_result(const recto_task *task) {
    handle<recto_result, recto_result_free> held(taken(task, recto_task_take_result));
    return recto::result::of(held.get());
}

inline std::filesystem::path take_path(const recto_task *task) {
    return std::filesystem::path(text_handle(taken(task, recto_task_take_path)).get());
}

inline file_id take_file_id(const recto_task *task) {
    return file_id{text_handle(taken(task, recto_task_take_file_id)).get()};
}

inline std::vector<std::byte> take_data(const recto_task *task) {
    void *data = nullptr;
    std::size_t length = 0;
    check([&](recto_error **err) { return recto_task_take_data(task, &data, &length, err); });
    handle<void, recto_free> held(data);
    const std::byte *first = static_cast<const std::byte *>(data);
    return {first, first + length};
}

} // namespace detail

/** A started operation. It stays valid after its client is destroyed. Destroying it does not stop the operation. */
class operation {
public:
    /** Takes ownership of a handle of the C interface. */
    explicit operation(recto_operation *owned) : operation_(owned) {}

    /** The identifier of the operation in the service. */
    std::string id() const { return recto_operation_id(get()); }
    /** The name of the operation, such as "stamp-qr". */
    std::string name() const { return recto_operation_name(get()); }
    /** `operationType`, as in the response to the start of the operation, such as "stampQR". */
    std::string type() const { return recto_operation_type(get()); }
    /** The token for client::resume(), also in another process. The embedded service then keeps the files. */
    std::string token() const { return recto_operation_token(get()); }
    /** The request identifier, under which the service logged the request that started the operation. */
    std::optional<std::string> request_id() const { return detail::text(recto_operation_request_id(get())); }

    /** Keeps the files in the embedded service until they expire, even if the operation is destroyed. */
    void keep() const noexcept { recto_operation_keep(get()); }

    /** Requests the status once, and returns it as the service spells it, such as "inProgress". */
    std::string status(const call &settings = {}) const {
        char *status = nullptr;
        detail::check([&](recto_error **err) { return recto_operation_status(get(), settings.get(), &status, err); },
                      &settings.kept());
        return detail::text_handle(status).get();
    }

    /** Waits until the operation has ended. A document that does not conform is a result, not an error. */
    result wait(const call &settings = {}) const {
        recto_result *out = nullptr;
        detail::check([&](recto_error **err) { return recto_operation_wait(get(), settings.get(), &out, err); },
                      &settings.kept());
        detail::handle<recto_result, recto_result_free> held(out);
        return result::of(held.get());
    }

    /** Waits, and saves the result to a file or into a directory, atomically. In a directory, it is named after the
     * source, which it never replaces. Returns the path of the file. */
    std::filesystem::path save(const std::filesystem::path &path, const call &settings = {}) const {
        char *saved = nullptr;
        detail::check(
            [&](recto_error **err) {
                return recto_operation_save(get(), detail::native(path).c_str(), settings.get(), &saved, err);
            },
            &settings.kept());
        return std::filesystem::path(detail::text_handle(saved).get());
    }

    /** Waits, and passes the result to `write` in pieces. If it returns `false` or throws, the call ends. */
    std::uint64_t stream(std::function<bool(const void *data, std::size_t length)> write, const call &settings = {}) const {
        writing to{std::move(write), &settings.kept()};
        std::uint64_t length = 0;
        detail::check(
            [&](recto_error **err) {
                return recto_operation_stream(get(), forward, &to, settings.get(), &length, err);
            },
            &settings.kept());
        return length;
    }

    /** Waits, and streams the result to `out`. Returns its length in bytes. */
    std::uint64_t write_to(std::ostream &out, const call &settings = {}) const {
        auto check = [&] {
            if (!out)
                throw io_error(RECTO_E_IO, "cannot write the result to the stream");
        };
        check();
        std::uint64_t length = stream(
            [&](const void *data, std::size_t size) {
                out.write(static_cast<const char *>(data), static_cast<std::streamsize>(size));
                check();
                return true;
            },
            settings);
        // Bytes that are still in a buffer can fail to be written, too.
        out.flush();
        check();
        return length;
    }

    /** Waits, and returns the bytes of the result. */
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

    /** Deletes the result file from the service, and the document if it was uploaded by the call that started the
     * operation. */
    void remove(const call &settings = {}) const {
        detail::check([&](recto_error **err) { return recto_operation_delete(get(), settings.get(), err); },
                      &settings.kept());
    }

    /** wait() in the background. */
    task<recto::result> wait_in_background(const call &settings = {}) const {
        recto_task *out = nullptr;
        auto listener = settings.in_background(
            [&](recto_error **err) { return recto_background_wait(get(), settings.get(), &out, err); });
        return {out, std::move(listener), detail::take_result};
    }

    /** save() in the background. */
    task<std::filesystem::path> save_in_background(const std::filesystem::path &path, const call &settings = {}) const {
        recto_task *out = nullptr;
        auto listener = settings.in_background([&](recto_error **err) {
            return recto_background_save(get(), detail::native(path).c_str(), settings.get(), &out, err);
        });
        return {out, std::move(listener), detail::take_path};
    }

    /** read() in the background. */
    task<std::vector<std::byte>> read_in_background(const call &settings = {}) const {
        recto_task *out = nullptr;
        auto listener = settings.in_background(
            [&](recto_error **err) { return recto_background_read(get(), settings.get(), &out, err); });
        return {out, std::move(listener), detail::take_data};
    }

    /** The handle of the C interface. */
    const recto_operation *get() const noexcept { return operation_.get(); }

private:
    struct writing {
        std::function<bool(const void *, std::size_t)> write;
        std::exception_ptr *kept;
    };

    static std::int32_t forward(const void *data, std::size_t length, void *of) {
        writing &to = *static_cast<writing *>(of);
        return detail::guarded<std::int32_t>(*to.kept, 1, [&] { return to.write(data, length) ? 0 : 1; });
    }

    detail::operation_handle operation_;
};

inline source::source(const operation &previous) : from_(chained{previous.get()}) {}

inline source::source(const output_file &output) : from_(file_id{output.file_id.value_or("")}) {
    if (!output.file_id)
        throw invalid_request(RECTO_E_INVALID,
                              "the service gave no identifier for the result file; pass the operation instead of its result");
}

inline source::source(const result &result) : from_(file_id{}) {
    if (!result.output)
        throw invalid_request(RECTO_E_INVALID, "the result has no file, so it cannot be a source");
    *this = source(*result.output);
}

/** An operation that has ended, and the file in which its result was saved. */
struct saved {
    /** The operation. */
    recto::operation operation;
    /** The path of the file. */
    std::filesystem::path path;
};

namespace detail {

inline recto::operation take_operation(const recto_task *task) {
    return recto::operation(taken(task, recto_task_take_operation));
}

inline recto::saved take_saved(const recto_task *task) { return {take_operation(task), take_path(task)}; }

} // namespace detail

/** One document of a batch, with its outcome. */
class batch_item {
public:
    /** Takes ownership of a handle of the C interface. */
    explicit batch_item(recto_batch_item *owned) : item_(owned, recto_batch_item_free) {}

    /** The position of the document among those that were added, counted from 0. */
    std::size_t index() const noexcept { return recto_batch_item_index(item_.get()); }
    /** The document as it was added: its path, its address without the query, its name, or a text that contains its
     * identifier. */
    std::filesystem::path source() const { return recto_batch_item_source(item_.get()); }
    /** Whether the document succeeded. */
    bool is_done() const noexcept { return recto_batch_item_error(item_.get()) == nullptr; }
    /** Why the document failed, in one line; empty if it succeeded. */
    std::string message() const { return recto_error_message(recto_batch_item_error(item_.get())); }
    /** Why the document failed, as a RECTO_E_ value; RECTO_OK if it succeeded. */
    recto_status status() const noexcept { return recto_error_status(recto_batch_item_error(item_.get())); }
    /** The path of the result file, if there is one. */
    std::optional<std::filesystem::path> path() const {
        const char *path = recto_batch_item_path(item_.get());
        return path == nullptr ? std::nullopt : std::optional<std::filesystem::path>(path);
    }
    /** The result; nullopt if the document failed, or was finished in an earlier run. */
    std::optional<recto::result> result() const {
        const recto_result *from = recto_batch_item_result(item_.get());
        return from == nullptr ? std::nullopt : std::optional(recto::result::of(from));
    }
    /** Why the document failed, with all details; nullopt if it succeeded. */
    std::optional<recto::error> error() const { return shared(recto_batch_item_error(item_.get())); }
    /** The identifier of the operation; nullopt if the document failed. */
    std::optional<std::string> operation_id() const { return detail::text(recto_batch_item_operation_id(item_.get())); }
    /** Whether the document was finished in an earlier run with the same journal. */
    bool is_resumed() const noexcept { return recto_batch_item_is_resumed(item_.get()) != 0; }
    /** The path to which a batch that watches a folder has moved the file. */
    std::optional<std::filesystem::path> moved_to() const {
        const char *path = recto_batch_item_moved_to(item_.get());
        return path == nullptr ? std::nullopt : std::optional<std::filesystem::path>(path);
    }
    /** Why files of the document could not be deleted; see recto_batch_item_left_behind(). */
    std::optional<recto::error> left_behind() const { return shared(recto_batch_item_left_behind(item_.get())); }
    /** The handle of the C interface. */
    const recto_batch_item *get() const noexcept { return item_.get(); }

private:
    /** An error that belongs to the item, and keeps it alive. */
    std::optional<recto::error> shared(const recto_error *error) const {
        if (error == nullptr)
            return std::nullopt;
        return recto::error(std::shared_ptr<const recto_error>(item_, error));
    }

    std::shared_ptr<recto_batch_item> item_;
};

namespace detail {

inline std::optional<batch_item> take_item(const recto_task *task) {
    recto_batch_item *item = taken(task, recto_task_take_item);
    return item == nullptr ? std::nullopt : std::optional<batch_item>(item);
}

} // namespace detail

/** One operation on many documents. Destroying it cancels the documents in progress. */
class batch {
public:
    /** Takes ownership of a handle of the C interface. */
    explicit batch(recto_batch *owned) : batch_(owned) {}

    /** Sets a setting; recto_batch_set() lists the settings. */
    batch &set(const std::string &name, const std::string &value) & {
        detail::check([&](recto_error **err) {
            return recto_batch_set(batch_.get(), detail::c_text(name), detail::c_text(value), err);
        });
        return *this;
    }
    /** Sets the directory of the result files. */
    batch &to(const std::filesystem::path &directory) & { return set("to", detail::native(directory)); }
    /** Sets the directory below which the subdirectories of the sources are created for the results, too. */
    batch &relative_to(const std::filesystem::path &directory) & {
        return set("relative_to", detail::native(directory));
    }
    /** Sets whether no further documents are started after the first one that fails. */
    batch &stop_on_error(bool stop = true) & { return set("stop_on_error", stop ? "true" : "false"); }
    /** Sets whether a result may replace a file that existed before the batch. Default: true. */
    batch &overwrite(bool yes = true) & { return set("overwrite", yes ? "true" : "false"); }
    /** Sets whether a document and its result are deleted from the service once the result is saved. */
    batch &delete_after(bool yes = true) & { return set("delete_after", yes ? "true" : "false"); }
    /** Sets whether an input is sent even if the operation does not take its extension. */
    batch &force(bool yes = true) & { return set("force", yes ? "true" : "false"); }
    /** Sets the file from which an interrupted batch can resume. */
    batch &journal(const std::filesystem::path &path) & { return set("journal", detail::native(path)); }
    /** Sets how many documents are processed at the same time. */
    batch &concurrency(std::size_t documents) & { return set("concurrency", std::to_string(documents)); }
    /** Sets options that this version does not know, as a JSON object; they are sent without a check. */
    batch &extra_options(const std::string &json) & { return set("extra_options", json); }
    /** Processes the files of a folder as they arrive, in place of documents that are added; see recto_batch_set(). */
    batch &watch(const std::filesystem::path &folder) & { return set("watch", detail::native(folder)); }
    /** Sets how long a file of the watched folder must not change before it is processed. Default: 2 s. */
    batch &settle(std::chrono::milliseconds time) & { return set("settle_ms", std::to_string(time.count())); }
    /** Sets whether files in subfolders of the watched folder count. */
    batch &recursive(bool yes = true) & { return set("recursive", yes ? "true" : "false"); }
    /** Moves a file of the watched folder to this folder when it is done. Default: it stays. */
    batch &move_originals(const std::filesystem::path &folder) & {
        return set("move_originals", detail::native(folder));
    }
    /** Deletes a file of the watched folder when it is done. */
    batch &delete_originals(bool yes = true) & { return set("delete_originals", yes ? "true" : "false"); }
    /** Sets the folder for files that cannot be processed. Default: `failed` in the watched folder. */
    batch &failed(const std::filesystem::path &folder) & { return set("failed", detail::native(folder)); }
    /** When `stop` is triggered, the batch takes no further documents; see recto_batch_stop_on(). */
    batch &stop_on(const cancel &stop) & {
        detail::check([&](recto_error **err) { return recto_batch_stop_on(batch_.get(), stop.get(), err); });
        return *this;
    }
    /** Sets a header of the requests of the batch to the service, such as "traceparent". */
    batch &header(const std::string &name, const std::string &value) & {
        detail::check([&](recto_error **err) {
            return recto_batch_set_header(batch_.get(), detail::c_text(name), detail::c_text(value), err);
        });
        return *this;
    }
    /** Adds a document. Bytes are copied; a stream cannot be a document of a batch. */
    batch &add(const source &document) & {
        detail::check([&](recto_error **err) {
            if (auto *path = std::get_if<std::filesystem::path>(&document.from_))
                return recto_batch_add(batch_.get(), detail::native(*path).c_str(), err);
            if (auto *id = std::get_if<file_id>(&document.from_))
                return recto_batch_add_file(batch_.get(), detail::c_text(id->value), err);
            if (auto *chained = std::get_if<source::chained>(&document.from_))
                return recto_batch_add_operation(batch_.get(), chained->previous, err);
            if (auto *bytes = std::get_if<source::borrowed>(&document.from_))
                return recto_batch_add_data(batch_.get(), bytes->data, bytes->length, detail::c_text(bytes->name), err);
            throw invalid_request(RECTO_E_INVALID, "a stream cannot be a document of a batch; upload it first");
        });
        return *this;
    }

    /** Waits for the next document that succeeds or fails; nullopt when there are no more. */
    std::optional<batch_item> next(const call &settings = {}) & {
        recto_batch_item *out = nullptr;
        detail::check(
            [&](recto_error **err) { return recto_batch_next(batch_.get(), settings.get(), &out, err); },
            &settings.kept());
        return out == nullptr ? std::nullopt : std::optional<batch_item>(out);
    }

    /** next() in the background. Until it ends, no other call can use the batch, and it must not be destroyed. */
    task<std::optional<batch_item>> next_in_background(const call &settings = {}) & {
        recto_task *out = nullptr;
        auto listener = settings.in_background([&](recto_error **err) {
            return recto_background_batch_next(batch_.get(), settings.get(), &out, err);
        });
        return {out, std::move(listener), detail::take_item};
    }

private:
    detail::batch_handle batch_;
};

/** The settings of a client. Settings that are not set are taken from the environment. */
class config {
public:
    config() {
        recto_config *out = nullptr;
        detail::check([&](recto_error **err) { return recto_config_new(&out, err); });
        config_.reset(out);
    }

    /** Sets a setting; recto_config_set() lists the settings. */
    config &set(const std::string &name, const std::string &value) {
        detail::check([&](recto_error **err) {
            return recto_config_set(config_.get(), detail::c_text(name), detail::c_text(value), err);
        });
        return *this;
    }
    /** Sets the address of the service. */
    config &base_url(const std::string &url) { return set("base_url", url); }
    /** Sets the API key, which is sent only to the origin of the base URL. */
    config &api_key(const std::string &key) { return set("api_key", key); }
    /** Sets the time limit of the whole call: upload, start, wait, download and retries; nullopt for no limit. */
    config &timeout(std::optional<std::chrono::milliseconds> time) {
        return set("timeout_ms", time ? std::to_string(time->count()) : "-1");
    }
    /** Sets the time limit for waiting for the operation, within the time limit of the whole call; nullopt for no
     * limit. When it expires, the call throws wait_timeout, and the operation continues. Default: no limit if timeout()
     * is set, otherwise 15 minutes. */
    config &wait_timeout(std::optional<std::chrono::milliseconds> time) {
        return set("wait_timeout_ms", time ? std::to_string(time->count()) : "-1");
    }

    /** Sets whether the embedded service keeps the files of an operation when the operation is destroyed. Default:
     * false. */
    config &keep_files(bool keep) { return set("keep_files", keep ? "true" : "false"); }
    /** Sets how the embedded service isolates documents: "best", "workers", "strict" or "none". */
    config &isolation(const std::string &mode) { return set("isolation", mode); }
    /** Sets the path of the `recto` program that runs the workers of the embedded service. */
    config &worker(const std::string &path) { return set("worker", path); }
    /** Sets the memory limit of a worker process, in bytes. */
    config &worker_memory(std::uint64_t bytes) { return set("worker_memory", std::to_string(bytes)); }
    /** Sets how many bytes a document may decode to, if it is processed in this process. */
    config &in_process_bytes(std::uint64_t bytes) { return set("in_process_bytes", std::to_string(bytes)); }
    /** Sets the size limit of all files and results in the embedded service, in bytes. */
    config &stored_bytes(std::uint64_t bytes) { return set("stored_bytes", std::to_string(bytes)); }
    /** Sets after which time the embedded service deletes files and results that were not deleted earlier. */
    config &retention(std::chrono::milliseconds time) { return set("retention_ms", std::to_string(time.count())); }

    /** Sets a header of every request to the service, such as "traceparent" or a header that a gateway requires. */
    config &header(const std::string &name, const std::string &value) {
        detail::check([&](recto_error **err) {
            return recto_config_set_header(config_.get(), detail::c_text(name), detail::c_text(value), err);
        });
        return *this;
    }

    /** Sets the log callback for events up to a RECTO_LOG_ level. It runs in the threads of the calls. Exceptions that
     * it throws are ignored. */
    config &log(std::int32_t level, std::function<void(std::int32_t level, std::string_view line)> log) {
        using function = std::function<void(std::int32_t, std::string_view)>;
        auto held = std::make_unique<function>(std::move(log));
        auto forward = [](std::int32_t at, const char *line, void *of) {
            try {
                (*static_cast<function *>(of))(at, line);
            } catch (...) {
            }
        };
        auto drop = [](void *of) { delete static_cast<function *>(of); };
        detail::check([&](recto_error **err) {
            return recto_config_set_log(config_.get(), level, forward, held.get(), drop, err);
        });
        held.release();
        return *this;
    }

    /** The handle of the C interface. */
    const recto_config *get() const noexcept { return config_.get(); }

private:
    detail::config_handle config_;
};

/** A client of the service. Without a base URL in the configuration or environment, it uses the embedded service. */
class client {
public:
    /** A client with the settings of the environment. */
    client() : client(config()) {}
    /** A client with these settings. */
    explicit client(const config &config) {
        recto_client *out = nullptr;
        detail::check([&](recto_error **err) { return recto_client_new(config.get(), &out, err); });
        client_.reset(out);
    }
    /** Takes ownership of a handle of the C interface. */
    explicit client(recto_client *owned) : client_(owned) {}

    /** A copy with the time limits, retries, kept files, headers and log of `changes`. It shares the connections.
     * Closing one of the two closes both. */
    client with(const config &changes) const {
        recto_client *out = nullptr;
        detail::check([&](recto_error **err) { return recto_client_with(get(), changes.get(), &out, err); });
        return client(out);
    }

    /** Starts an operation on a document, which is first uploaded unless it is already in the service. */
    template <class Options, class = decltype(Options::operation)>
    recto::operation start(const source &document, const Options &options, const call &settings = {}) const {
        return start(Options::operation, document, options.to_json(), settings);
    }

    /** Starts an operation whose options were set by their names. */
    recto::operation start(const source &document, const recto::options &options, const call &settings = {}) const {
        return start(options.operation_name(), document, options.to_json(), settings);
    }

    /** Starts an operation that is given by its name, with its options as JSON. */
    recto::operation start(const std::string &name, const source &document, const std::string &options_json,
                           const call &settings = {}) const {
        recto_operation *out = nullptr;
        const char *kind = detail::c_text(name), *json = detail::c_text(options_json);
        recto_call *with = settings.get();
        source::reading from{nullptr, &settings.kept()};
        detail::check(
            [&](recto_error **err) {
                if (auto *path = std::get_if<std::filesystem::path>(&document.from_))
                    return recto_start_path(get(), kind, detail::native(*path).c_str(), json, with, &out, err);
                if (auto *id = std::get_if<file_id>(&document.from_))
                    return recto_start(get(), kind, detail::c_text(id->value), json, with, &out, err);
                if (auto *chained = std::get_if<source::chained>(&document.from_))
                    return recto_start_chained(get(), kind, chained->previous, json, with, &out, err);
                if (auto *bytes = std::get_if<source::borrowed>(&document.from_))
                    return recto_start_data(get(), kind, bytes->data, bytes->length, detail::c_text(bytes->name), json, with,
                                            &out, err);
                auto &stream = std::get<source::streamed>(document.from_);
                from.stream = stream.stream;
                return recto_start_stream(get(), kind, source::read, &from, stream.length.value_or(-1),
                                          detail::c_text(stream.name), json, with, &out, err);
            },
            &settings.kept());
        return recto::operation(out);
    }

    /** start() in the background, for any document but a stream. Bytes are copied. */
    template <class Options, class = decltype(Options::operation)>
    task<recto::operation> start_in_background(const source &document, const Options &options,
                                               const call &settings = {}) const {
        return start_in_background(Options::operation, document, options.to_json(), settings);
    }

    /** start_in_background() with options that were set by their names. */
    task<recto::operation> start_in_background(const source &document, const recto::options &options,
                                               const call &settings = {}) const {
        return start_in_background(options.operation_name(), document, options.to_json(), settings);
    }

    /** start_in_background() of an operation that is given by its name, with its options as JSON. */
    task<recto::operation> start_in_background(const std::string &name, const source &document,
                                               const std::string &options_json, const call &settings = {}) const {
        recto_task *out = nullptr;
        const char *kind = detail::c_text(name), *json = detail::c_text(options_json);
        recto_call *with = settings.get();
        auto listener = settings.in_background([&](recto_error **err) {
            if (auto *path = std::get_if<std::filesystem::path>(&document.from_))
                return recto_background_start_path(get(), kind, detail::native(*path).c_str(), json, with, &out, err);
            if (auto *id = std::get_if<file_id>(&document.from_))
                return recto_background_start(get(), kind, detail::c_text(id->value), json, with, &out, err);
            if (auto *chained = std::get_if<source::chained>(&document.from_))
                return recto_background_start_chained(get(), kind, chained->previous, json, with, &out, err);
            if (auto *bytes = std::get_if<source::borrowed>(&document.from_))
                return recto_background_start_data(get(), kind, bytes->data, bytes->length, detail::c_text(bytes->name), json,
                                                   with, &out, err);
            throw invalid_request(RECTO_E_INVALID, "a stream cannot be sent in the background; upload it first");
        });
        return {out, std::move(listener), detail::take_operation};
    }

    /** A whole job in the background: uploads a local file, starts an operation on it, waits, and saves the result as
     * operation::save() does. */
    template <class Options, class = decltype(Options::operation)>
    task<saved> run_in_background(const std::filesystem::path &path, const Options &options,
                                  const std::filesystem::path &save_to, const call &settings = {}) const {
        return run_in_background(Options::operation, path, options.to_json(), save_to, settings);
    }

    /** run_in_background() with options that were set by their names. */
    task<saved> run_in_background(const std::filesystem::path &path, const recto::options &options,
                                  const std::filesystem::path &save_to, const call &settings = {}) const {
        return run_in_background(options.operation_name(), path, options.to_json(), save_to, settings);
    }

    /** run_in_background() of an operation that is given by its name, with its options as JSON. */
    task<saved> run_in_background(const std::string &name, const std::filesystem::path &path,
                                  const std::string &options_json, const std::filesystem::path &save_to,
                                  const call &settings = {}) const {
        recto_task *out = nullptr;
        auto listener = settings.in_background([&](recto_error **err) {
            return recto_background_run(get(), detail::c_text(name), detail::native(path).c_str(),
                                        detail::c_text(options_json), detail::native(save_to).c_str(), settings.get(),
                                        &out, err);
        });
        return {out, std::move(listener), detail::take_saved};
    }

    /** Resumes an operation that was started before, possibly by another process. */
    recto::operation resume(const std::string &token) const {
        recto_operation *out = nullptr;
        detail::check([&](recto_error **err) { return recto_resume(get(), detail::c_text(token), &out, err); });
        return recto::operation(out);
    }

    /** Creates a batch: one operation on many documents. */
    template <class Options, class = decltype(Options::operation)>
    recto::batch batch(const Options &options) const {
        return batch(Options::operation, options.to_json());
    }

    /** Creates a batch whose options were set by their names. */
    recto::batch batch(const recto::options &options) const {
        return batch(options.operation_name(), options.to_json());
    }

    /** Creates a batch of the operation with this name, with its options as JSON. */
    recto::batch batch(const std::string &name, const std::string &options_json) const {
        recto_batch *out = nullptr;
        detail::check([&](recto_error **err) {
            return recto_batch_new(get(), detail::c_text(name), detail::c_text(options_json), &out, err);
        });
        return recto::batch(out);
    }

    /** Uploads a document, and returns its identifier. A file that is already in the service is not uploaded again. */
    file_id upload(const source &document, const call &settings = {}) const {
        char *out = nullptr;
        recto_call *with = settings.get();
        source::reading from{nullptr, &settings.kept()};
        if (auto *id = std::get_if<file_id>(&document.from_))
            return *id;
        if (std::holds_alternative<source::chained>(document.from_))
            throw invalid_request(RECTO_E_INVALID,
                                  "the result of an operation is already in the service; start an operation on it");
        detail::check(
            [&](recto_error **err) {
                if (auto *path = std::get_if<std::filesystem::path>(&document.from_))
                    return recto_upload_path(get(), detail::native(*path).c_str(), with, &out, err);
                if (auto *bytes = std::get_if<source::borrowed>(&document.from_))
                    return recto_upload_data(get(), bytes->data, bytes->length, detail::c_text(bytes->name), with, &out, err);
                auto &stream = std::get<source::streamed>(document.from_);
                from.stream = stream.stream;
                return recto_upload_stream(get(), source::read, &from, stream.length.value_or(-1), detail::c_text(stream.name),
                                           with, &out, err);
            },
            &settings.kept());
        return file_id{detail::text_handle(out).get()};
    }

    /** upload() of a local file in the background. */
    task<file_id> upload_in_background(const std::filesystem::path &path, const call &settings = {}) const {
        recto_task *out = nullptr;
        auto listener = settings.in_background([&](recto_error **err) {
            return recto_background_upload_path(get(), detail::native(path).c_str(), settings.get(), &out, err);
        });
        return {out, std::move(listener), detail::take_file_id};
    }

    /** upload() of bytes, which are copied, as a file `name` in the background. */
    task<file_id> upload_in_background(const void *data, std::size_t length, const std::string &name,
                                       const call &settings = {}) const {
        recto_task *out = nullptr;
        auto listener = settings.in_background([&](recto_error **err) {
            return recto_background_upload_data(get(), data, length, detail::c_text(name), settings.get(), &out, err);
        });
        return {out, std::move(listener), detail::take_file_id};
    }

    /** Makes the service download a document from a URL. */
    file_id upload_url(const std::string &url, const call &settings = {}) const {
        char *out = nullptr;
        detail::check(
            [&](recto_error **err) { return recto_upload_url(get(), detail::c_text(url), settings.get(), &out, err); },
            &settings.kept());
        return file_id{detail::text_handle(out).get()};
    }

    /** Lists the active files: uploads and results, or only results. */
    std::vector<file> files(bool only_result_files = false, const call &settings = {}) const {
        recto_file_list *out = nullptr;
        detail::check(
            [&](recto_error **err) {
                return recto_file_list_get(get(), only_result_files, settings.get(), &out, err);
            },
            &settings.kept());
        return listed(out);
    }

    /** Gets the record of a file. */
    recto::file file_info(const file_id &id, const call &settings = {}) const {
        recto_file *out = nullptr;
        detail::check(
            [&](recto_error **err) { return recto_file_get(get(), detail::c_text(id.value), settings.get(), &out, err); },
            &settings.kept());
        detail::handle<recto_file, recto_file_free> held(out);
        return recto::file::of(held.get());
    }

    /** Deletes a file. Returns the files that the response lists; the interface specification does not define which. */
    std::vector<file> remove(const file_id &id, const call &settings = {}) const {
        recto_file_list *out = nullptr;
        detail::check(
            [&](recto_error **err) {
                return recto_file_delete(get(), detail::c_text(id.value), settings.get(), &out, err);
            },
            &settings.kept());
        return listed(out);
    }

    /** The address of the service. */
    std::string base_url() const { return recto_client_base_url(get()); }
    /** Closes the client: cancels the running calls of all threads, and refuses later ones. */
    void close() const noexcept { recto_client_close(get()); }
    /** The handle of the C interface. */
    const recto_client *get() const noexcept { return client_.get(); }

private:
    static std::vector<file> listed(recto_file_list *out) {
        detail::handle<recto_file_list, recto_file_list_free> held(out);
        std::vector<file> files;
        for (std::size_t at = 0; at < recto_file_list_count(out); at++)
            files.push_back(recto::file::of(recto_file_list_at(out, at)));
        return files;
    }

    detail::client_handle client_;
};

/** An embedded service that is started explicitly, for other programs or for clients with their own settings. */
class local_service {
public:
    /** Starts the service; `options_json` has the options of recto_local_start(). */
    explicit local_service(const std::string &options_json = "{}") {
        recto_local *out = nullptr;
        detail::check([&](recto_error **err) { return recto_local_start(detail::c_text(options_json), &out, err); });
        local_.reset(out);
    }
    /** Starts the service with the log callback of `config`. */
    local_service(const std::string &options_json, const config &config) {
        recto_local *out = nullptr;
        detail::check([&](recto_error **err) {
            return recto_local_start_logged(detail::c_text(options_json), config.get(), &out, err);
        });
        local_.reset(out);
    }

    /** The base URL for clients. */
    std::string base_url() const { return recto_local_base_url(local_.get()); }
    /** The API key for clients. */
    std::string api_key() const { return recto_local_api_key(local_.get()); }

private:
    detail::local_handle local_;
};

} // namespace recto

#endif
