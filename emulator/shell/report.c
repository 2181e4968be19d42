/* report.c: the report of a crash: a line for people, and a line of JSON for programs, which begins
 * with "@crash ". libcdsprpc reads both after the process has ended. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core.h"
#include "image.h"
#include "module.h"
#include "module_list.h"
#include "regions.h"
#include "text.h"

#define LINE_BYTES 8192
#define FRAMES_MAX 32
#define REACH 65536u /* a region further away does not explain an address */
#define BUILD_ID_BYTES 20

/* Only one thread reports. */
static char line[LINE_BYTES];

static const char *const kinds[] = {"", "heap", "in", "out", "shared", "stack"};

static void put_line(struct text *text)
{
    line[text->used] = '\n'; /* replaces the terminator */
    if (write(STDERR_FILENO, line, text->used + 1) < 0) {
        _exit(1);
    }
}

/* ---- for people ---- */

static void say_region(struct text *text, const struct region *region, uintptr_t address)
{
    int64_t away = region_distance(region, address);
    unsigned bytes = (unsigned)(away < 0 ? -away : away);
    if (away == 0) {
        text_add(text, "%u bytes from the start of ", (unsigned)(address - region->start));
    } else {
        text_add(text, "%u byte%s %s of ", bytes, bytes == 1 ? "" : "s",
                 away > 0 ? "past the end" : "before the start");
    }
    const char *gone = region->gone ? "freed " : "";
    switch (region->kind) {
    case REGION_IN:
    case REGION_OUT:
        text_add(text, "argument %u of method %u (%s, %zu bytes%s)", (unsigned)region->index,
                 (unsigned)region->method, kinds[region->kind], region->size,
                 region->gone ? "; that call has returned" : "");
        break;
    case REGION_SHARED:
        text_add(text, "a %sbuffer of the client (descriptor %u, %zu bytes)", gone,
                 (unsigned)region->index, region->size);
        break;
    case REGION_STACK:
        text_add(text, "a %sstack of %zu bytes", gone, region->size);
        break;
    default:
        text_add(text, "a %sheap block of %zu bytes", gone, region->size);
        break;
    }
}

static void say(const struct crash *crash, const struct region *region)
{
    struct text text = text_start(line, sizeof line);
    struct frame frame;
    text_add(&text, "%s", crash->text);
    if (crash->pc == 0 ? frames_walk(crash->fp, &frame, 1) == 1 : frame_at(crash->pc, &frame)) {
        text_add(&text, ", code at %s+0x%x", frame.module, (unsigned)frame.offset);
    }
    if (region != NULL) {
        text_add(&text, ", ");
        say_region(&text, region, crash->address);
    }
    if (fault_context.skel != NULL) {
        text_add(&text, ", in method %u of %s", (unsigned)fault_context.method, fault_context.skel);
    } else {
        text_add(&text, ", in a thread that a skel created");
    }
    put_line(&text);
}

/* ---- for programs ---- */

/* Adds a string of JSON. The bytes that need an escape do not occur in names of files that load. */
static void json_text(struct text *text, const char *key, const char *value)
{
    text_add(text, "\"%s\":\"", key);
    for (; *value != 0 && text->used + 8 < text->room; value++) {
        bool plain = *value >= ' ' && *value < 0x7f && *value != '"' && *value != '\\';
        text_add(text, "%c", plain ? *value : '?');
    }
    text_add(text, "\"");
}

static void json_build_id(struct text *text, uintptr_t address)
{
    static const uint8_t head[16] = {4, 0,   0,   0,  BUILD_ID_BYTES, 0, 0, 0, 3, 0, 0,
                                     0, 'G', 'N', 'U'};
    const struct image *image = module_image_at(address);
    for (uint32_t i = 0; image != NULL && i < image->segment_count; i++) {
        /* Linkers put the note into the first pages of a file. */
        const struct image_segment *segment = &image->segments[i];
        const uint8_t *bytes = image->bytes + segment->file_offset;
        for (uint32_t at = 0; at < 4096 && at + sizeof head + BUILD_ID_BYTES <= segment->file_size;
             at += 4) {
            if (memcmp(bytes + at, head, sizeof head) == 0) {
                text_add(text, ",\"build_id\":\"");
                for (int byte = 0; byte < BUILD_ID_BYTES; byte++) {
                    text_add(text, "%02x", bytes[at + sizeof head + (uint32_t)byte]);
                }
                text_add(text, "\"");
                return;
            }
        }
    }
}

static void json_frame(struct text *text, const struct frame *frame)
{
    text_add(text, "{");
    json_text(text, "module", frame->module);
    text_add(text, ",\"offset\":%u", (unsigned)frame->offset);
    json_build_id(text, frame->address);
    text_add(text, "}");
}

static void json_region(struct text *text, const struct region *region, uintptr_t address)
{
    text_add(text,
             ",\"region\":{\"kind\":\"%s\",\"size\":%zu,\"gone\":%s,\"index\":%u,\"method\":%u,"
             "\"distance\":%lld,\"inside\":%lld}",
             kinds[region->kind], region->size, region->gone ? "true" : "false",
             (unsigned)region->index, (unsigned)region->method,
             (long long)region_distance(region, address),
             (long long)address - (long long)region->start);
}

static void tell(const struct crash *crash, const struct region *region)
{
    struct text text = text_start(line, sizeof line);
    struct frame frames[FRAMES_MAX];
    text_add(&text, "@crash {");
    json_text(&text, "kind", crash->kind);
    text_add(&text, ",");
    json_text(&text, "text", crash->text);
    text_add(&text, ",\"signal\":%d,\"address\":%lu", crash->number, (unsigned long)crash->address);
    if (fault_context.skel != NULL) {
        text_add(&text, ",\"method\":%u,", (unsigned)fault_context.method);
        json_text(&text, "skel", fault_context.skel);
        if (crash->pc == 0 && frame_at(fault_context.entry, &frames[0])) {
            text_add(&text, ",\"entry\":");
            json_frame(&text, &frames[0]);
        }
    }
    if (region != NULL) {
        json_region(&text, region, crash->address);
    }
    if (frame_at(crash->pc, &frames[0])) {
        text_add(&text, ",\"pc\":");
        json_frame(&text, &frames[0]);
    }
    if (frame_at(crash->lr, &frames[0])) {
        text_add(&text, ",\"lr\":");
        json_frame(&text, &frames[0]);
    }
    size_t count = frames_walk(crash->fp, frames, FRAMES_MAX);
    text_add(&text, ",\"frames\":[");
    for (size_t i = 0; i < count && text.used + 512 < text.room; i++) {
        text_add(&text, "%s", i == 0 ? "" : ",");
        json_frame(&text, &frames[i]);
    }
    text_add(&text, "]}");
    put_line(&text);
}

void report_running(int file, const struct running_call *call, unsigned seconds)
{
    char bytes[LINE_BYTES];
    struct text text = text_start(bytes, sizeof bytes);
    struct frame frame;
    text_add(&text, "@running {\"text\":\"has been running for %u s\",\"method\":%u,", seconds,
             (unsigned)call->method);
    json_text(&text, "skel", call->skel);
    bool first = true;
    for (size_t i = 0; i < call->address_count && text.used + 512 < text.room; i++) {
        if (i == 2) {
            text_add(&text, ",\"frames\":[");
        }
        if (frame_at(call->addresses[i], &frame)) {
            text_add(&text, "%s", i == 0 ? ",\"pc\":" : i == 1 ? ",\"lr\":" : first ? "" : ",");
            json_frame(&text, &frame);
            first = first && i < 2;
        }
    }
    text_add(&text, "%s}", call->address_count > 2 ? "]" : "");
    bytes[text.used] = '\n'; /* replaces the terminator */
    if (write(file, bytes, text.used + 1) < 0) {
        return; /* the line of the log is there */
    }
}

void report_pair(bool is_wrong, const char *text, const uintptr_t packets[3])
{
    static const char *const names[] = {", at ", ", written at ", ", copied at "};
    static const char *const keys[] = {",\"pc\":", ",\"lr\":", ",\"entry\":"};
    char bytes[LINE_BYTES / 4], people[LINE_BYTES / 16];
    struct text programs = text_start(bytes, sizeof bytes);
    struct text words = text_start(people, sizeof people);
    struct frame frame;
    text_add(&words, "%s", text);
    text_add(&programs, "@qf {\"kind\":\"%s\",\"text\":\"%s\"", is_wrong ? "wrong" : "copy", text);
    modules_list_lock();
    for (size_t i = 0; i < 3; i++) {
        if (packets[i] != 0 && frame_at(packets[i], &frame)) {
            text_add(&words, "%s%s+0x%x", names[i], frame.module, (unsigned)frame.offset);
            text_add(&programs, "%s", keys[i]);
            json_frame(&programs, &frame);
        }
    }
    modules_list_unlock();
    text_add(&programs, "}");
    bytes[programs.used] = '\n'; /* replaces the terminator */
    shell_log(is_wrong ? SHELL_ERROR : SHELL_HIGH, NULL, 0, people);
    if (running_reports() >= 0 && write(running_reports(), bytes, programs.used + 1) < 0) {
        return; /* the line of the log is there */
    }
}

void report_crash(const struct crash *crash)
{
    struct region region;
    bool found = crash->address != 0 && !crash->overflow &&
                 region_near(crash->address, REACH, &region);
    say(crash, found ? &region : NULL);
    tell(crash, found ? &region : NULL);
}
