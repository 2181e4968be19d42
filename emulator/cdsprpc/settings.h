/* settings.h: what clients request before a session starts. */
#ifndef BUILDTOOL_CDSPRPC_SETTINGS_H
#define BUILDTOOL_CDSPRPC_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cdsprpc.h"

struct settings {
    bool unsigned_module;
    bool reserved;
    int priority;   /* 1 to 255 */
    int stack_size; /* bytes */
};

struct settings settings_of(int effective);
/* Requests a signed or an unsigned process. */
void settings_unsigned(int effective, bool enable);
int settings_threads(int effective, int priority, int stack_size);
int settings_reserve(int domain, uint32_t *session);

#endif
