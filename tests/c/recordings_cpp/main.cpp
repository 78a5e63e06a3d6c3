// The C++ runner of the recorded exchanges: makes the calls of each scenario and reports what it got. It compares
// nothing; tests/recordings/README.md is the protocol.
//
//     RECTO_REPLAY=127.0.0.1:PORT recordings
//
// plays all scenarios, and fails unless every one passed.
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

// Scenarios mostly wait: more of them at once than the machine has cores.
constexpr int AT_ONCE = 12;

// The control connection: a line of JSON each way.
class control {
public:
    explicit control(std::uint16_t port) : end_(socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        address.sin_port = htons(port);
        if (end_ < 0 || connect(end_, reinterpret_cast<sockaddr *>(&address), sizeof address) != 0)
            throw std::runtime_error("the replay server cannot be reached");
    }
    control(const control &) = delete;
    control &operator=(const control &) = delete;
    ~control() { close(end_); }

    json ask(const json &request) {
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
        json answer = json::parse(received_.substr(0, end));
        received_.erase(0, end + 1);
        if (answer.contains("fault"))
            throw std::runtime_error(answer["fault"].get<std::string>());
        return answer;
    }

private:
    int end_;
    std::string received_;
};

// The environment is the whole process's: a scenario that changes it is played alone.
std::shared_mutex environment;
std::mutex printing;

bool play_one(control &to, const std::string &id) {
    json run = to.ask({{"do", "start"}, {"id", id}});
    json outcome;
    if (run["client"].contains("environment") && !run["client"]["environment"].empty()) {
        std::unique_lock alone(environment);
        outcome = play(run);
    } else {
        std::shared_lock together(environment);
        outcome = play(run);
    }
    json verdict = to.ask({{"do", "finish"}, {"run", run["run"]}, {"outcome", outcome}});
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
    // Clients are told everything; what a scenario wants in the environment, it says.
    for (const char *name : {"RECTO_BASE_URL", "RECTO_API_KEY", "RECTO_TIMEOUT"})
        unsetenv(name);

    auto ids = control(port).ask({{"do", "list"}})["scenarios"].get<std::vector<std::string>>();
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
