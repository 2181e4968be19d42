#include <domain.h>
#include <stddef.h>

domain *find_domain(int id) {
    for (size_t i = 0; i < sizeof supported_domains / sizeof supported_domains[0]; i++)
        if (supported_domains[i].id == id)
            return &supported_domains[i];
    return NULL;
}
