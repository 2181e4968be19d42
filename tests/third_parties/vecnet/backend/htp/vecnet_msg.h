// What the backend and the skel send each other; the buffers are a, b and the result.
#ifndef VECNET_MSG_H
#define VECNET_MSG_H

#include <stdint.h>

struct vecnet_request {
    uint32_t op;
    uint32_t words;
};

struct vecnet_response {
    int32_t status;
};

#endif
