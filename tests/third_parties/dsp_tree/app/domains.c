#include <domain.h>
#include <dsp_capabilities_utils.h>
#include <stdio.h>

domain *find_domain(int id) {
    for (size_t i = 0; i < sizeof supported_domains / sizeof supported_domains[0]; i++)
        if (supported_domains[i].id == id)
            return &supported_domains[i];
    return NULL;
}

void describe(void) {
    int id = -1;
    uint32_t arch = 0, page = 0;
    int error = get_dsp_support(&id) | get_hex_arch_ver(id, &arch) | get_vtcm_info(id, &page, VTCM_PAGE);
    printf("device: 0x%08x, %s, v%x, unsigned %d, compute %d %d%s\n", (unsigned) error,
           get_domain(id)->uri, (unsigned) arch & 0xff, get_unsignedpd_support(),
           is_valid_domain_id(ADSP_DOMAIN_ID, 1), is_valid_domain_id(id, 1), page ? ", VTCM" : "");
}
