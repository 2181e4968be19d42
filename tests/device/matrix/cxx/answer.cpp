#include <atomic>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Part {
    virtual ~Part() = default;
};
struct Six : Part {
    int value = 6;
};

static int six(const Part &part) { return dynamic_cast<const Six &>(part).value; }

int main() {
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 6; i++) threads.emplace_back([&] { sum += six(Six{}); });
    for (auto &thread : threads) thread.join();
    try {
        six(Part{});
    } catch (const std::bad_cast &) {
        sum += 6;
    }
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &error) {
        if (std::string(error.what()) == "thrown") std::cout << sum << std::endl;
    }
}
