/* saved_code.c: keeps the translated code of images in files.
 *
 * Translation takes seconds for a skel of a megabyte, of a run that can take less. A file is written under
 * another name first, so that processes that start at the same time find a whole one, or none. */
#define _GNU_SOURCE
#include "saved_code.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core.h"
#include "translate/thunk_origins.h"

#define FOLDER "translations"
#define MAGIC 0x31435442u /* "BTC1" */

static char folder[200];

void saved_code_start(const char *program)
{
    const char *end = strrchr(program, '/');
    const size_t length = end == NULL ? 0 : (size_t)(end + 1 - program);
    struct stat found;
    snprintf(folder, sizeof folder, "%.*s" FOLDER, (int)length, program);
    if (length + sizeof FOLDER > sizeof folder || stat(folder, &found) != 0 ||
        !S_ISDIR(found.st_mode) || found.st_uid != geteuid()) {
        folder[0] = 0;
    }
}

/* ---- digests ---- */

/* Of whole words; it tells apart what differs by chance, not by intent. */
static struct digest digest_of(struct digest digest, const void *bytes, size_t size)
{
    const uint32_t *words = bytes;
    for (size_t i = 0; i + 1 < size / sizeof *words; i += 2) {
        digest.a = (digest.a ^ words[i]) * 0x9e3779b1u;
        digest.b = (digest.b ^ words[i + 1]) * 0x85ebca77u;
        digest.b ^= digest.a >> 15;
        digest.a += digest.b << 7 | digest.b >> 25;
    }
    uint32_t rest[2] = {0};
    memcpy(rest, (const uint8_t *)bytes + size / sizeof rest * sizeof rest, size % sizeof rest);
    digest.a = (digest.a ^ rest[0]) * 0x9e3779b1u;
    digest.b = (digest.b ^ rest[1]) * 0x85ebca77u;
    return digest;
}

/* Of what the image was made of, and for which device. */
static struct digest digest_of_image(const struct image *image)
{
    const uint32_t facts[] = {shell_facts()->arch, (uint32_t)shell_facts()->strict,
                              (uint32_t)image->size, MAGIC};
    const struct digest digest = digest_of((struct digest){1, 2}, facts, sizeof facts);
    return digest_of(digest, image->bytes, image->size);
}

/* Of an image in memory: addresses of other images are in it. */
static struct digest digest_of_memory(const struct image *image, const struct link_memory *memory)
{
    struct digest digest = {(uint32_t)(uintptr_t)memory->base, 3};
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        digest = digest_of(digest, memory->base + segment->address, segment->file_size);
    }
    return digest;
}

/* ---- files ---- */

struct word_patch {
    uint32_t address, word; /* link-time */
};

struct header {
    uint32_t magic;
    uint32_t mapping; /* where the image was */
    uint32_t veneers_size, thunks_size, thunk_count, patch_count;
    struct digest memory, content; /* of what is behind the header */
};

/* Of a header whose sizes are those of the file. */
static size_t content_size(const struct header *header)
{
    return header->thunk_count * sizeof(struct thunk_origin) +
           header->patch_count * sizeof(struct word_patch) + header->veneers_size +
           header->thunks_size;
}

#define CONTENT_MAX (256u << 20)

static bool read_header(int file, struct header *header)
{
    struct stat found;
    return pread(file, header, sizeof *header, 0) == (ssize_t)sizeof *header &&
           header->magic == MAGIC && header->thunk_count < CONTENT_MAX / 1024 &&
           header->patch_count < CONTENT_MAX / 64 && header->veneers_size < CONTENT_MAX / 4 &&
           header->thunks_size < CONTENT_MAX / 4 && header->thunks_size >= header->veneers_size &&
           fstat(file, &found) == 0 && found.st_uid == geteuid() &&
           (uint64_t)found.st_size == sizeof *header + content_size(header);
}

/* Whether words of the image are words in memory, as compilers lay it out. */
static bool has_words(const struct image *image)
{
    uint32_t addresses = 0;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        addresses |= image->segments[i].address;
    }
    return addresses % sizeof(uint32_t) == 0;
}

void saved_code_find(const struct image *image, struct link_memory *memory,
                     struct saved_code *saved)
{
    struct header header;
    *saved = (struct saved_code){.file = -1};
    if (folder[0] == 0 || !has_words(image)) {
        return;
    }
    const struct digest digest = digest_of_image(image);
    snprintf(saved->path, sizeof saved->path, "%s/%08x%08x", folder, (unsigned)digest.a,
             (unsigned)digest.b);
    saved->file = open(saved->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (saved->file >= 0 && read_header(saved->file, &header)) {
        saved->mapping = (uint8_t *)(uintptr_t)header.mapping;
        memory->veneers_size = header.veneers_size;
        memory->thunks_size = header.thunks_size;
        (void)futimens(saved->file, NULL); /* files that are not used are deleted */
    }
}

static bool holds_patch(const struct image *image, const struct word_patch *patch)
{
    return patch->address % 4 == 0 && image_holds(image, patch->address, 4, PF_X);
}

/* Copies what the file says. Returns false if a value is not possible. */
static bool apply(const struct image *image, struct link_memory *memory,
                  const struct header *header, const uint8_t *content)
{
    struct thunk_origin *origins = memory->thunk_origins;
    const size_t size = header->thunk_count * sizeof *origins;
    const struct word_patch *patches = (const void *)(content + size);
    const uint8_t *veneers = (const uint8_t *)(patches + header->patch_count);
    for (uint32_t i = 0; i < header->patch_count; i++) {
        if (!holds_patch(image, &patches[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->patch_count; i++) {
        memcpy(memory->base + patches[i].address, &patches[i].word, sizeof patches[i].word);
    }
    memcpy(origins, content, size);
    memory->thunk_count = header->thunk_count;
    memcpy(memory->veneers[0], veneers, header->veneers_size);
    memcpy(memory->thunks, veneers + header->veneers_size, header->thunks_size);
    return true;
}

bool saved_code_use(const struct image *image, struct link_memory *memory,
                    const struct saved_code *saved)
{
    struct header header;
    if (saved->mapping == NULL || saved->mapping != memory->mapping ||
        !read_header(saved->file, &header) || header.thunks_size != memory->thunks_size ||
        header.veneers_size != memory->veneers_size) {
        return false;
    }
    const struct digest now = digest_of_memory(image, memory);
    const size_t size = content_size(&header);
    uint8_t *content = malloc(size);
    struct thunk_origin *origins = malloc((header.thunk_count + 1) * sizeof *origins);
    bool used = false;
    if (content != NULL && origins != NULL && memcmp(&now, &header.memory, sizeof now) == 0 &&
        pread(saved->file, content, size, sizeof header) == (ssize_t)size) {
        const struct digest read = digest_of((struct digest){4, 5}, content, size);
        memory->thunk_origins = origins;
        used = memcmp(&read, &header.content, sizeof read) == 0 &&
               apply(image, memory, &header, content);
    }
    if (!used) {
        free(origins);
        memory->thunk_origins = NULL;
    }
    free(content);
    return used;
}

void saved_code_note(const struct image *image, const struct link_memory *memory,
                     struct saved_code *saved)
{
    saved->code = saved->path[0] == 0 ? NULL : malloc(image->high - image->low);
    for (uint32_t i = 0; saved->code != NULL && i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        memcpy(saved->code + (segment->address - image->low), memory->base + segment->address,
               segment->file_size);
    }
    saved->memory = digest_of_memory(image, memory);
}

/* Stores the words of code that were changed. Returns their number. */
static uint32_t find_patches(const struct image *image, const struct link_memory *memory,
                             const struct saved_code *saved, struct word_patch *patches)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < image->segment_count; i++) {
        const struct image_segment *segment = &image->segments[i];
        const uint32_t end = segment->address + segment->file_size;
        for (uint32_t at = segment->address; (segment->flags & PF_X) != 0 && at + 4 <= end;
             at += 4) {
            struct word_patch patch = {.address = at};
            memcpy(&patch.word, memory->base + at, sizeof patch.word);
            if (memcmp(&patch.word, saved->code + (at - image->low), sizeof patch.word) != 0) {
                patches[count++] = patch;
            }
        }
    }
    return count;
}

/* Writes a file under its name when it is whole. */
static void write_file(const char *path, const struct header *header, const void *content,
                       size_t size)
{
    char fresh[sizeof((struct saved_code *)NULL)->path + 16];
    snprintf(fresh, sizeof fresh, "%s.%d", path, (int)getpid());
    const int file = open(fresh, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (file < 0) {
        return; /* it is translated again */
    }
    const bool whole = write(file, header, sizeof *header) == (ssize_t)sizeof *header &&
                       write(file, content, size) == (ssize_t)size;
    if (close(file) != 0 || !whole || rename(fresh, path) != 0) {
        unlink(fresh);
    }
}

void saved_code_keep(const struct image *image, const struct link_memory *memory,
                     const struct saved_code *saved)
{
    struct header header = {.magic = MAGIC,
                            .mapping = (uint32_t)(uintptr_t)memory->mapping,
                            .veneers_size = (uint32_t)memory->veneers_size,
                            .thunks_size = (uint32_t)memory->thunks_size,
                            .thunk_count = (uint32_t)memory->thunk_count,
                            .memory = saved->memory};
    const size_t origins = header.thunk_count * sizeof(struct thunk_origin);
    uint8_t *content = saved->code == NULL || header.thunk_count == 0
                           ? NULL
                           : malloc(content_size(&header) + 2 * (image->high - image->low));
    if (content == NULL) {
        return;
    }
    memcpy(content, memory->thunk_origins, origins);
    struct word_patch *patches = (void *)(content + origins);
    header.patch_count = find_patches(image, memory, saved, patches);
    uint8_t *veneers = (uint8_t *)(patches + header.patch_count);
    memcpy(veneers, memory->veneers[0], memory->veneers_size);
    memcpy(veneers + memory->veneers_size, memory->thunks, memory->thunks_size);
    header.content = digest_of((struct digest){4, 5}, content, content_size(&header));
    write_file(saved->path, &header, content, content_size(&header));
    free(content);
}

void saved_code_end(struct saved_code *saved)
{
    if (saved->file >= 0) {
        close(saved->file);
    }
    free(saved->code);
}
