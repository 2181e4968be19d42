/* A stand-in for libqcnpuperf with the names and types of qualcomm/libqcnpuperf at 4822c0a1
 * (inc/qcom_dsp.h, src/qcnpuperf.map); what it answers is made up. */
#include <stddef.h>

struct data {
    float load;
    unsigned clock;
    float hvx, hmx;
};
static struct data now = {42.5f, 1209600, 12.25f, 0};
static int session;

void *qcom_dsp_open(int domain)
{
#ifdef REFUSES
    (void)domain;
    return NULL;
#else
    return domain == 3 ? &session : NULL;
#endif
}

void *qcom_dsp_get_prof_data(void *of, int *count)
{
    *count = of == &session ? 14 : 0;
    now.hmx += 1.5f;
    return *count ? &now : NULL;
}

float qcom_dsp_prof_get_q6_utilization(const struct data *data)
{
    return data->load;
}

unsigned qcom_dsp_prof_get_q6_clock(const struct data *data)
{
    return data->clock;
}

float qcom_dsp_prof_get_hvx_utilization(const struct data *data)
{
    return data->hvx;
}

float qcom_dsp_prof_get_hmx_utilization(const struct data *data)
{
    return data->hmx;
}

unsigned qcom_dsp_prof_get_q6_arch_version(void *of)
{
    return of == &session ? 0x68 : 0;
}

void qcom_dsp_close(void *of)
{
    session += of == &session;
}
