// The C++ runner of the recordings: makes the calls of each scenario and reports their outcomes. The replay server
// compares them; tests/recordings/README.md describes the protocol.
//
//     RECTO_REPLAY=127.0.0.1:PORT recordings
//
// plays all scenarios, and fails unless every one passes.
#include "runner.hpp"

#include <arpa/inet.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <netinet/in.h>
#include <shared_mutex>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace {

// The number of scenarios that run at the same time: more than the machine has cores, since scenarios mostly wait.
constexpr int AT_ONCE = 12;

// The control connection: requests and responses are lines of JSON.
class control {
public:
    explicit control(std::uint16_t port) : end_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        if (end_ < 0 || connect(end_, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
            throw std::runtime_error("cannot connect to the replay server");
    }
    control(const control &) = delete;
    control &operator=(const control &) = delete;
    ~control() { close(end_); }

    json request(const json &request) {
        std::string line = request.dump() + "\n";
        for (std::size_t sent = 0; sent < line.size();) {
            ssize_t now = send(end_, line.data() + sent, line.size() - sent, MSG_NOSIGNAL);
            if (now <= 0)
                throw std::runtime_error("the control connection broke");
            sent += static_cast<std::size_t>(now);
        }
        std::size_t end;
        while ((end = received_.find('\n')) == std::string::npos) {
            char buffer[65536];
            ssize_t now = recv(end_, buffer, sizeof buffer, 0);
            if (now <= 0)
                throw std::runtime_error("the control connection broke");
            received_.append(buffer, static_cast<std::size_t>(now));
        }
        json response = json::parse(received_.substr(0, end));
        received_.erase(0, end + 1);
        if (response.contains("fault"))
            throw std::runtime_error(response["fault"].get<std::string>());
        return response;
    }

private:
    int end_;
    std::string received_;
};

// The environment belongs to the process, so a scenario that changes it is played alone.
std::shared_mutex environment;
std::mutex printing;

bool play_one(control &to, const std::string &id) {
    json run = to.request({{"do", "start"}, {"id", id}});
    json outcome;
    if (run["client"].contains("environment") && !run["client"]["environment"].empty()) {
        std::unique_lock alone(environment);
        outcome = play(run);
    } else {
        std::shared_lock together(environment);
        outcome = play(run);
    }
    json verdict = to.request({{"do", "finish"}, {"run", run["run"]}, {"outcome", outcome}});
    if (!verdict["pass"]) {
        std::lock_guard lock(printing);
        std::cerr << verdict["report"].get<std::string>() << "\n";
    }
    return verdict["pass"];
}

} // namespace

int main() {
    const char *replay = std::getenv("RECTO_REPLAY");
    std::string address = replay == nullptr ? "" : replay;
    if (address.find(':') == std::string::npos) {
        std::cerr << "RECTO_REPLAY is not set: start this with `recto-replay run --`\n";
        return 2;
    }
    auto port = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
    // Clients get all settings explicitly; a scenario sets the variables that it needs.
    for (const char *name : {"RECTO_BASE_URL", "RECTO_API_KEY", "RECTO_TIMEOUT"})
        unsetenv(name);

    auto ids = control(port).request({{"do", "list"}})["scenarios"].get<std::vector<std::string>>();
    std::atomic<std::size_t> next{0}, passed{0};
    std::vector<std::thread> threads;
    for (int count = 0; count < AT_ONCE; count++)
        threads.emplace_back([&] {
            control to(port);
            for (std::size_t at; (at = next++) < ids.size();)
                passed += play_one(to, ids[at]);
        });
    for (std::thread &thread : threads)
        thread.join();
    std::cout << passed << " of " << ids.size() << " scenarios passed" << std::endl;
    return passed == ids.size() ? 0 : 1;
}
