#pragma once

#include "vecnet.h"

namespace vecnet {

std::unique_ptr<Backend> htp();

} // namespace vecnet
