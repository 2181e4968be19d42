/* uri.c: parses URIs: file:///libX_skel.so?X_skel_handle_invoke&_modver=1.0&_dom=cdsp&_session=1
 *
 * A bare name X means libX_skel.so with X_skel_invoke. The rules are those of the open-source
 * libcdsprpc (quic/fastrpc, src/mod_table.c and src/fastrpc_apps_user.c). */
#include "uri.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cdsprpc.h"

#define SCHEME "file://"

static const char *const names[] = {"adsp", "mdsp", "sdsp", "cdsp", "cdsp1", "gdsp0", "gdsp1"};

#define NAMES ((int)(sizeof names / sizeof names[0]))

const char *domain_name(int domain)
{
    return domain >= 0 && domain < NAMES ? names[domain] : "?";
}

int domain_by_name(const char *name, size_t n)
{
    for (int i = 0; i < NAMES; i++) {
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0) {
            return i;
        }
    }
    return -1;
}

static bool copy(char *to, const char *from, size_t n)
{
    if (n == 0 || n >= URI_NAME_MAX) {
        return false;
    }
    memcpy(to, from, n);
    to[n] = 0;
    return true;
}

static int options_parse(const char *text, struct uri *uri)
{
    while (*text != 0) {
        size_t length = strcspn(text, "&");
        if (strncmp(text, "_modver=", 8) == 0) {
            uri->is_64 = length == 11 && memcmp(text + 8, "1.0", 3) == 0;
        } else if (strncmp(text, "_dom=", 5) == 0) {
            uri->domain = domain_by_name(text + 5, length - 5);
            if (uri->domain < 0) {
                return AEE_EBADPARM;
            }
        } else if (strncmp(text, "_session=", 9) == 0) {
            char *end;
            long session = strtol(text + 9, &end, 10);
            if (end == text + 9 || end != text + length || session < 0 || session >= SESSIONS) {
                return AEE_EBADPARM;
            }
            uri->session = (int)session;
        }
        text += length + (text[length] == '&');
    }
    return AEE_SUCCESS;
}

int uri_parse(const char *text, struct uri *uri)
{
    memset(uri, 0, sizeof *uri);
    uri->domain = -1;
    if (strncmp(text, SCHEME, strlen(SCHEME)) != 0) {
        size_t length = strcspn(text, "?&");
        bool fits = length > 0 && length < URI_NAME_MAX - 16 && memchr(text, '/', length) == NULL;
        if (!fits) {
            return AEE_EBADPARM;
        }
        snprintf(uri->file, sizeof uri->file, "lib%.*s_skel.so", (int)length, text);
        snprintf(uri->symbol, sizeof uri->symbol, "%.*s_skel_invoke", (int)length, text);
        return options_parse(text + length + (text[length] != 0), uri);
    }
    text += strlen(SCHEME);
    text += *text == '/';
    const char *mark = strchr(text, '?');
    if (mark == NULL || !copy(uri->file, text, (size_t)(mark - text))) {
        return AEE_EBADPARM;
    }
    size_t length = strcspn(mark + 1, "&");
    if (!copy(uri->symbol, mark + 1, length)) {
        return AEE_EBADPARM;
    }
    const char *options = mark + 1 + length;
    return options_parse(options + (*options == '&'), uri);
}
