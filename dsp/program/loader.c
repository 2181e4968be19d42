/* loader.c: loads a DSP program, calls its main, and answers the host program. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "AEEStdErr.h"
#include "HAP_power.h"
#include "channel.h"
#include "dsp_program.h"
#include "program.h"

/* A process has one program. */
static struct {
    void *library;
    program_entry *entry;
    int (*main)(int, char **, char **);
    char **arguments, **environment; /* kept: the program may use them as long as it lives */
} program;

static const struct dsp_streams streams = {channel_write, channel_flush, channel_read,
                                           channel_leave};

/* The program may have vector code, and cannot know that it needs power.  A DSP that refuses runs the
 * others. */
static void vote_for_hvx(boolean power_up)
{
    HAP_power_request_t request;

    memset(&request, 0, sizeof request);
    request.type = HAP_power_set_HVX;
    request.hvx.power_up = power_up;
    HAP_power_set(&program, &request);
}

int dsp_program_open(const char *uri, remote_handle64 *handle)
{
    (void)uri;
    channel_init();
    vote_for_hvx(TRUE);
    *handle = (remote_handle64)(uintptr_t)&program;
    return AEE_SUCCESS;
}

int dsp_program_close(remote_handle64 handle)
{
    (void)handle; /* the library stays: its threads may be running */
    vote_for_hvx(FALSE);
    return AEE_SUCCESS;
}

AEEResult dsp_program_load(remote_handle64 handle, const char *library, uint8 *problem,
                           int problem_room, uint32 *used)
{
    const char *reason = NULL;

    (void)handle;
    *used = 0;
    program.library = dlopen(library, RTLD_NOW);
    if (program.library == NULL) {
        reason = dlerror();
        reason = reason == NULL ? "it cannot be loaded" : reason;
    } else {
        *(void **)&program.entry = dlsym(program.library, PROGRAM_ENTRY);
        *(void **)&program.main = dlsym(program.library, "main");
        if (program.entry == NULL && program.main == NULL)
            reason = "it exports no main";
    }
    if (reason != NULL) {
        snprintf((char *)problem, (size_t)problem_room, "%s", reason);
        *used = (uint32)strlen((const char *)problem);
    }
    return AEE_SUCCESS;
}

/* The texts in `bytes`, of which each ends with a NUL, and NULL at their end; *count is their number.
 * Returns NULL without memory. */
static char **texts(const uint8 *bytes, int size, int *count)
{
    size_t number = 0;

    for (int i = 0; i < size; i++)
        number += bytes[i] == 0;
    char **found = malloc((number + 1) * sizeof *found + (size_t)size);
    if (found == NULL)
        return NULL;
    char *text = (char *)(found + number + 1);
    if (size > 0)
        memcpy(text, bytes, (size_t)size);
    for (size_t i = 0; i < number; i++, text += strlen(text) + 1)
        found[i] = text;
    found[number] = NULL;
    *count = (int)number;
    return found;
}

AEEResult dsp_program_run(remote_handle64 handle, const uint8 *arguments, int arguments_size,
                          const uint8 *environment, int environment_size, int32 *status)
{
    int count = 0, variables = 0;

    (void)handle;
    program.arguments = texts(arguments, arguments_size, &count);
    program.environment = texts(environment, environment_size, &variables);
    if (program.arguments == NULL || program.environment == NULL)
        return AEE_ENOMEMORY;
    if (program.entry != NULL)
        *status = program.entry(&streams, count, program.arguments, program.environment);
    else if (program.main != NULL)
        *status = program.main(count, program.arguments, program.environment);
    else
        return AEE_EBADSTATE;
    channel_flush();
    channel_end();
    return AEE_SUCCESS;
}

AEEResult dsp_program_next(remote_handle64 handle, int32 *event, int32 *status, uint8 *data,
                           int room, uint32 *used)
{
    (void)handle;
    *event = channel_next(status, data, room, used);
    return AEE_SUCCESS;
}

AEEResult dsp_program_input(remote_handle64 handle, const uint8 *data, int size)
{
    (void)handle;
    channel_input(data, (size_t)size);
    return AEE_SUCCESS;
}
