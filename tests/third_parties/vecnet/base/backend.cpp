#include "vecnet.h"

#include <algorithm>
#include <functional>

namespace vecnet {
namespace {

using Word = std::int32_t;
using Operator = std::function<std::int64_t(std::int64_t, std::int64_t)>;

std::int64_t saturated(std::int64_t value) {
    return std::clamp<std::int64_t>(value, INT32_MIN, INT32_MAX);
}

const std::pair<const char *, Operator> TABLE[] = {
    {"add", [](auto a, auto b) { return a + b; }},
    {"sub", [](auto a, auto b) { return a - b; }},
    {"min", [](auto a, auto b) { return std::min(a, b); }},
    {"max", [](auto a, auto b) { return std::max(a, b); }},
    {"and", [](auto a, auto b) { return a & b; }},
    {"or", [](auto a, auto b) { return a | b; }},
    {"xor", [](auto a, auto b) { return a ^ b; }},
    {"average", [](auto a, auto b) { return (a + b) >> 1; }},
    {"half_difference", [](auto a, auto b) { return (a - b) >> 1; }},
    {"add_saturated", [](auto a, auto b) { return saturated(a + b); }},
    {"sub_saturated", [](auto a, auto b) { return saturated(a - b); }},
    {"absolute", [](auto a, auto) { return a < 0 ? -a : a; }},
    {"negate", [](auto a, auto) { return -a; }},
    {"not", [](auto a, auto) { return ~a; }},
    {"relu", [](auto a, auto) { return a < 0 ? 0 : a; }},
    {"shift_left", [](auto a, auto) { return a * 8; }},
    {"shift_right", [](auto a, auto) { return a >> 3; }},
    {"greater", [](auto a, auto b) { return a > b ? -1 : 0; }},
    {"clamp", [](auto a, auto b) { return a > b ? b : a < -b ? -b : a; }},
    {"multiply", [](auto a, auto b) { return a * (b & 0x7fff); }},
};

class Reference : public Backend {
  public:
    std::string name() const override { return "reference"; }
    Values compute(unsigned op, const Values &a, const Values &b) override {
        Values result(a.size());
        std::transform(a.begin(), a.end(), b.begin(), result.begin(), [op](Word x, Word y) {
            return static_cast<Word>(TABLE[op].second(x, y));
        });
        return result;
    }
};

} // namespace

const std::vector<std::string> &operators() {
    static const auto names = [] {
        std::vector<std::string> all;
        for (const auto &row : TABLE)
            all.emplace_back(row.first);
        return all;
    }();
    return names;
}

std::unique_ptr<Backend> reference() { return std::make_unique<Reference>(); }

} // namespace vecnet
