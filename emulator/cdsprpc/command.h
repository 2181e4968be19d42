/* command.h: the command line of the DSP process. */
#ifndef BUILDTOOL_CDSPRPC_COMMAND_H
#define BUILDTOOL_CDSPRPC_COMMAND_H

#include "config.h"
#include "session.h"

#define COMMAND_ARGUMENTS_MAX 40
#define COMMAND_TEXT_MAX 6144

struct command {
    char text[COMMAND_TEXT_MAX];
    size_t used;
    char *arguments[COMMAND_ARGUMENTS_MAX]; /* the last one stays NULL */
    int count;
    bool is_full;
};

/* Returns false and writes a message when the command line is too long. */
bool command_compose(struct command *command, const struct session *session,
                     const struct config *config);

#endif
