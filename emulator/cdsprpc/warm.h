/* warm.h: DSP processes that are forks of one that has begun. */
#ifndef BUILDTOOL_CDSPRPC_WARM_H
#define BUILDTOOL_CDSPRPC_WARM_H

#include "command.h"

/* Starts the process of `command`; it does not wait for that. */
typedef bool warm_spawn(const struct session *session, const struct command *command, int control,
                        int supervisor);

/* Starts the DSP process of `command` as a fork, if the environment asks for that. Returns false if
 * it has to be started by itself. */
bool warm_start(const struct session *session, const struct command *command, int control,
                int supervisor, warm_spawn *spawn);

#endif
