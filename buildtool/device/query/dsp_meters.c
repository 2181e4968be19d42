/* dsp_meters.c: print once a second what the system's libqcnpuperf says about the compute DSP, until
 * the end of standard input.
 *
 * A line is "meter TIME LOAD CLOCK HVX HMX HEAT": nanoseconds of CLOCK_REALTIME, hundredths of a
 * percent, kHz, and 0.001 degrees of the hottest zone whose type begins with "nsp", 0 without one; or
 * "error TEXT".  The functions are those of qualcomm/libqcnpuperf at 4822c0a1, inc/qcom_dsp.h; which
 * zones are the DSP's, of nvtop at 52cb3c23, src/extract_npuinfo_qualcomm.c.  As dsp_query.c it has
 * no start files and links no versioned symbol. */
#include <stddef.h>
#include <stdint.h>

#define RTLD_NOW 2
#define CDSP 3 /* DSP_NPU0 */
#define STANDARD_OUTPUT 1
#define POLLIN 1
#define CLOCK_REALTIME 0
#define EVERY_MS 1000
#define ZONES 128
#define MAX_HEAT 1000000u

struct input { /* pollfd */
    int file;
    short events, found;
};
struct moment { /* timespec on 64-bit systems */
    int64_t seconds, nanoseconds;
};

void *dlopen(const char *name, int mode);
void *dlsym(void *library, const char *name);
ptrdiff_t read(int file, void *data, size_t size);
ptrdiff_t write(int file, const void *data, size_t size);
int open(const char *path, int flags, ...);
int close(int file);
int poll(struct input *files, unsigned long count, int milliseconds);
int clock_gettime(int clock, struct moment *now);
_Noreturn void _exit(int status);
_Noreturn void dsp_meters(void);

static void *(*open_session)(int domain);
static void (*close_session)(void *session);
static void *(*read_data)(void *session, int *count);
static float (*load_of)(const void *data);
static unsigned (*clock_of)(const void *data);
static float (*hvx_of)(const void *data);
static float (*hmx_of)(const void *data);

static size_t length_of(const char *text)
{
    size_t size = 0;
    while (text[size] != '\0') {
        size++;
    }
    return size;
}

static char line[160];
static size_t used;

static void put(const char *text)
{
    for (size_t i = 0; i < length_of(text) && used < sizeof line; i++) {
        line[used++] = text[i];
    }
}

static void put_number(uint64_t number)
{
    char digits[22];
    size_t at = sizeof digits - 1;
    digits[at] = '\0';
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    digits[--at] = ' ';
    put(&digits[at]);
}

static void end_line(void)
{
    put("\n");
    (void)write(STANDARD_OUTPUT, line, used);
    used = 0;
}

static _Noreturn void fail(const char *text)
{
    put("error ");
    put(text);
    end_line();
    _exit(1);
}

/* The begin of the file NAME of a thermal zone, as a text; false if it cannot be read. */
static int read_zone(unsigned zone, const char *name, char text[16])
{
    char path[64] = "/sys/class/thermal/thermal_zone";
    size_t at = length_of(path);
    if (zone >= 100) {
        path[at++] = (char)('0' + zone / 100);
    }
    if (zone >= 10) {
        path[at++] = (char)('0' + zone / 10 % 10);
    }
    path[at++] = (char)('0' + zone % 10);
    for (size_t i = 0; name[i] != '\0'; i++) {
        path[at++] = name[i];
    }
    path[at] = '\0';
    const int file = open(path, 0);
    const ptrdiff_t size = file >= 0 ? read(file, text, 15) : -1;
    text[size > 0 ? size : 0] = '\0';
    if (file >= 0) {
        (void)close(file);
    }
    return size > 0;
}

static uint64_t heat(void)
{
    static signed char is_dsp[ZONES]; /* -1: no */
    uint64_t highest = 0;
    char text[16];
    for (unsigned zone = 0; zone < ZONES; zone++) {
        if (is_dsp[zone] == 0) {
            const int known = read_zone(zone, "/type", text) && text[0] == 'n' && text[1] == 's' &&
                              text[2] == 'p';
            is_dsp[zone] = known ? 1 : -1;
        }
        if (is_dsp[zone] > 0 && read_zone(zone, "/temp", text)) {
            uint64_t found = 0;
            for (size_t i = 0; text[i] >= '0' && text[i] <= '9'; i++) {
                found = found * 10 + (uint64_t)(text[i] - '0');
            }
            highest = found > highest && found <= MAX_HEAT ? found : highest;
        }
    }
    return highest;
}

static void put_share(float percent)
{
    put_number(percent > 0 && percent < 1e6f ? (uint64_t)(percent * 100 + 0.5f) : 0);
}

static void *function(void *library, const char *name)
{
    void *found = dlsym(library, name);
    if (found == NULL) {
        fail("it is too old");
    }
    return found;
}

_Noreturn void dsp_meters(void)
{
    void *library = dlopen("libqcnpuperf.so.1", RTLD_NOW);
    if (library == NULL) {
        _exit(0); /* most boards do not have it */
    }
    *(void **)&open_session = function(library, "qcom_dsp_open");
    *(void **)&close_session = function(library, "qcom_dsp_close");
    *(void **)&read_data = function(library, "qcom_dsp_get_prof_data");
    *(void **)&load_of = function(library, "qcom_dsp_prof_get_q6_utilization");
    *(void **)&clock_of = function(library, "qcom_dsp_prof_get_q6_clock");
    *(void **)&hvx_of = function(library, "qcom_dsp_prof_get_hvx_utilization");
    *(void **)&hmx_of = function(library, "qcom_dsp_prof_get_hmx_utilization");
    void *session = open_session(CDSP);
    if (session == NULL) {
        fail("it opens no session on the cdsp");
    }
    struct input input = {0, POLLIN, 0};
    do {
        struct moment now = {0, 0};
        int count = 0;
        const void *data = read_data(session, &count);
        (void)clock_gettime(CLOCK_REALTIME, &now);
        if (data != NULL && count > 0) {
            put("meter");
            put_number((uint64_t)now.seconds * 1000000000u + (uint64_t)now.nanoseconds);
            put_share(load_of(data));
            put_number(clock_of(data));
            put_share(hvx_of(data));
            put_share(hmx_of(data));
            put_number(heat());
            end_line();
        }
    } while (poll(&input, 1, EVERY_MS) == 0); /* whatever arrives is the end */
    close_session(session);
    _exit(0);
}

/* The kernel starts a program with an aligned stack and no return address. */
__asm__(".globl _start\n_start:\n\tmov x29, #0\n\tmov x30, #0\n\tb dsp_meters\n");
