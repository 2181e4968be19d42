// Backends and the operators that they compute.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace vecnet {

using Values = std::vector<std::int32_t>;

const std::vector<std::string> &operators();

class Backend {
  public:
    virtual ~Backend() = default;
    virtual std::string name() const = 0;
    // The operator with the number `op` of a and b, which are of one size.
    virtual Values compute(unsigned op, const Values &a, const Values &b) = 0;
};

std::unique_ptr<Backend> reference();

} // namespace vecnet
