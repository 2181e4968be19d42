#include <algorithm>
#include <array>

#include "answer.h"

namespace {
struct Product {
    virtual int of(int x) const { return x * 7; }
};
}  // namespace

int answer_open(const char *uri, remote_handle64 *handle) {
    (void)uri;
    *handle = 1;
    return 0;
}

int answer_close(remote_handle64 handle) {
    (void)handle;
    return 0;
}

AEEResult answer_get(remote_handle64 handle, int32_t six, int32_t *value) {
    (void)handle;
    const Product product;
    const std::array<int, 3> all{0, product.of(six), 7};
    *value = *std::max_element(all.begin(), all.end());
    return 0;
}
