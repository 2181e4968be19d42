/* domain_of_calls.h: the DSP that calls go to in place of the CDSP, by its name in
 * BUILDTOOL_DSP_DOMAIN (`--domain`); with BUILDTOOL_DSP_SIGNED (`--signed`) in a signed process.
 *
 * A program names the CDSP in URIs, by its number, and by its name in requests for sessions.  What
 * names another DSP, and the numbers of further sessions, which such requests return, stay. */
#ifndef BUILDTOOL_DOMAIN_OF_CALLS_H
#define BUILDTOOL_DOMAIN_OF_CALLS_H

#define URI_SIZE 1024

static const char *const domain_names[] = {"adsp",  "mdsp",  "sdsp", "cdsp",
                                           "cdsp1", "gdsp0", "gdsp1"};
static int chosen_domain = CDSP_DOMAIN_ID;
static int is_signed;

/* The length of `text` if it begins with `start`, and 0 otherwise. */
static size_t begins(const char *text, const char *start)
{
    size_t length = 0;
    while (start[length] != '\0' && text[length] == start[length]) {
        length++;
    }
    return start[length] == '\0' ? length : 0;
}

static void choose_domain(void)
{
    const char *name = getenv("BUILDTOOL_DSP_DOMAIN");
    is_signed = getenv("BUILDTOOL_DSP_SIGNED") != NULL;
    for (int i = 0; name != NULL && i < (int)(sizeof domain_names / sizeof *domain_names); i++) {
        const size_t length = begins(name, domain_names[i]);
        if (length != 0 && name[length] == '\0') {
            chosen_domain = i;
        }
    }
}

static int domain_for(int domain)
{
    return domain == CDSP_DOMAIN_ID ? chosen_domain : domain;
}

/* The URI for `uri`, in `room` if it is another one; NULL if it has no room there. */
static const char *uri_for(const char *uri, char room[URI_SIZE])
{
    size_t used = 0;
    if (chosen_domain == CDSP_DOMAIN_ID || uri == NULL) {
        return uri;
    }
    while (*uri != '\0' && used + sizeof "&_dom=gdsp1" < URI_SIZE) {
        const size_t length = begins(uri, CDSP_DOMAIN);
        if (length == 0 || (uri[length] != '\0' && uri[length] != '&')) {
            room[used++] = *uri++;
            continue;
        }
        uri += length;
        for (const char *part = "&_dom="; *part != '\0'; part++) {
            room[used++] = *part;
        }
        for (const char *part = domain_names[chosen_domain]; *part != '\0'; part++) {
            room[used++] = *part;
        }
    }
    room[used] = '\0';
    return *uri == '\0' ? room : NULL;
}

/* Where a request for a session has the number of a DSP; NULL if it has none, or another size. */
static int *domain_in(uint32_t request, void *data, uint32_t size)
{
    if (data == NULL || size < sizeof(int)) {
        return NULL;
    }
    switch (request) {
    case FASTRPC_THREAD_PARAMS:
    case DSPRPC_CONTROL_UNSIGNED_MODULE:
    case FASTRPC_RELATIVE_THREAD_PRIORITY:
    case FASTRPC_REMOTE_PROCESS_KILL:
    case FASTRPC_SESSION_CLOSE:
    case FASTRPC_CONTROL_PD_DUMP:
    case FASTRPC_REMOTE_PROCESS_EXCEPTION:
    case FASTRPC_REMOTE_PROCESS_TYPE:
    case FASTRPC_PD_INITMEM_SIZE:
        return data; /* it comes first */
    case FASTRPC_REGISTER_STATUS_NOTIFICATIONS:
        return size == sizeof(remote_rpc_notif_register_t)
                   ? &((remote_rpc_notif_register_t *)data)->domain
                   : NULL;
    default:
        return NULL;
    }
}

/* How requests that name a DSP begin. */
struct named {
    char *name;
    uint32_t length;
};

static struct named *name_in(uint32_t request, void *data, uint32_t size)
{
    struct named *named = data;
    if ((request != FASTRPC_RESERVE_NEW_SESSION && request != FASTRPC_GET_EFFECTIVE_DOMAIN_ID &&
         request != FASTRPC_GET_URI) ||
        data == NULL || size < sizeof *named || named->name == NULL || named->length < 4 ||
        begins(named->name, CDSP_DOMAIN_NAME) == 0) {
        return NULL;
    }
    return named->length == 4 || named->name[4] == '\0' ? named : NULL;
}

typedef int session_function(uint32_t request, void *data, uint32_t size);

static int session_control_for(session_function *real, uint32_t request, void *data, uint32_t size)
{
    const struct remote_rpc_control_unsigned_module *unsigned_process = data;
    if (is_signed && request == DSPRPC_CONTROL_UNSIGNED_MODULE && data != NULL &&
        size >= sizeof *unsigned_process && unsigned_process->enable) {
        return 0; /* not asked for: the DSP judges the skels by their signatures */
    }
    int *domain = domain_in(request, data, size);
    struct named *named = name_in(request, data, size);
    if (chosen_domain == CDSP_DOMAIN_ID || (domain == NULL && named == NULL)) {
        return real(request, data, size);
    }
    if (named != NULL) {
        const struct named former = *named;
        const char *name = domain_names[chosen_domain];
        named->name = (char *)name;
        named->length = 0;
        while (name[named->length] != '\0') {
            named->length++;
        }
        const int code = real(request, data, size);
        *named = former;
        return code;
    }
    /* Audio, modem and sensor DSPs have signed processes only, which load what the device accepts. */
    if (request == DSPRPC_CONTROL_UNSIGNED_MODULE && chosen_domain <= SDSP_DOMAIN_ID &&
        (*domain == CDSP_DOMAIN_ID || *domain == -1)) {
        struct remote_rpc_control_unsigned_module back = {chosen_domain, 0};
        const int code = *domain == -1 ? real(request, data, size) : 0;
        return code == 0 ? real(request, &back, sizeof back) : code;
    }
    const int former = *domain;
    *domain = domain_for(former);
    const int code = real(request, data, size);
    *domain = former;
    return code;
}

static int control_for(session_function *real, uint32_t request, void *data, uint32_t size)
{
    struct remote_dsp_capability *asked = data;
    if (request != DSPRPC_GET_DSP_INFO || data == NULL || size < sizeof *asked ||
        asked->domain != CDSP_DOMAIN_ID) {
        return real(request, data, size);
    }
    asked->domain = (uint32_t)chosen_domain;
    const int code = real(request, data, size);
    asked->domain = CDSP_DOMAIN_ID;
    return code;
}

#endif
