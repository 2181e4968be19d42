/* clib_files.c: files, streams and the process in the DSP's C library, with the types of its headers. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <wchar.h>

#include "cases.h"

typedef struct dsp_file DSP_FILE;
struct dsp_file {
    unsigned short mode;
    unsigned char index;
    int handle;
    unsigned char *buffer[8];
};
extern DSP_FILE _Stdin, _Stdout, _Stderr, *_Files[20];
DSP_FILE *dsp_fopen(const char *, const char *) __asm__("fopen");
DSP_FILE *dsp_freopen(const char *, const char *, DSP_FILE *) __asm__("freopen");
DSP_FILE *dsp_tmpfile(void) __asm__("tmpfile"), *dsp_fdopen(int, const char *) __asm__("fdopen");
int dsp_fclose(DSP_FILE *) __asm__("fclose"), dsp_fflush(DSP_FILE *) __asm__("fflush");
int dsp_fprintf(DSP_FILE *, const char *, ...) __asm__("fprintf");
int dsp_fscanf(DSP_FILE *, const char *, ...) __asm__("fscanf");
int dsp_fwprintf(DSP_FILE *, const wchar_t *, ...) __asm__("fwprintf");
size_t dsp_fread(void *, size_t, size_t, DSP_FILE *) __asm__("fread");
size_t dsp_fwrite(const void *, size_t, size_t, DSP_FILE *) __asm__("fwrite");
int dsp_fseek(DSP_FILE *, int32_t, int) __asm__("fseek"),
    dsp_fseeko(DSP_FILE *, int32_t, int) __asm__("fseeko");
int32_t dsp_ftell(DSP_FILE *) __asm__("ftell");
int dsp_fgetpos(DSP_FILE *, int32_t *) __asm__("fgetpos"),
    dsp_fsetpos(DSP_FILE *, const int32_t *) __asm__("fsetpos");
int dsp_fgetc(DSP_FILE *) __asm__("fgetc"), dsp_ungetc(int, DSP_FILE *) __asm__("ungetc");
int dsp_fputs(const char *, DSP_FILE *) __asm__("fputs"), dsp_feof(DSP_FILE *) __asm__("feof");
char *dsp_fgets(char *, int, DSP_FILE *) __asm__("fgets");
int dsp_open(const char *, int, ...) __asm__("open"), dsp_close(int) __asm__("close");
int32_t dsp_lseek(int, int32_t, int) __asm__("lseek");
long dsp_read(int, void *, size_t) __asm__("read"),
    dsp_write(int, const void *, size_t) __asm__("write");
int unlink(const char *), rename(const char *, const char *), mkdir(const char *, unsigned),
    rmdir(const char *);
int access(const char *, int), putenv(char *), raise(int), getopt(int, char *const *, const char *),
    fork(void);
char *getcwd(char *, size_t);
void (*signal(int, void (*)(int)))(int);
unsigned alarm(unsigned), sleep(unsigned);
int *_Geterrno(void);
void _Atexit(void (*)(void));
int atexit(void (*)(void));
void perror(const char *), *sbrk(intptr_t), *_Getmem(size_t);
extern char *optarg, **environ;
extern int optind;
int _Fopen(const char *, unsigned, const char *);
int32_t _Fgpos(DSP_FILE *, int32_t *);
int _Fspos(DSP_FILE *, const int32_t *, int32_t, int);
DSP_FILE *_Fofind(void), *_Foprep(const char *, const char *, DSP_FILE *, int);
void _Fofree(DSP_FILE *), __assert(const char *, int, const char *);
int _Scanf(int (*)(void *, int, int), void *, const char *, va_list);
int _WScanf(int (*)(void *, int, int), void *, const wchar_t *, va_list);
int _Printf(void *(*)(void *, const char *, size_t), void *, const char *, va_list);
void sys_Mtxinit(void **), sys_Mtxlock(void **), sys_Mtxunlock(void **);
int sys_Tlsalloc(int *, void (*)(void *)), sys_Tlsset(int, void *);
void *sys_Tlsget(int);
void _Locksyslock(unsigned), _Unlocksyslock(unsigned);
int dsp_puts(const char *) __asm__("puts");

static int streams(const int32_t *in, int32_t *out)
{
    char line[64];
    int32_t position[4] = {-1, -1, -1, -1};
    int number = 0;
    double real = 0;
    (void)in;
    DSP_FILE *file = dsp_fopen("clib-test.txt", "w+");
    CHECK(file != NULL && _Files[3] == file && file->index == 3);
    EQUAL(dsp_fprintf(file, "%d %s %.2f\n", 42, "lines", 1.5), 14);
    CHECK(dsp_fputs("second line\n", file) >= 0);
    EQUAL(dsp_fgetpos(file, position), 0);
    EQUAL(position[0], 26);
    CHECK(position[3] == -1);
    EQUAL(dsp_fwrite("tail", 1, 4, file), 4);
    EQUAL(dsp_fseek(file, 0, 0), 0);
    EQUAL(dsp_fscanf(file, "%d %63s %lf ", &number, line, &real), 3);
    CHECK(number == 42 && strcmp(line, "lines") == 0 && real == 1.5);
    CHECK(dsp_fgets(line, 64, file) == line && strcmp(line, "second line\n") == 0);
    EQUAL(dsp_ftell(file), 26);
    EQUAL(dsp_fgetc(file), 't');
    EQUAL(dsp_ungetc('T', file), 'T');
    EQUAL(dsp_fread(line, 1, 64, file), 4);
    CHECK(memcmp(line, "Tail", 4) == 0 && dsp_feof(file));
    EQUAL(dsp_fsetpos(file, position), 0);
    EQUAL(dsp_fgetc(file), 't');
    EQUAL(dsp_fseeko(file, -2, 2), 0);
    EQUAL(_Fgpos(file, NULL), 28);
    EQUAL(_Fspos(file, position, 1, 0), 0);
    EQUAL(dsp_fgetc(file), 'a');
    EQUAL(dsp_fclose(file), 0);
    CHECK(_Files[3] == NULL);
    file = _Foprep("clib-test.txt", "r", _Fofind(), -1);
    CHECK(file != NULL && file == _Files[3] && dsp_fgetc(file) == '4');
    EQUAL(dsp_fclose(file), 0);
    _Fofree(_Fofind());
    CHECK(_Files[3] == NULL && _Foprep("absent/file", "r", _Fofind(), -1) == NULL &&
          _Files[3] == NULL);
    CHECK(dsp_fopen("absent/file", "r") == NULL);
    EQUAL(*_Geterrno(), ENOENT);
    perror("absent");
    dsp_fprintf(&_Stdout, "to %s %lld\n", "stdout", 1ll << 40);
    dsp_fprintf(&_Stderr, "to stderr\n");
    dsp_fwprintf(&_Stdout, L"wide %d\n", 7);
    EQUAL(dsp_write(1, "descriptor 1\n", 13), 13);
    EQUAL(dsp_fgetc(&_Stdin), -1);
    out[0] = _Stdout.handle;
    return 0;
}

static int descriptors(const int32_t *in, int32_t *out)
{
    char text[16] = "";
    char path[256];
    (void)in;
    (void)out;
    CHECK(getcwd(path, sizeof path) != NULL);
    EQUAL(mkdir("clib-dir", 0755), 0);
    int fd = dsp_open("clib-dir/a", O_CREAT | O_RDWR, 0644);
    CHECK(fd > 5);
    EQUAL(dsp_write(fd, "0123456789", 10), 10);
    EQUAL(dsp_lseek(fd, 4, 0), 4);
    EQUAL(dsp_read(fd, text, 3), 3);
    CHECK(strcmp(text, "456") == 0);
    EQUAL(dsp_close(fd), 0);
    EQUAL(rename("clib-dir/a", "clib-dir/b"), 0);
    CHECK(access("clib-dir/a", 0) != 0 && access("clib-dir/b", 4) == 0);
    fd = _Fopen("clib-dir/b", 1, "r");
    CHECK(fd > 5);
    DSP_FILE *file = dsp_fdopen(fd, "r");
    EQUAL(dsp_fgetc(file), '0');
    EQUAL(dsp_fclose(file), 0);
    EQUAL(unlink("clib-dir/b"), 0);
    EQUAL(rmdir("clib-dir"), 0);
    EQUAL(dsp_close(3), -1);
    EQUAL(*_Geterrno(), EBADF);
    file = dsp_tmpfile();
    CHECK(file != NULL);
    EQUAL(dsp_fclose(file), 0);
    char *start = sbrk(4096);
    CHECK(start != (void *)-1 && (char *)sbrk(0) == start + 4096 && _Getmem(64) == start + 4096);
    return 0;
}

static int signals;
static void count(int number)
{
    signals += number;
}

static void *append(void *to, const char *text, size_t length)
{
    strncat(to, text, length);
    return to;
}

static int print_through(char *to, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = _Printf(append, to, format, list);
    va_end(list);
    return length;
}

static int next(void *text, int character, int get)
{
    const char **at = text;
    if (get) {
        return **at == 0 ? -1 : *(*at)++;
    }
    return *--*at == character ? character : -1;
}

static int scan_through(const char **from, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = _Scanf(next, from, format, list);
    va_end(list);
    return count;
}

static int wide_next(void *text, int character, int get)
{
    const wchar_t **at = text;
    if (get) {
        return **at == 0 ? -1 : *(*at)++;
    }
    return *--*at == character ? character : -1;
}

static int wide_scan_through(const wchar_t **from, const wchar_t *format, ...)
{
    va_list list;
    va_start(list, format);
    int count = _WScanf(wide_next, from, format, list);
    va_end(list);
    return count;
}

static int process(const int32_t *in, int32_t *out)
{
    char text[64] = "";
    (void)in;
    CHECK(getenv("HOME") == NULL && environ[0] == NULL);
    EQUAL(putenv("NAME=value"), 0);
    CHECK(strcmp(getenv("NAME"), "value") == 0 && environ[0] != NULL && environ[1] == NULL);
    char *arguments[] = {"program", "-v", "-o", "file", "rest", NULL};
    EQUAL(getopt(5, arguments, "vo:"), 'v');
    EQUAL(getopt(5, arguments, "vo:"), 'o');
    CHECK(strcmp(optarg, "file") == 0);
    EQUAL(getopt(5, arguments, "vo:"), -1);
    EQUAL(optind, 4);
    CHECK(signal(10, count) == NULL);
    EQUAL(raise(10), 0);
    EQUAL(signals, 10);
    CHECK(signal(14, count) == NULL);
    EQUAL(alarm(1), 0);
    EQUAL(alarm(1), 1);
    for (int i = 0; i < 40 && signals == 10; i++) {
        struct {
            int32_t seconds, nanoseconds;
        } wait = {0, 100000000};
        int dsp_nanosleep(const void *, void *) __asm__("nanosleep");
        dsp_nanosleep(&wait, NULL);
    }
    out[0] = signals;
    EQUAL(fork(), -1);
    EQUAL(print_through(text, "%d-%s", 5, "parts"), 7);
    CHECK(strcmp(text, "5-parts") == 0);
    const char *from = "17 words;rest";
    int number = 0;
    EQUAL(scan_through(&from, "%d %60[a-z]", &number, text), 2);
    EQUAL(number, 17);
    CHECK(strcmp(text, "words") == 0 && strcmp(from, ";rest") == 0);
    const wchar_t *wide = L"-8 \x416\x20ac\x1f600;\xe9", *last = wide + 6;
    wchar_t symbols[8];
    EQUAL(wide_scan_through(&wide, L"%d %l[^;]", &number, symbols), 2);
    EQUAL(number, -8);
    CHECK(wcscmp(symbols, L"\x416\x20ac\x1f600") == 0 && wide == last);
    void *lock = (void *)1;
    int key = -1;
    sys_Mtxinit(&lock);
    sys_Mtxlock(&lock);
    sys_Mtxlock(&lock); /* recursive */
    sys_Mtxunlock(&lock);
    sys_Mtxunlock(&lock);
    _Locksyslock(1);
    _Unlocksyslock(1);
    EQUAL(sys_Tlsalloc(&key, NULL), 0);
    EQUAL(sys_Tlsset(key, text), 0);
    CHECK(sys_Tlsget(key) == text);
    return 0;
}

static void farewell(void)
{
    dsp_puts("at exit");
}

static int at_unload(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    EQUAL(atexit(farewell), 0);
    dsp_puts("registered");
    return 0;
}

static int leave(const int32_t *in, int32_t *out)
{
    (void)out;
    _Atexit(farewell);
    exit(in[0]);
}

static int close_twice(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    DSP_FILE *file = dsp_tmpfile();
    dsp_fclose(file);
    dsp_fgetc(
        (DSP_FILE *)"not a file, but text that is long enough to be one, as far as fields go, and "
                    "longer still, because the fields of the library come first in it. .......");
    return 0;
}

static int failed_assertion(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    __assert("file.c", 7, "true == false");
    return 0;
}

static int unhandled(const int32_t *in, int32_t *out)
{
    (void)in;
    (void)out;
    return raise(11);
}

void _Closreg(void);

/* Opens as many files as there can be, and no more. */
static int full_table(const int32_t *in, int32_t *out)
{
    DSP_FILE *file = NULL;
    (void)in;
    int fd = dsp_open("clib-full.txt", O_CREAT | O_RDWR, 0644);
    CHECK(fd >= 0);
    EQUAL(dsp_write(fd, "kept", 4), 4);
    while ((file = dsp_fopen("clib-full.txt", "r")) != NULL) {
        CHECK(++out[0] < 30 && _Files[out[0] + 2] == file);
    }
    EQUAL(*_Geterrno(), EMFILE);
    CHECK(_Fofind() == NULL && dsp_tmpfile() == NULL && dsp_fopen("clib-full.txt", "w") == NULL);
    CHECK(dsp_fdopen(fd, "r") == NULL);
    EQUAL(*_Geterrno(), EMFILE);
    EQUAL(dsp_lseek(fd, 0, 2), 4); /* neither closed nor truncated */
    EQUAL(dsp_fclose(_Files[7]), 0);
    CHECK((file = dsp_fdopen(fd, "r")) != NULL && _Files[7] == file);
    _Closreg();
    for (int i = 3; i < 20; i++) {
        CHECK(_Files[i] == NULL);
    }
    EQUAL(dsp_close(fd), -1);
    CHECK(dsp_fdopen(-1, "r") == NULL && *_Geterrno() == EBADF && _Files[3] == NULL);
    return unlink("clib-full.txt");
}

const struct named_case cases[] = {
    CASE(streams),   CASE(descriptors),      CASE(process),     CASE(leave),      CASE(unhandled),
    CASE(at_unload), CASE(failed_assertion), CASE(close_twice), CASE(full_table), {NULL, NULL}};
