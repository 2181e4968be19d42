/* uri.h: URIs of modules. */
#ifndef BUILDTOOL_CDSPRPC_URI_H
#define BUILDTOOL_CDSPRPC_URI_H

#include <stdbool.h>
#include <stddef.h>

#define URI_NAME_MAX 256

struct uri {
    char file[URI_NAME_MAX];   /* libX_skel.so */
    char symbol[URI_NAME_MAX]; /* X_skel_handle_invoke */
    bool is_64;                /* the URI has _modver=1.0: the entry takes a handle */
    int domain;                /* from _dom=, or -1 */
    int session;               /* from _session=, or 0 */
};

/* Parses a module's URI or name. Returns AEE_EBADPARM when it is invalid. */
int uri_parse(const char *text, struct uri *uri);

/* Returns the name of a domain id. An effective domain id is not valid here. */
const char *domain_name(int domain);
/* Returns the id of the domain with the name name[0, n), or -1. */
int domain_by_name(const char *name, size_t n);

#endif
