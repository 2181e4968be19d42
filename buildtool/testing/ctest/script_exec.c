/* Is preloaded into the scripts of tests: programs for ARM64 that they start become programs of
 * BUILDTOOL_SCRIPT_LAUNCHER, a script which runs its arguments on the device. */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EM_AARCH64 183
#define MACHINE_AT 18 /* in the header of an ELF file */

extern char **environ;

typedef int execute(const char *, char *const[], char *const[]);
typedef int spawn(pid_t *, const char *, const posix_spawn_file_actions_t *,
                  const posix_spawnattr_t *, char *const[], char *const[]);

static execute *real_execve, *real_execvpe;
static spawn *real_spawn, *real_spawnp;
static char *launcher; /* NULL: there is none */

/* The functions are called after vfork() too, where nothing may be allocated or looked up. */
__attribute__((constructor)) static void begin(void)
{
    const char *path = getenv("BUILDTOOL_SCRIPT_LAUNCHER");
    launcher = path == NULL ? NULL : strdup(path);
    real_execve = (execute *)dlsym(RTLD_NEXT, "execve");
    real_execvpe = (execute *)dlsym(RTLD_NEXT, "execvpe");
    real_spawn = (spawn *)dlsym(RTLD_NEXT, "posix_spawn");
    real_spawnp = (spawn *)dlsym(RTLD_NEXT, "posix_spawnp");
}

static bool is_for_device(const char *path)
{
    unsigned char header[MACHINE_AT + 2];
    int file = launcher == NULL ? -1 : open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    bool whole = read(file, header, sizeof header) == (ssize_t)sizeof header;
    close(file);
    return whole && memcmp(header, "\177ELF\2\1", 6) == 0 && header[MACHINE_AT] == EM_AARCH64;
}

/* The path of the program `name`, perhaps on PATH and then in `buffer`; NULL if it is not for the
 * device. */
static const char *path_for_device(const char *name, char buffer[PATH_MAX])
{
    size_t size = strlen(name) + 1;
    if (strchr(name, '/') != NULL) {
        return is_for_device(name) ? name : NULL;
    }
    for (const char *folder = getenv("PATH"); folder != NULL && *folder != '\0';) {
        size_t length = strcspn(folder, ":");
        if (length != 0 && length + 1 + size <= PATH_MAX) {
            memcpy(buffer, folder, length);
            buffer[length] = '/';
            memcpy(buffer + length + 1, name, size);
            if (access(buffer, X_OK) == 0) {
                return is_for_device(buffer) ? buffer : NULL;
            }
        }
        folder += length + (folder[length] == ':');
    }
    return NULL;
}

static size_t count(char *const arguments[])
{
    size_t number = 0;
    while (arguments[number] != NULL) {
        number++;
    }
    return number;
}

/* Writes the arguments of the launcher for the program at `path`: one more than `arguments`. */
static char *const *launched(const char *path, char *const arguments[], char *result[])
{
    size_t number = count(arguments);
    result[0] = launcher;
    result[1] = (char *)path;
    for (size_t i = 1; i < number; i++) {
        result[i + 1] = arguments[i];
    }
    result[number == 0 ? 2 : number + 1] = NULL;
    return result;
}

int execve(const char *path, char *const arguments[], char *const variables[])
{
    if (!is_for_device(path)) {
        return real_execve(path, arguments, variables);
    }
    char **more = alloca((count(arguments) + 3) * sizeof *more);
    return real_execve(launcher, launched(path, arguments, more), variables);
}

int execvpe(const char *name, char *const arguments[], char *const variables[])
{
    char buffer[PATH_MAX];
    const char *path = path_for_device(name, buffer);
    if (path == NULL) {
        return real_execvpe(name, arguments, variables);
    }
    return execve(path, arguments, variables);
}

int execv(const char *path, char *const arguments[])
{
    return execve(path, arguments, environ);
}

int execvp(const char *name, char *const arguments[])
{
    return execvpe(name, arguments, environ);
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,
                const posix_spawnattr_t *attributes, char *const arguments[],
                char *const variables[])
{
    if (!is_for_device(path)) {
        return real_spawn(child, path, actions, attributes, arguments, variables);
    }
    char **more = alloca((count(arguments) + 3) * sizeof *more);
    return real_spawn(child, launcher, actions, attributes, launched(path, arguments, more),
                      variables);
}

int posix_spawnp(pid_t *child, const char *name, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const arguments[],
                 char *const variables[])
{
    char buffer[PATH_MAX];
    const char *path = path_for_device(name, buffer);
    if (path == NULL) {
        return real_spawnp(child, name, actions, attributes, arguments, variables);
    }
    return posix_spawn(child, path, actions, attributes, arguments, variables);
}
