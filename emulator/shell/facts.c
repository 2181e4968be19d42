/* facts.c: the properties of the device and of the client that libcdsprpc passes to this
 * process. */
#include <stdlib.h>
#include <string.h>

#include "core.h"

static struct shell_facts facts = {
    .soc = "unknown",
    .arch = 0x68,
    .hvx_units = 1,
    .hw_threads = 4,
    .unsigned_pd = true,
    .domain = 3,
    .thread_priority = 192,
    .stack_bytes = 16384,
    .hmx_unit = "",
    .state = "",
    .reports = "",
    .counts = "",
    .trace = "",
    .profile = "",
    .farf = "",
    .levels = UINT32_MAX,
};

const struct shell_facts *shell_facts(void)
{
    return &facts;
}

static void fact(const char *key, size_t key_size, const char *value)
{
#define IS(name) (key_size == sizeof(name) - 1 && memcmp(key, name, key_size) == 0)
    uint32_t number = (uint32_t)strtoul(value, NULL, 0);
    if (IS("soc")) {
        facts.soc = value;
    } else if (IS("arch")) {
        facts.arch = number;
    } else if (IS("vtcm_bytes")) {
        facts.vtcm_bytes = number;
    } else if (IS("hvx_units")) {
        facts.hvx_units = number;
    } else if (IS("hw_threads")) {
        facts.hw_threads = number;
    } else if (IS("hmx")) {
        facts.hmx = number;
    } else if (IS("hmx_unit")) {
        facts.hmx_unit = value;
    } else if (IS("unsigned_pd")) {
        facts.unsigned_pd = number != 0;
    } else if (IS("domain")) {
        facts.domain = (int)number;
    } else if (IS("session")) {
        facts.session = number;
    } else if (IS("client_pid")) {
        facts.client_pid = number;
    } else if (IS("priority")) {
        facts.thread_priority = (int)number;
    } else if (IS("stack")) {
        facts.stack_bytes = number;
    } else if (IS("measure_stack")) {
        facts.measure_stack = number != 0;
    } else if (IS("heap_bytes")) {
        facts.heap_bytes = number;
    } else if (IS("strict")) {
        facts.strict = strcmp(value, "front") == 0  ? STRICT_FRONT
                       : strcmp(value, "back") == 0 ? STRICT_BACK
                                                    : STRICT_OFF;
    } else if (IS("fills_outputs")) {
        facts.fills_outputs = number != 0;
    } else if (IS("debug")) {
        facts.debug = number != 0;
    } else if (IS("state")) {
        facts.state = value;
    } else if (IS("reports")) {
        facts.reports = value;
    } else if (IS("counts")) {
        facts.counts = value;
    } else if (IS("trace")) {
        facts.trace = value;
    } else if (IS("profile")) {
        facts.profile = value;
    } else if (IS("farf")) {
        facts.farf = value;
    } else if (IS("levels")) {
        facts.levels = number;
    }
#undef IS
}

void facts_set(int count, char **arguments)
{
    for (int i = 0; i < count; i++) {
        const char *equals = strchr(arguments[i], '=');
        if (equals != NULL) {
            fact(arguments[i], (size_t)(equals - arguments[i]), equals + 1);
        }
    }
}
