/* dram_page.h - the tables of the memory models as the page docs/memory-tables.md, for `heddle
 * config --page memory`. */
#ifndef HEDDLE_MODELS_HBM_DRAM_PAGE_H
#define HEDDLE_MODELS_HBM_DRAM_PAGE_H

#include <stdio.h>

void dram_print_page(FILE *out);

#endif
