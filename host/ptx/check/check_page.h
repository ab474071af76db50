/* check_page.h - the page docs/ptx-forms.md, made from the tables of the check. */
#ifndef PTX_CHECK_PAGE_H
#define PTX_CHECK_PAGE_H

#include <stdio.h>

/* Writes the page. */
void check_print_page(FILE *out);

#endif
