// Compresses argv[1] to argv[2], in C++.
#include <iostream>
#include <recto.hpp>

int main(int count, char **arguments) {
    try {
        recto::client client;
        std::cout << client.start(arguments[1], recto::optimize_options{}).save(arguments[count - 1]) << std::endl;
    } catch (const recto::error &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
