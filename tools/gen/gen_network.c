/* gen_network.c - prints docs/network-parameters.md to standard output; a test compares it with the
 * page. host/network/network_config.c makes the page from the table. */
#include "network/network_config.h"

int main(void) {
    network_config_print_page(stdout);
    return 0;
}
