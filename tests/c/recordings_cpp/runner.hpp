// Declarations that the files of the C++ runner of the recordings share.
#ifndef RUNNER_HPP
#define RUNNER_HPP

#include <nlohmann/json.hpp>
#include <recto.hpp>

using json = nlohmann::json;

/// Makes the calls of a scenario; `prepared` is the response of the replay server to `start`. Returns the outcome to
/// report.
json play(const json &prepared);

#endif
