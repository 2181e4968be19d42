#include <stdexcept>
#include <string>

#include "answer.h"

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
    try {
        if (six == 6) throw std::runtime_error("six");
        *value = 0;
    } catch (const std::exception &error) {
        *value = std::string(error.what()) == "six" ? 42 : 0;
    }
    return 0;
}
