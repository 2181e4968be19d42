/* files.c: <stdio.h> on files.
 *
 * A path is opened as the program on the ARM64 side would open it, in the same working directory: on
 * a device, the FastRPC library of the program opens the files of its DSP process. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "runtime.h"
#include "streams.h"

typedef struct stream FILE_;

/* ---- functions with the FILE as their only or last argument ---- */

#define ON_STREAM(function)                      \
    static int on_##function(FILE_ *file)        \
    {                                            \
        return (int)function(stream_host(file)); \
    }

ON_STREAM(feof)
ON_STREAM(ferror)
ON_STREAM(fflush)
ON_STREAM(fgetc)
ON_STREAM(fgetwc)
ON_STREAM(ftell)
ON_STREAM(getw)

#define PUT_STREAM(function, type)                                          \
    static int on_##function(type value, FILE_ *file)                       \
    {                                                                       \
        return stream_wrote(file, (int)function(value, stream_host(file))); \
    }

PUT_STREAM(fputc, int)
PUT_STREAM(fputwc, wchar_t)
PUT_STREAM(fputs, const char *)
PUT_STREAM(fputws, const wchar_t *)
PUT_STREAM(putw, int)
PUT_STREAM(ungetc, int)
PUT_STREAM(ungetwc, wint_t)

static int flush(FILE_ *file)
{
    return file == NULL ? fflush(NULL) : on_fflush(file);
}

static void clear_error(FILE_ *file)
{
    clearerr(stream_host(file));
}

static void to_start(FILE_ *file)
{
    rewind(stream_host(file));
}

static int handle(FILE_ *file)
{
    return file == stream_out() ? 1 : file == stream_error() ? 2 : fileno(stream_host(file));
}

/* ---- characters and lines ---- */

static int get_character(void)
{
    return on_fgetc(stream_in());
}

static int get_wide_character(void)
{
    return on_fgetwc(stream_in());
}

static int put_character(int character)
{
    return on_fputc(character, stream_out());
}

static int put_wide_character(wchar_t character)
{
    return on_fputwc(character, stream_out());
}

static int put_line(const char *text)
{
    FILE *host = stream_host(stream_out());
    int result = fputs(text, host) < 0 || fputc('\n', host) < 0 ? EOF : 0;
    return stream_wrote(stream_out(), result);
}

static char *get_line(char *line, int room, FILE_ *file)
{
    return fgets(line, room, stream_host(file));
}

static wchar_t *get_wide_line(wchar_t *line, int room, FILE_ *file)
{
    return fgetws(line, room, stream_host(file));
}

/* gets: standard input is empty. */
static char *get_input(char *line)
{
    (void)line;
    return NULL;
}

static void print_error(const char *what)
{
    FILE *host = stream_host(stream_error());
    fprintf(host, "%s%s%s\n", what == NULL ? "" : what, what == NULL || !*what ? "" : ": ",
            strerror(errno));
    stream_wrote(stream_error(), 0);
}

/* ---- blocks and positions ---- */

static size_t read_blocks(void *to, size_t size, size_t count, FILE_ *file)
{
    return fread(to, size, count, stream_host(file));
}

static size_t write_blocks(const void *from, size_t size, size_t count, FILE_ *file)
{
    size_t wrote = fwrite(from, size, count, stream_host(file));
    stream_wrote(file, 0);
    return wrote;
}

/* off_t has 32 bits on the DSP. */
static int seek(FILE_ *file, long offset, int whence)
{
    return fseek(stream_host(file), offset, whence);
}

/* fpos_t begins with the offset, as a long. */
static int get_position(FILE_ *file, void *position)
{
    long offset = ftell(stream_host(file));
    memcpy(position, &offset, sizeof offset);
    return offset < 0 ? -1 : 0;
}

static int set_position(FILE_ *file, const void *position)
{
    long offset;
    memcpy(&offset, position, sizeof offset);
    return seek(file, offset, SEEK_SET);
}

/* Dinkumware's functions behind ftell and fgetpos, and behind fseek and fsetpos: `position` is NULL
 * for the former. */
static long tell(FILE_ *file, void *position)
{
    return position == NULL ? on_ftell(file) : get_position(file, position);
}

static int seek_from(FILE_ *file, const void *position, long offset, int whence)
{
    long start = 0;
    if (position != NULL) {
        memcpy(&start, position, sizeof start);
    }
    return seek(file, start + offset, whence);
}

/* ---- opening ---- */

static FILE_ *open_file(const char *path, const char *mode)
{
    return stream_open(path, mode, -1);
}

static FILE_ *open_handle(int fd, const char *mode)
{
    if (fd < 0) {
        errno = EBADF;
        return NULL;
    }
    return stream_open(NULL, mode, fd);
}

static FILE_ *open_temporary(void)
{
    return stream_make(tmpfile());
}

static FILE_ *reopen(const char *path, const char *mode, FILE_ *file)
{
    return freopen(path, mode, stream_host(file)) == NULL ? NULL : file;
}

/* The mode of Dinkumware's _Fopen: bits 0 read, 1 write, 2 append, 3 truncate, 4 create. (P. J.
 * Plauger, "The Standard C Library", 1992, <stdio.h>.) Returns a file descriptor. */
static int open_low(const char *path, unsigned int mode, const char *unused)
{
    (void)unused;
    int flags = (mode & 3u) == 3 ? O_RDWR : (mode & 2u) != 0 ? O_WRONLY : O_RDONLY;
    flags |= (mode & 4u) != 0 ? O_APPEND : 0;
    flags |= (mode & 8u) != 0 ? O_TRUNC : 0;
    flags |= (mode & 16u) != 0 ? O_CREAT : 0;
    return open(path, flags | O_CLOEXEC, 0666);
}

static void set_buffer(FILE_ *file, char *buffer)
{
    setvbuf(stream_host(file), buffer, buffer == NULL ? _IONBF : _IOFBF, BUFSIZ);
}

/* The DSP's _IOFBF is 0, _IOLBF 1 and _IONBF 2, as in musl. */
static int set_buffering(FILE_ *file, char *buffer, int mode, size_t size)
{
    return setvbuf(stream_host(file), buffer, mode, size);
}

static int orientation(FILE_ *file, int mode)
{
    return fwide(stream_host(file), mode);
}

static void lock_file(FILE_ *file)
{
    flockfile(stream_host(file));
}

static void unlock_file(FILE_ *file)
{
    funlockfile(stream_host(file));
}

/* clang-format off */
const struct shell_symbol files_symbols[] = {
    EXPORT_AS("fopen", open_file), EXPORT_AS("fdopen", open_handle), EXPORT_AS("freopen", reopen),
    EXPORT_AS("tmpfile", open_temporary), EXPORT_AS("fclose", stream_close),
    EXPORT_AS("fflush", flush), EXPORT_AS("_Fopen", open_low),
    EXPORT_AS("feof", on_feof), EXPORT_AS("ferror", on_ferror), EXPORT_AS("clearerr", clear_error),
    EXPORT_AS("fileno", handle), EXPORT_AS("perror", print_error),
    EXPORT_AS("fread", read_blocks), EXPORT_AS("fwrite", write_blocks),
    EXPORT_AS("fseek", seek), EXPORT_AS("fseeko", seek), EXPORT_AS("ftell", on_ftell),
    EXPORT_AS("ftello", on_ftell), EXPORT_AS("rewind", to_start),
    EXPORT_AS("fgetpos", get_position), EXPORT_AS("fsetpos", set_position),
    EXPORT_AS("_Fgpos", tell), EXPORT_AS("_Fspos", seek_from),
    EXPORT_AS("fgetc", on_fgetc), EXPORT_AS("getc", on_fgetc), EXPORT_AS("getc_unlocked", on_fgetc),
    EXPORT_AS("getchar", get_character), EXPORT_AS("getchar_unlocked", get_character),
    EXPORT_AS("fputc", on_fputc), EXPORT_AS("putc", on_fputc), EXPORT_AS("putc_unlocked", on_fputc),
    EXPORT_AS("putchar", put_character), EXPORT_AS("putchar_unlocked", put_character),
    EXPORT_AS("fgets", get_line), EXPORT_AS("gets", get_input), EXPORT_AS("fputs", on_fputs),
    EXPORT_AS("puts", put_line), EXPORT_AS("ungetc", on_ungetc),
    EXPORT_AS("getw", on_getw), EXPORT_AS("putw", on_putw),
    EXPORT_AS("fgetwc", on_fgetwc), EXPORT_AS("getwc", on_fgetwc),
    EXPORT_AS("getwchar", get_wide_character), EXPORT_AS("fputwc", on_fputwc),
    EXPORT_AS("putwc", on_fputwc), EXPORT_AS("putwchar", put_wide_character),
    EXPORT_AS("fgetws", get_wide_line), EXPORT_AS("fputws", on_fputws),
    EXPORT_AS("ungetwc", on_ungetwc), EXPORT_AS("fwide", orientation),
    EXPORT_AS("setbuf", set_buffer), EXPORT_AS("setvbuf", set_buffering),
    EXPORT_AS("_Lockfilelock", lock_file), EXPORT_AS("_Unlockfilelock", unlock_file),
    EXPORT(remove), EXPORT(rename), EXPORT(tmpnam), EXPORT(tempnam),
    EXPORT_END,
};
/* clang-format on */
