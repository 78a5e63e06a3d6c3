// What the files of the C++ runner of the recorded exchanges share.
#ifndef RUNNER_HPP
#define RUNNER_HPP

#include <nlohmann/json.hpp>
#include <recto.hpp>

using json = nlohmann::json;

/// Makes a scenario's calls; `prepared` is what the replay server answered to `start`. Returns the outcome to report.
json play(const json &prepared);

#endif
