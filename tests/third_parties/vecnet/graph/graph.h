// The backends of this build.
#pragma once

#include "vecnet.h"

namespace vecnet {

std::vector<std::unique_ptr<Backend>> backends();
unsigned differences(const Values &a, const Values &b);

} // namespace vecnet
