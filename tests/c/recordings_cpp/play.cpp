// Plays one scenario: creates its client, makes its calls, and reports their outcomes.
#include "runner.hpp"

#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

namespace {

using std::chrono::milliseconds;

// Calls a function on another thread after a delay, unless it is destroyed before.
class timer {
public:
    timer(milliseconds after, std::function<void()> act)
        : thread_([this, after, act = std::move(act)] {
              std::unique_lock lock(mutex_);
              if (!changed_.wait_for(lock, after, [this] { return stopped_; }))
                  act();
          }) {}
    timer(const timer &) = delete;
    timer &operator=(const timer &) = delete;
    ~timer() {
        {
            std::lock_guard lock(mutex_);
            stopped_ = true;
        }
        changed_.notify_one();
        thread_.join();
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool stopped_ = false;
    std::thread thread_;
};

// The names of the client's settings in the scenarios and in the C interface.
const std::map<std::string, std::string> SETTINGS = {
    {"baseUrl", "base_url"},
    {"apiKey", "api_key"},
    {"timeoutMs", "timeout_ms"},
    {"connectTimeoutMs", "connect_timeout_ms"},
    {"stallTimeoutMs", "stall_timeout_ms"},
    {"waitTimeoutMs", "wait_timeout_ms"},
    {"retries", "retries"},
    {"retryUnknown", "retry_unknown"},
    {"allowHttp", "allow_http"},
    {"proxy", "proxy"},
    {"caBundle", "ca_bundle"},
    {"clientCertificate", "client_certificate"},
    {"userAgent", "user_agent"},
    {"jsonLimit", "json_limit"},
};

// JSON null for a missing value.
template <class T>
json nullable(const std::optional<T> &value) {
    return value ? json(*value) : json();
}

json record(const recto::file &file) {
    return {{"id", file.id},
            {"createdAt", nullable(file.created_at)},
            {"origin", nullable(file.origin)},
            {"name", nullable(file.name)},
            {"extension", nullable(file.extension)}};
}

json records(const std::vector<recto::file> &files) {
    json list = json::array();
    for (const recto::file &file : files)
        list.push_back(record(file));
    return {{"files", list}};
}

// The name of an error class in the scenarios.
std::string kind_of(const recto::error &error) {
#define KIND(type, name)                                                                                               \
    if (dynamic_cast<const recto::type *>(&error) != nullptr)                                                          \
        return name;
    KIND(config_error, "ConfigError")
    KIND(invalid_request, "InvalidRequest")
    KIND(auth_error, "AuthError")
    KIND(permission_denied, "PermissionDenied")
    KIND(not_found, "NotFound")
    KIND(rate_limited, "RateLimited")
    KIND(payload_too_large, "PayloadTooLarge")
    KIND(server_error, "ServerError")
    KIND(transport_error, "TransportError")
    KIND(request_timeout, "RequestTimeout")
    KIND(wait_timeout, "WaitTimeout")
    KIND(operation_failed, "OperationFailed")
    KIND(outcome_unknown, "OutcomeUnknown")
    KIND(protocol_error, "ProtocolError")
    KIND(cancelled, "Cancelled")
    KIND(io_error, "IoError")
#undef KIND
    return recto_status_name(error.status());
}

class runner {
public:
    explicit runner(const json &settings) : settings_(settings) {}

    // Makes one call and reports its result or its error.
    json run_step(const json &call) {
        json step, progress = json::array();
        auto began = std::chrono::steady_clock::now();
        try {
            step["ok"] = make(call, progress);
        } catch (const recto::error &error) {
            step["error"] = error_report(error);
        }
        auto elapsed = std::chrono::steady_clock::now() - began;
        step["elapsedMs"] = std::chrono::duration_cast<milliseconds>(elapsed).count();
        if (call.value("progress", false))
            step["progress"] = progress;
        return step;
    }

    std::string log() {
        std::lock_guard lock(log_lock_);
        return log_;
    }

private:
    void note(std::string_view line) {
        std::lock_guard lock(log_lock_);
        log_.append(line).append("\n");
    }

    void connect(const std::optional<std::string> &base_url) {
        json environment = settings_.value("environment", json::object());
        for (auto &[name, value] : environment.items())
            setenv(name.c_str(), value.get<std::string>().c_str(), 1);
        // The variables are restored, even if no client was created.
        struct restored {
            json &names;
            ~restored() {
                for (auto &[name, value] : names.items())
                    unsetenv(name.c_str());
            }
        } restored{environment};
        recto::config config = configured(settings_);
        if (base_url)
            config.base_url(*base_url);
        client_.emplace(config);
        note(client_->base_url());
    }

    recto::config configured(const json &settings) {
        recto::config config;
        config.log(RECTO_LOG_TRACE, [this](std::int32_t, std::string_view line) { note(line); });
        for (auto &[name, value] : settings.items())
            if (auto known = SETTINGS.find(name); known != SETTINGS.end())
                config.set(known->second, value.is_string() ? value.get<std::string>() : value.dump());
        json headers = settings.value("headers", json::object());
        for (auto &[name, value] : headers.items())
            config.header(name, value);
        return config;
    }

    json make(const json &call, json &progress) {
        if (call["op"] == "newClient") {
            operation_.reset();
            client_.reset();
            connect(text(call, "baseUrl"));
            return json::object();
        }
        if (!client_)
            connect({});
        recto::cancel cancel;
        recto::call settings;
        settings.cancel(cancel).force(call.value("force", false)).overwrite(call.value("overwrite", true));
        settings.delete_after(call.value("deleteAfter", false)).unchecked(call["op"] == "run");
        json headers = call.value("headers", json::object());
        for (auto &[name, value] : headers.items())
            settings.header(name, value);
        if (call.contains("extraOptions"))
            settings.extra_options(call["extraOptions"].dump());
        settings.on_progress([&](const recto::progress &now) {
            std::string phase = recto_phase_name(now.phase);
            progress.push_back({{"phase", phase}, {"done", now.done}, {"total", nullable(now.total)}});
            return call.value("stopAtPhase", "") != phase;
        });
        if (call.contains("timeoutMs"))
            settings.timeout(milliseconds(call["timeoutMs"].get<std::int64_t>()));
        if (call.contains("waitTimeoutMs"))
            settings.wait_timeout(milliseconds(call["waitTimeoutMs"].get<std::int64_t>()));
        std::optional<timer> canceller, closer;
        if (call.contains("cancelAfterMs"))
            canceller.emplace(milliseconds(call["cancelAfterMs"].get<std::int64_t>()), [&] { cancel.trigger(); });
        if (call.contains("closeAfterMs"))
            closer.emplace(milliseconds(call["closeAfterMs"].get<std::int64_t>()), [&] { client_->close(); });
        return perform(call, settings);
    }

    json perform(const json &call, const recto::call &settings) {
        const std::string op = call["op"];
        auto id = [&] { return recto::file_id{call["fileId"]}; };
        if (op == "upload")
            return with_source(call, [&](const recto::source &from) {
                return json{{"fileId", client_->upload(from, settings).value}};
            });
        if (op == "uploadUrl")
            return {{"fileId", client_->upload_url(call["url"], settings).value}};
        if (op == "list")
            return records(client_->files(call.value("onlyResultFiles", false), settings));
        if (op == "get")
            return record(client_->file_info(id(), settings));
        if (op == "delete")
            return records(client_->remove(id(), settings));
        if (op == "start" || op == "run")
            return with_source(call, [&](const recto::source &from) {
                std::string options = call.contains("options") ? call["options"].dump() : "null";
                return started(client_->start(call["operation"], from, options, settings));
            });
        if (op == "resume")
            return started(client_->resume(call.value("token", token_)));
        if (op == "status")
            return {{"status", operation_->status(settings)}};
        if (op == "wait") {
            result_ = operation_->wait(settings);
            return waited(*result_);
        }
        if (op == "save")
            return {{"path", operation_->save(call["to"].get<std::string>(), settings).string()}};
        if (op == "read") {
            std::vector<std::byte> bytes = operation_->read(settings);
            std::ofstream(call["to"].get<std::string>(), std::ios::binary)
                .write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
            return {{"bytes", bytes.size()}};
        }
        if (op == "writeTo") {
            std::ostringstream content;
            std::uint64_t length = operation_->write_to(content, settings);
            std::ofstream(call["to"].get<std::string>(), std::ios::binary) << content.str();
            return {{"bytes", length}};
        }
        if (op == "token") {
            token_ = operation_->token();
            return {{"token", token_}};
        }
        if (op == "deleteOperation") {
            operation_->remove(settings);
            return json::object();
        }
        if (op == "close") {
            client_->close();
            return json::object();
        }
        if (op == "withOptions") {
            client_ = client_->with(configured(call["changes"]));
            return json::object();
        }
        throw std::logic_error("unknown op " + op);
    }

    // Keeps the source valid during the call.
    json with_source(const json &call, const std::function<json(const recto::source &)> &use) const {
        const std::string from = call["from"];
        if (from == "operation")
            return use(*operation_);
        if (from == "result")
            return use(*result_);
        if (from == "path")
            return use(call["file"].get<std::string>());
        if (from == "fileId")
            return use(recto::file_id{call["fileId"]});
        const std::string path = call["file"], name = call["name"];
        std::ifstream file(path, std::ios::binary);
        if (from == "bytes") {
            std::string bytes(std::istreambuf_iterator<char>(file), {});
            return use(recto::source::bytes(bytes, name));
        }
        std::optional<std::int64_t> length;
        if (from == "sizedReader")
            length = static_cast<std::int64_t>(std::filesystem::file_size(path));
        return use(recto::source::stream(file, name, length));
    }

    json started(recto::operation operation) {
        json ok = {{"operationId", operation.id()}, {"operation", operation.name()}, {"operationType", operation.type()}};
        operation_.emplace(std::move(operation));
        return ok;
    }

    static json waited(const recto::result &result) {
        json ok = {{"operationType", result.operation_type}, {"status", result.status}, {"raw", json::parse(result.json)}};
        if (result.output)
            ok["output"] = {{"fileId", nullable(result.output->file_id)},
                            {"name", nullable(result.output->name)},
                            {"url", nullable(result.output->url)}};
        if (result.validation)
            ok["validation"] = {{"isConforming", nullable(result.validation->is_conforming)},
                                {"errors", result.validation->errors},
                                {"conformance", nullable(result.validation->conformance)}};
        return ok;
    }

    json error_report(const recto::error &error) {
        json fields = {{"code", nullable(error.code())},
                       {"title", nullable(error.title())},
                       {"detail", nullable(error.detail())},
                       {"requestId", nullable(error.request_id())},
                       {"operationId", nullable(error.operation_id())},
                       {"method", nullable(error.method())},
                       {"url", nullable(error.url())},
                       {"body", nullable(error.body())},
                       {"token", nullable(error.token())},
                       {"attempts", error.attempts()},
                       {"retryable", error.is_retryable()}};
        if (error.http_status() != 0)
            fields["status"] = error.http_status();
        if (error.phase() != 0)
            fields["phase"] = recto_phase_name(error.phase());
        if (auto after = error.retry_after())
            fields["retryAfterMs"] = after->count();
        token_ = error.token().value_or(token_);
        note(error.what());
        note(fields.dump());
        return {{"kind", kind_of(error)}, {"message", error.what()}, {"fields", fields}};
    }

    static std::optional<std::string> text(const json &call, const char *name) {
        return call.contains(name) ? std::optional(call[name].get<std::string>()) : std::nullopt;
    }

    json settings_;
    std::mutex log_lock_;
    std::string log_;
    std::optional<recto::client> client_;
    std::optional<recto::operation> operation_;
    std::optional<recto::result> result_;
    std::string token_;
};

} // namespace

json play(const json &prepared) {
    runner runner(prepared["client"]);
    json steps = json::array();
    for (const json &call : prepared["calls"])
        steps.push_back(runner.run_step(call));
    return {{"steps", steps}, {"log", runner.log()}};
}
