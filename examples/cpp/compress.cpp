// Compresses a PDF and shows the progress: compress IN.pdf OUT.pdf
//
//     c++ -std=c++17 compress.cpp $(pkg-config --cflags --libs recto) -o compress
#include <iostream>
#include <recto.hpp>

int main(int count, char **arguments) {
    if (count != 3) {
        std::cerr << "usage: " << arguments[0] << " IN.pdf OUT.pdf\n";
        return 2;
    }
    try {
        recto::client client;
        recto::optimize_options options;
        options.profile = recto::profile::web;
        recto::call call;
        call.on_progress([](const recto::progress &now) {
            std::cerr << recto_phase_name(now.phase) << " " << now.done << "\n";
            return true;
        });
        std::cout << client.start(arguments[1], options, call).save(arguments[2], call).string() << "\n";
    } catch (const recto::error &error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
