/* hmx.c: executes the instructions of HMX: hmx_unit, a native program, computes them. */
#define _GNU_SOURCE
#include "hmx.h"

#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../hmx/forms.h"
#include "../hmx/unit.h"
#include "counts.h"
#include "runtime/hmx_lock.h"
#include "runtime/runtime.h"
#include "runtime/vtcm.h"

#define ARGUMENT_MAX 12

static int to_unit = -1, from_unit = -1;

/* Starts the unit. Its ends of the pipes are its standard input and output. */
static void start_unit(void)
{
    const struct shell_facts *facts = shell_facts();
    const uint32_t mode = facts->hmx | (facts->strict != STRICT_OFF ? HMX_STRICT : 0);
    const uint32_t values[] = {facts->arch, (uint32_t)(uintptr_t)vtcm_base(), vtcm_total(),
                               (uint32_t)vtcm_fd(), mode};
    char texts[sizeof values / sizeof *values][ARGUMENT_MAX];
    char *arguments[sizeof values / sizeof *values + 2] = {(char *)(uintptr_t)facts->hmx_unit};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        snprintf(texts[i], sizeof texts[i], "%u", (unsigned)values[i]);
        arguments[i + 1] = texts[i];
    }
    int requests[2], replies[2];
    posix_spawn_file_actions_t actions;
    pid_t child;
    char *const environment[] = {NULL};
    if (vtcm_fd() >= 0 && pipe2(requests, O_CLOEXEC) == 0 && pipe2(replies, O_CLOEXEC) == 0 &&
        posix_spawn_file_actions_init(&actions) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, requests[0], STDIN_FILENO) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, replies[1], STDOUT_FILENO) == 0 &&
        posix_spawn(&child, facts->hmx_unit, &actions, NULL, arguments, environment) == 0) {
        close(requests[0]);
        close(replies[1]);
        to_unit = requests[1];
        from_unit = replies[0];
    }
}

/* Executes a request. If the packet must not be executed, the reply says why. */
static void execute(const struct hmx_request *request, struct hmx_reply *reply)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, start_unit);
    const bool sent = write(to_unit, request, sizeof *request) == sizeof *request;
    hmx_look_for_input(from_unit);
    if (!sent || read(from_unit, reply, sizeof *reply) != sizeof *reply) {
        die("%s, the program that computes HMX, does not run", shell_facts()->hmx_unit);
    }
}

void hmx_packet(uint32_t rs0, uint32_t rt0, uint32_t rs1, uint32_t rt1, uint32_t forms)
{
    struct hmx_reply reply;
    struct hmx_request request = {
        .forms = {forms & 0xffffu, forms >> 16},
        .registers = {rs0, rt0, rs1, rt1},
    };
    __asm__ volatile("%0 = usr" : "=r"(request.usr));
    if (!hmx_is_locked(&request.turn)) {
        shell_stop("hmx", 0,
                   "an instruction of HMX in a thread that has not locked HMX, with "
                   "HAP_compute_res_hmx_lock");
    }
    if (shell_facts()->strict != STRICT_OFF && !hmx_is_powered()) {
        shell_stop(
            "hmx", 0,
            "an instruction of HMX without a vote for its power, with HAP_power_set, which can "
            "hang a DSP");
    }
    counts_pause();
    execute(&request, &reply);
    counts_resume();
    if (reply.text[0] != 0) {
        shell_stop("hmx", reply.address, reply.text);
    }
}
