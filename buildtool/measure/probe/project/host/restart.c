/* restart.c: what a crash on the DSP leaves of the others, who are processes of their own. */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "AEEStdErr.h"
#include "checks.h"

enum { CRASHES, COMES_LATER };

static struct {
    pid_t process;
    int start; /* of a pipe: it begins at the end of that */
} others[2];

/* Returns the exit status of the process: 0 if what is expected has happened. */
static int act(int who)
{
    remote_handle64 handle = 0;
    int32_t arch, units;

    if (freopen("/dev/null", "w", stdout) == NULL || open_skel(&handle) != 0)
        return 2;
    if (who == CRASHES)
        return device_probe_crash(handle) == 0;
    return device_probe_info(handle, &arch, &units) != 0;
}

int prepare_restart(void)
{
    for (int who = 0; who < 2; who++) {
        int ends[2];
        char byte;

        if (pipe(ends) != 0)
            return AEE_EFAILED;
        others[who].start = ends[1];
        others[who].process = fork();
        if (others[who].process < 0)
            return AEE_EFAILED;
        if (others[who].process == 0) {
            for (int i = 0; i <= who; i++)
                close(others[i].start);
            while (read(ends[0], &byte, 1) > 0)
                ;
            _exit(act(who));
        }
        close(ends[0]);
    }
    return 0;
}

/* Lets the process begin; returns its exit status, or -1. */
static int status_of(int who)
{
    int status;

    close(others[who].start);
    begin_step(who == CRASHES ? "a crash in another process" : "a session after a crash");
    return waitpid(others[who].process, &status, 0) > 0 && WIFEXITED(status) ? WEXITSTATUS(status)
                                                                             : -1;
}

int check_restart(remote_handle64 handle)
{
    int32_t arch, units;
    int code;

    printf("crash %d\n", status_of(CRASHES));
    begin_step("a call after a crash in another process");
    code = device_probe_info(handle, &arch, &units);
    printf("survives %d\n", code == 0);
    printf("again %d\n", status_of(COMES_LATER));
    return 0;
}
