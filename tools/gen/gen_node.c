/* gen_node.c - prints docs/node-parameters.md to standard output; a test compares it with the page.
 * host/node/node_config.c makes the page from the table. */
#include "node/node_config.h"

int main(void) {
    node_config_print_page(stdout);
    return 0;
}
