/* forms.c: reads the table of the instructions of HMX. */
#include "forms.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* The table is in another place of an installed package than of a clone. */
#pragma GCC diagnostic ignored "-Wc23-extensions"
static char table[] = {
#if __has_embed("../../buildtool/toolchains/hmx_forms.tsv")
#embed "../../buildtool/toolchains/hmx_forms.tsv"
#else
#embed "../../../toolchains/hmx_forms.tsv"
#endif
    , 0};

#define COLUMNS 8 /* name, syntax, encoding, first, last, class, slots, source */

static struct hmx_form forms[HMX_FORMS_MAX];
static uint32_t form_count;

/* "10100110111sssssPP0ttttt--000100": only its digits are fixed. */
static void set_encoding(struct hmx_form *form, const char *encoding)
{
    for (; *encoding != 0; encoding++) {
        form->mask = form->mask << 1 | (*encoding == '0' || *encoding == '1');
        form->bits = form->bits << 1 | (*encoding == '1');
    }
}

static void read_table(void)
{
    char *row = table, *next;
    for (; row[0] != 0 && form_count < HMX_FORMS_MAX; row = next) {
        char *columns[COLUMNS] = {0};
        next = row + strcspn(row, "\n");
        next += *next == '\n' ? (*next = 0, 1) : 0;
        for (size_t i = 0; i < COLUMNS && row != NULL; i++) {
            columns[i] = strsep(&row, "\t");
        }
        if (columns[5] == NULL || columns[0][0] == '#' || strcmp(columns[0], "name") == 0) {
            continue;
        }
        struct hmx_form *form = &forms[form_count++];
        *form = (struct hmx_form){.name = columns[0],
                                  .syntax = columns[1],
                                  .class = columns[5],
                                  .first = (uint32_t)strtoul(columns[3], NULL, 16),
                                  .last = (uint32_t)strtoul(columns[4], NULL, 16)};
        set_encoding(form, columns[2]);
    }
}

const struct hmx_form *hmx_form(uint32_t number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_table);
    return number < form_count ? &forms[number] : NULL;
}

uint32_t hmx_form_of(uint32_t word)
{
    const struct hmx_form *form;
    for (uint32_t i = 0; (form = hmx_form(i)) != NULL; i++) {
        if ((word & form->mask) == form->bits) {
            return i;
        }
    }
    return HMX_NO_FORM;
}
