/**
 * @file recto_options.hpp
 * The options of each operation, typed. Included by recto.hpp.
 *
 * An option that is not set is not sent, and the service uses its default.
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 * Generated from the table of operations: do not edit.
 */
#ifndef RECTO_OPTIONS_HPP
#define RECTO_OPTIONS_HPP

#include <cstdint>
#include <cstdio>
#include <limits>
#include <locale>
#include <optional>
#include <sstream>
#include <string>
#include <type_traits>

namespace recto {

namespace detail {

/** Writes a JSON object, member by member. */
class json_object {
public:
    template <class T>
    void add(const char *name, const std::optional<T> &value) {
        if (value)
            add(name, *value);
    }

    void add(const char *name, const std::string &value) {
        begin(name);
        quote(value);
    }

    template <class T>
    void add(const char *name, const T &value) {
        begin(name);
        if constexpr (std::is_same_v<T, bool>) {
            text_ += value ? "true" : "false";
        } else if constexpr (std::is_enum_v<T>) {
            quote(to_string(value));
        } else if constexpr (std::is_arithmetic_v<T>) {
            std::ostringstream out;
            out.imbue(std::locale::classic());
            out.precision(std::numeric_limits<double>::max_digits10);
            out << value;
            // JSON cannot represent infinity and NaN. As a string, the library refuses them with a message.
            text_ += value == value && value - value == T{} ? out.str() : "\"" + out.str() + "\"";
        } else {
            text_ += value.to_json();
        }
    }

    std::string text() const { return "{" + text_ + "}"; }

private:
    void begin(const char *name) {
        if (!text_.empty())
            text_ += ',';
        quote(name);
        text_ += ':';
    }

    void quote(const std::string &value) {
        text_ += '"';
        for (char letter : value) {
            if (letter == '"' || letter == '\\') {
                text_ += '\\';
                text_ += letter;
            } else if (static_cast<unsigned char>(letter) < 0x20) {
                char escaped[8];
                std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(letter));
                text_ += escaped;
            } else {
                text_ += letter;
            }
        }
        text_ += '"';
    }

    std::string text_;
};

} // namespace detail

