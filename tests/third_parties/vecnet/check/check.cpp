// Compares all backends with the reference.
#include "graph.h"

#include <cstdio>

int main() {
    vecnet::Values a(1024), b(1024);
    for (std::uint32_t i = 0; i < a.size(); i++) {
        a[i] = static_cast<std::int32_t>(i * 2654435761u);
        b[i] = static_cast<std::int32_t>((i * 40503u) & 0x7fffffff);
    }
    bool good = true;
    auto backends = vecnet::backends();
    for (auto &backend : backends) {
        unsigned right = 0, op = 0;
        for (const auto &name : vecnet::operators()) {
            auto expected = backends[0]->compute(op, a, b);
            auto wrong = vecnet::differences(backend->compute(op, a, b), expected);
            if (wrong)
                std::printf("%s: %s: %u wrong\n", backend->name().c_str(), name.c_str(), wrong);
            right += !wrong;
            op++;
        }
        std::printf("%s: %u of %u operators right\n", backend->name().c_str(), right, op);
        good = good && right == op;
    }
    return good ? 0 : 1;
}
