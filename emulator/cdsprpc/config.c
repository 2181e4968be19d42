/* config.c: reads the configuration of the emulated device, etc/buildtool-sim.conf in its root.
 *
 * Each line is key=value, or a comment that begins with `#`. qemu looks for a guest's files in the
 * device root first, so /etc/buildtool-sim.conf is the file in that root. BUILDTOOL_SIM_CONF names
 * another file. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"
#include "uri.h"

#define DEFAULT_PATH "/etc/buildtool-sim.conf"
/* An assumption: no source is known, and devices are reported to have a few hundred MiB. */
#define HEAP_BYTES (512u << 20)
#define ARCH_OF_DEVICE UINT32_MAX
#define REMEDY "buildtool creates this file in the directory of an emulated device"

static bool text_value(char *to, size_t room, const char *value)
{
    if (strlen(value) >= room) {
        return false;
    }
    memcpy(to, value, strlen(value) + 1);
    return true;
}

static bool number_value(uint32_t *to, const char *value, int base)
{
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, base);
    *to = (uint32_t)number;
    return errno == 0 && end != value && *end == 0 && number <= UINT32_MAX && value[0] != '-';
}

static bool switch_value(bool *to, const char *value)
{
    *to = strcmp(value, "1") == 0;
    return *to || strcmp(value, "0") == 0;
}

/* Parses the list of the device's DSPs, such as "cdsp" or "cdsp:73,adsp:66". */
static bool domains_value(uint32_t *archs, const char *value)
{
    memset(archs, 0, DOMAINS * sizeof *archs);
    while (*value != 0) {
        size_t length = strcspn(value, ":,");
        int domain = domain_by_name(value, length);
        if (domain < 0) {
            return false;
        }
        value += length;
        archs[domain] = ARCH_OF_DEVICE;
        if (*value == ':') {
            char *end;
            archs[domain] = (uint32_t)strtoul(value + 1, &end, 16);
            if (end == value + 1 || archs[domain] == 0 || (*end != ',' && *end != 0)) {
                return false;
            }
            value = end;
        }
        value += *value == ',';
    }
    return true;
}

static bool key_value(struct config *config, const char *key, const char *value)
{
    if (strcmp(key, "soc") == 0) {
        return text_value(config->soc, sizeof config->soc, value);
    }
    if (strcmp(key, "arch") == 0) {
        /* the digits of v68 are those of 0x68, the number that the DSP reports */
        return number_value(&config->arch, value[0] == 'v' ? value + 1 : value, 16);
    }
    if (strcmp(key, "vtcm_bytes") == 0) {
        return number_value(&config->vtcm_bytes, value, 0);
    }
    if (strcmp(key, "heap_bytes") == 0) {
        return number_value(&config->heap_bytes, value, 0);
    }
    if (strcmp(key, "hvx_units") == 0) {
        return number_value(&config->hvx_units, value, 0);
    }
    if (strcmp(key, "hw_threads") == 0) {
        return number_value(&config->hw_threads, value, 0);
    }
    if (strcmp(key, "hmx") == 0) {
        return number_value(&config->hmx, value, 0);
    }
    if (strcmp(key, "hmx_unit") == 0) {
        return text_value(config->hmx_unit, sizeof config->hmx_unit, value);
    }
    if (strcmp(key, "unsigned_pd") == 0) {
        return switch_value(&config->unsigned_pd, value);
    }
    if (strcmp(key, "testsig") == 0) {
        return switch_value(&config->testsig, value);
    }
    if (strcmp(key, "domains") == 0) {
        return domains_value(config->archs, value);
    }
    if (strcmp(key, "qemu") == 0) {
        return text_value(config->qemu, sizeof config->qemu, value);
    }
    if (strcmp(key, "qemu_cpu") == 0) {
        return text_value(config->qemu_cpu, sizeof config->qemu_cpu, value);
    }
    if (strcmp(key, "shell") == 0) {
        return text_value(config->shell, sizeof config->shell, value);
    }
    if (strcmp(key, "state") == 0) {
        return text_value(config->state, sizeof config->state, value);
    }
    return true; /* ignored: a newer buildtool may write it */
}

static bool line_read(struct config *config, char *line, const char *path, int number)
{
    line[strcspn(line, "\r\n")] = 0;
    if (line[0] == 0 || line[0] == '#') {
        return true;
    }
    char *equals = strchr(line, '=');
    if (equals == NULL) {
        log_message("%s, line %d: '%s' is not key=value", path, number, line);
        return false;
    }
    *equals = 0;
    if (!key_value(config, line, equals + 1)) {
        log_message("%s, line %d: %s cannot be '%s'", path, number, line, equals + 1);
        return false;
    }
    return true;
}

/* Sets the default directory for lock files of the device: the one with the configuration file. */
static void state_default(struct config *config, FILE *file)
{
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fileno(file));
    ssize_t length = readlink(link, config->state, sizeof config->state - 1);
    config->state[length < 0 ? 0 : length] = 0;
    char *slash = strrchr(config->state, '/');
    if (slash != NULL) {
        *slash = 0;
    }
}

static bool complete(const struct config *config, const char *path)
{
    const char *missing = config->arch == 0       ? "arch"
                          : config->qemu[0] == 0  ? "qemu"
                          : config->shell[0] == 0 ? "shell"
                                                  : NULL;
    if (missing != NULL) {
        log_message("%s has no line %s=...; " REMEDY, path, missing);
    }
    return missing == NULL;
}

static bool config_read(struct config *config)
{
    const char *path = getenv("BUILDTOOL_SIM_CONF");
    path = path == NULL || path[0] == 0 ? DEFAULT_PATH : path;
    FILE *file = fopen(path, "re");
    if (file == NULL) {
        log_message("the emulated DSP is not configured: %s: %s; " REMEDY, path, strerror(errno));
        return false;
    }
    char line[2048];
    bool good = true;
    snprintf(config->soc, sizeof config->soc, "unknown");
    config->heap_bytes = HEAP_BYTES;
    config->hvx_units = 4;
    config->hw_threads = 6;
    config->unsigned_pd = true;
    config->archs[OWN_DOMAIN] = ARCH_OF_DEVICE;
    for (int number = 1; good && fgets(line, sizeof line, file) != NULL; number++) {
        good = line_read(config, line, path, number);
    }
    if (good && config->state[0] == 0) {
        state_default(config, file);
    }
    fclose(file);
    return good && complete(config, path);
}

struct dsp config_dsp(const struct config *config, int effective)
{
    const int domain = effective % DOMAINS;
    const bool compute = domain == CDSP_DOMAIN_ID || domain == CDSP1_DOMAIN_ID;
    const bool general = domain == GDSP0_DOMAIN_ID || domain == GDSP1_DOMAIN_ID;
    struct dsp dsp = {.arch = config->archs[domain]};
    if (dsp.arch == ARCH_OF_DEVICE) {
        dsp.arch = config->arch;
    }
    if (dsp.arch != 0) {
        /* Devices have fastrpc_shell_unsigned_N for these only (linux-msm/hexagon-dsp-binaries at
         * 2ba83638). */
        dsp.unsigned_pd = config->unsigned_pd && (compute || general);
    }
    if (dsp.arch != 0 && compute) { /* an assumption: no source says that another DSP has these */
        dsp.vtcm_bytes = config->vtcm_bytes;
        dsp.hvx_units = config->hvx_units;
        dsp.hmx = config->hmx;
    }
    return dsp;
}

static struct config config;
static bool config_good;

static void config_once(void)
{
    config_good = config_read(&config);
}

const struct config *config_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, config_once);
    return config_good ? &config : NULL;
}
