#include "graph.h"
#ifdef VECNET_HTP
#include "vecnet_htp.h"
#endif

namespace vecnet {

std::vector<std::unique_ptr<Backend>> backends() {
    std::vector<std::unique_ptr<Backend>> all;
    all.push_back(reference());
#ifdef VECNET_HTP
    all.push_back(htp());
#endif
    return all;
}

unsigned differences(const Values &a, const Values &b) {
    unsigned count = a.size() != b.size();
    for (std::size_t i = 0; i < a.size() && i < b.size(); i++)
        count += a[i] != b[i];
    return count;
}

} // namespace vecnet
