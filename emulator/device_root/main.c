/* main.c: starts qemu-aarch64 where absolute paths of the emulated device exist.
 *
 * QEMU looks up the paths of some system calls below its prefix, such as those of open and stat, but
 * not those of access, statx or chdir. In the mount namespace of this program, directories of the
 * build machine also have what the device has in them. Of a file that both have, it is the build
 * machine's, which QEMU itself and native programs need.
 *
 * Where the kernel allows no such namespace, QEMU is started without it. With the argument --check
 * this program ends with status 0 if it is allowed, and otherwise prints why it is not. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONFIGURATION "etc/buildtool-sim.conf" /* QEMU's alone */
#define RELEASES "opt/buildtool"               /* the program writes there */
#define PATH_ROOM (2 * PATH_MAX)
#define NOT_STARTED 125

static char mounts[1 << 18]; /* the text of mountinfo */
static bool one_lib;         /* /lib is a link to usr/lib, where the device has two directories */
static const char *device;   /* its root */
static char directory[PATH_MAX]; /* the working directory, "" if it has no path */

static void read_mounts(void)
{
    int fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? 0 : 1;
    for (size_t used = 0; got > 0 && used < sizeof mounts - 1; used += (size_t)got) {
        got = read(fd, mounts + used, sizeof mounts - 1 - used);
        got = got < 0 ? 0 : got;
    }
    close(fd);
}

/* Whether something is mounted at a path or below it. */
static bool has_mounts(const char *path)
{
    char begin[PATH_ROOM + 2];
    const int length = snprintf(begin, sizeof begin, " %s", path);
    for (const char *at = mounts; (at = strstr(at, begin)) != NULL; at++) {
        if (at[length] == ' ' || at[length] == '/') {
            return true;
        }
    }
    return false;
}

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool good = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
    close(fd);
    return good;
}

/* Keeps the ids of the user and the group. */
static bool map_ids(unsigned user, unsigned group)
{
    char users[64], groups[64];
    snprintf(users, sizeof users, "%u %u 1", user, user);
    snprintf(groups, sizeof groups, "%u %u 1", group, group);
    return write_file("/proc/self/uid_map", users) && write_file("/proc/self/setgroups", "deny") &&
           write_file("/proc/self/gid_map", groups);
}

/* Enters a mount namespace; root needs no user namespace for it. Returns what has failed, or
 * NULL. */
static const char *enter_namespace(void)
{
    const unsigned user = geteuid(), group = getegid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
            return "unshare";
        }
        if (!map_ids(user, group)) {
            return "uid_map";
        }
    }
    return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 ? NULL : "mount";
}

static bool is_directory(int folder, const char *name)
{
    struct stat status;
    return fstatat(folder, name, &status, 0) == 0 && S_ISDIR(status.st_mode);
}

static bool exists(int folder, const char *name)
{
    struct stat status;
    return fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Returns the next entry of a directory besides "." and "..", or NULL; also for NULL. */
static const struct dirent *next_entry(DIR *entries)
{
    const struct dirent *entry = NULL;
    while (entries != NULL && (entry = readdir(entries)) != NULL &&
           (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)) {
    }
    return entry;
}

static DIR *entries_of(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? NULL : fdopendir(fd);
}

static void close_entries(DIR *entries)
{
    if (entries != NULL) {
        closedir(entries);
    }
}

static bool is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return strncmp(path, folder, length) == 0 && (path[length] == 0 || path[length] == '/');
}

/* Mounts what an overlay has hidden: the mounts in the directory, what is in use, and directories to
 * which the user may write, because the overlay is read-only; of /usr none of these. */
static bool show_hidden(int hidden, const char *host, int layer)
{
    bool good = true;
    DIR *entries = entries_of(hidden);
    for (const struct dirent *entry; (entry = next_entry(entries)) != NULL;) {
        char from[PATH_ROOM], to[PATH_ROOM];
        snprintf(from, sizeof from, "/proc/self/fd/%d/%s", hidden, entry->d_name);
        snprintf(to, sizeof to, "%s/%s", host, entry->d_name);
        const bool writable = strncmp(host, "/usr", 4) != 0 && entry->d_type == DT_DIR &&
                              faccessat(hidden, entry->d_name, W_OK, 0) == 0;
        if (is_below(directory, to) || is_below(device, to) ||
            ((writable || has_mounts(to)) && !exists(layer, entry->d_name))) {
            good = mount(from, to, NULL, MS_BIND | MS_REC, NULL) == 0 && good;
        }
    }
    close_entries(entries);
    return good;
}

/* Adds the entries of directories of the device to a directory of the build machine. `layers` names
 * the former, relative to the working directory, separated by colons. */
static void overlay(const char *host, const char *layers, int layer)
{
    char options[PATH_ROOM];
    int hidden = open(host, O_PATH | O_DIRECTORY | O_CLOEXEC);
    snprintf(options, sizeof options, "lowerdir=%s:%s", host, layers);
    if (hidden >= 0 && mount("overlay", host, "overlay", 0, options) == 0 &&
        !show_hidden(hidden, host, layer)) {
        umount2(host, MNT_DETACH);
    }
    close(hidden);
}

static bool has_two(const char *path)
{
    return one_lib && strcmp(path, "usr/lib") == 0;
}

/* Whether a directory of the device has something that its counterpart lacks. */
static bool adds_entries(const char *path, int folder, int counterpart)
{
    bool adds = has_two(path);
    DIR *entries = entries_of(folder);
    for (const struct dirent *entry; !adds && (entry = next_entry(entries)) != NULL;) {
        char inner[PATH_ROOM];
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        adds = !exists(counterpart, entry->d_name) && strcmp(inner, CONFIGURATION) != 0;
    }
    close_entries(entries);
    return adds;
}

/* Adds what a directory of the device has, by its path relative to the device's root, to that of the
 * build machine, or to the first ones below it that lack an entry. */
static void merge(const char *path)
{
    char host[PATH_ROOM];
    snprintf(host, sizeof host, "/%s", path);
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int counterpart = open(host, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0 && counterpart >= 0 && adds_entries(path, folder, counterpart)) {
        overlay(host, has_two(path) ? "usr/lib:lib" : path, folder);
    } else if (folder >= 0 && counterpart >= 0) {
        DIR *entries = entries_of(folder);
        for (const struct dirent *entry; (entry = next_entry(entries)) != NULL;) {
            char inner[PATH_ROOM];
            snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
            if (entry->d_type == DT_DIR && is_directory(counterpart, entry->d_name) &&
                strcmp(inner, RELEASES) != 0) {
                merge(inner);
            }
        }
        close_entries(entries);
    }
    close(folder);
    close(counterpart);
}

/* Merges the device, which is the working directory. Its directories that / lacks cannot appear. */
static void mount_device(void)
{
    char place[PATH_MAX];
    DIR *entries = entries_of(AT_FDCWD);
    const bool is_free = !exists(AT_FDCWD, "/" RELEASES);
    one_lib = realpath("/lib", place) != NULL && strcmp(place, "/usr/lib") == 0;
    read_mounts();
    for (const struct dirent *entry; (entry = next_entry(entries)) != NULL;) {
        if (entry->d_type == DT_DIR && !(one_lib && strcmp(entry->d_name, "lib") == 0)) {
            merge(entry->d_name);
        }
    }
    close_entries(entries);
    if (is_free) {
        mount(RELEASES, "/" RELEASES, NULL, MS_BIND, NULL);
    }
}

static int check(const char *failed)
{
    if (failed != NULL) {
        printf("%s: %s\n", failed, strerror(errno));
    }
    return failed != NULL;
}

int main(int argc, char **argv)
{
    const char *qemu = getenv("BUILDTOOL_QEMU");
    const int working = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (argc == 2 && strcmp(argv[1], "--check") == 0) {
        return check(enter_namespace());
    }
    device = getenv("QEMU_LD_PREFIX");
    if (device == NULL || argc < 2) {
        fprintf(stderr, "device-root: QEMU_LD_PREFIX or the program is missing\n");
        return NOT_STARTED;
    }
    if (getcwd(directory, sizeof directory) == NULL) {
        directory[0] = 0;
    }
    if (enter_namespace() == NULL && chdir(device) == 0) {
        mount_device();
        if ((directory[0] == 0 || chdir(directory) != 0) && fchdir(working) != 0) {
            fprintf(stderr, "device-root: the working directory: %s\n", strerror(errno));
            return NOT_STARTED;
        }
    }
    argv[0] = (char *)(qemu == NULL ? "qemu-aarch64" : qemu);
    /* The user's own words: NOLINTNEXTLINE(clang-analyzer-optin.taint.GenericTaint) */
    execvp(argv[0], argv);
    fprintf(stderr, "device-root: %s: %s\n", argv[0], strerror(errno));
    return NOT_STARTED;
}
