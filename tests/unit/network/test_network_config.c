/* test_network_config.c - network files (network/network_config.c): shipped files are read, each
 * value has a source; an error names the file, the line and the key, and says what to do. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "network/network_config.h"

/* Loads a temporary network file with `text`; its name stays in `path` for messages. @return
 * network_config_load()'s result */
static heddle_err load_text(const char *text, struct heddle_diag *diag, char *path) {
    struct network_config *c = NULL;
    strcpy(path, "/tmp/heddle-network-XXXXXX.ini");
    int fd = mkstemps(path, 4);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
    heddle_err e = network_config_load(&c, path, NETWORKS, NULL, 0, diag);
    cr_expect_eq(c == NULL, e != HEDDLE_OK);
    network_config_free(c);
    unlink(path);
    return e;
}

/* Expects the error "<path>:<line>: <rest>" of a file with `text` behind "base = star-100g" and an
 * empty line; line 0: "<path>: <rest>", of `text` alone. */
static void expect_error(const char *text, int line, const char *rest) {
    char path[64], want[512], all[1024];
    struct heddle_diag diag = {0};
    snprintf(all, sizeof all, "%s%s", line ? "base = star-100g\n\n" : "", text);
    cr_expect_eq(load_text(all, &diag, path), HEDDLE_ERR_CONFIG);
    if (line)
        snprintf(want, sizeof want, "%s:%d: %s", path, line, rest);
    else
        snprintf(want, sizeof want, "%s: %s", path, rest);
    cr_expect_str_eq(diag.text, want);
}

/* Expects an error of star-100g with one value set. */
static void expect_set_error(const char *network, const char *set, const char *want) {
    struct network_config *c;
    struct heddle_diag diag = {0};
    cr_expect_eq(network_config_load(&c, network, NETWORKS, &set, 1, &diag), HEDDLE_ERR_CONFIG);
    cr_expect_null(c);
    cr_expect_str_eq(diag.text, want);
}

Test(network_config, shipped_star) {
    struct network_config *c;
    struct heddle_diag diag = {0};
    const char *sets[] = {"network.nodes = 7", "link.latency=0.25us"};
    cr_assert_eq(network_config_load(&c, "star-100g", NETWORKS, sets, 2, &diag), HEDDLE_OK, "%s",
                 diag.text);
    cr_expect_eq(c->nodes, 7);
    cr_expect_float_eq(c->link_latency, 250, 0);
    cr_expect_float_eq(c->link_rate, 12.5, 0);
    cr_expect_str_eq(c->topology, "star");
    cr_expect_str_eq(c->origin[NETWORK_ID_nodes].where, "--set");
    cr_expect_str_eq(c->origin[NETWORK_ID_link_rate].status, "derived");
    network_config_free(c);
}

/* Expects that every value that the file gives has a status and a source. */
static void expect_sources(const char *file) {
    struct network_config *c;
    struct heddle_diag diag = {0};
    unsigned from_file = 0;
    cr_assert_eq(network_config_load(&c, file, NETWORKS, NULL, 0, &diag), HEDDLE_OK, "%s",
                 diag.text);
    for (unsigned i = 0; i < NETWORK_NUM_PARAMS; i++) {
        if (!strcmp(c->origin[i].where, "default")) continue;
        from_file++;
        cr_expect(*c->origin[i].status, "%s: %s has no status", file, network_config_key(i));
        cr_expect(*c->origin[i].source, "%s: %s has no source", file, network_config_key(i));
    }
    cr_expect_gt(from_file, 10u);
    network_config_free(c);
}

Test(network_config, every_shipped_figure_has_a_source) {
    glob_t files;
    cr_assert_eq(glob(NETWORKS "/*.ini", 0, NULL, &files), 0);
    cr_expect_geq(files.gl_pathc, 4u);
    for (size_t i = 0; i < files.gl_pathc; i++) expect_sources(files.gl_pathv[i]);
    globfree(&files);
}

Test(network_config, errors_name_file_line_and_key) {
    expect_error("[link]\nlatncy = 1 ; ns | guessed | x\n", 4,
                 "unknown key 'link.latncy', did you mean 'link.latency'?");
    expect_error("[link]\nlatency = soon ; ns | guessed | x\n", 4,
                 "link.latency = soon is not a number");
    expect_error("[link]\nlatency = 0 ; ns | guessed | x\n", 4,
                 "link.latency = 0 is out of range: 0.001 to 1000000000 ns");
    expect_error("[link]\nrate = 100Gb/s ; GB/s | guessed | x\n", 4,
                 "link.rate = 100Gb/s: 'Gb/s' is no unit of it, there are: B/s, kB/s, MB/s, GB/s, "
                 "TB/s");
    expect_error("[network]\nnodes = 1.5 ; nodes | guessed | x\n", 4,
                 "network.nodes = 1.5 must be a whole number");
    expect_error("[network]\nnodes = ; nodes | guessed | x\n", 4, "network.nodes has no value");
    expect_error("[network]\nnodes = 2\n", 4,
                 "network.nodes has no remark '; unit | status | source'");
    expect_error("[network]\nnodes = 2 ; hosts | guessed | x\n", 4,
                 "network.nodes is in nodes, not in 'hosts'");
    expect_error("[network]\nnodes = 2 ; nodes | rumour | x\n", 4,
                 "network.nodes: status 'rumour' is none of vendor, measured, fitted, derived, "
                 "guessed");
    expect_error("[network]\nmodel = flow ; text | guessed | x\n", 4,
                 "network.model = 'flow' is none of loggp, packets");
    expect_error("[network]\ntopology = torus ; text | guessed | x\n", 4,
                 "network.topology = 'torus' is none of star, fat_tree, dragonfly");
    expect_error("[network]\ntopology = a_very_long_name ; text | guessed | x\n", 4,
                 "network.topology = 'a_very_long_name': a text of 1 to 15 characters is expected");
    expect_error("[packet]\nforwarding = wormhole ; text | guessed | x\n", 4,
                 "packet.forwarding = 'wormhole' is none of cut_through, store_and_forward");
    expect_error("[network]\nname = x ; text | guessed | x\n", 0,
                 "'network.nodes' is missing (nodes that send and receive, in nodes)");
}

Test(network_config, impossible_networks) {
    expect_error(
        "[packet]\nbuffer = 4000 ; bytes | guessed | x\n", 4,
        "packet.buffer = 4000 has no room for a packet of packet.mtu + packet.header (4096 "
        "bytes): raise it, or lower packet.mtu");
    expect_error("[star]\nports = 31 ; ports | guessed | x\n", 4,
                 "star.ports = 31 are too few for 32 nodes: raise it, or choose a fat_tree");
    expect_error("[network]\ntopology = fat_tree ; text | guessed | x\n", 4,
                 "a fat_tree needs fat_tree.arity of 2 or more and fat_tree.levels of 1 or more");
    expect_error("[network]\ntopology = fat_tree ; text | guessed | x\n[fat_tree]\n"
                 "arity = 3 ; ports | guessed | x\nlevels = 3 ; levels | guessed | x\n",
                 6,
                 "fat_tree.arity = 3 with 3 levels has room for 27 nodes, not for 32: raise "
                 "fat_tree.arity or fat_tree.levels");
    expect_error("[loggp.class2]\nfrom = 10 ; bytes | guessed | x\n", 4,
                 "loggp.class2.from = 10 must be more than that of the class before, which must "
                 "exist");
    expect_error("[loggp.class1]\nfrom = 10 ; bytes | guessed | x\n", 4,
                 "loggp.class1.from = 10 needs a loggp.class1.latency above 0 (in ns)");
    expect_set_error(
        "fat-tree", "fat_tree.levels=9",
        "--set: fat_tree.levels = 9 makes a fat_tree of 1.23695e+12 ports of switches: "
        "at most 67108864 are possible");
    expect_set_error(
        "dragonfly", "dragonfly.hosts=3",
        NETWORKS
        "/dragonfly.ini:24: dragonfly.groups * routers * hosts = 792 is less than 1056 nodes: "
        "raise one of them");
    expect_set_error(
        "dragonfly", "dragonfly.global_links=3",
        NETWORKS
        "/dragonfly.ini:24: dragonfly.groups = 33: a group has 24 links to others, fewer than "
        "there are other groups: raise dragonfly.global_links or dragonfly.routers");
    expect_set_error("star-100g", "star.ports", "--set star.ports: KEY=VALUE expected");
}

Test(network_config, a_missing_file_names_those_that_exist) {
    struct network_config *c;
    struct heddle_diag diag = {0};
    cr_expect_eq(network_config_load(&c, "token-ring", NETWORKS, NULL, 0, &diag),
                 HEDDLE_ERR_CONFIG);
    cr_expect_str_eq(diag.text, "network 'token-ring': cannot open " NETWORKS
                                "/token-ring.ini: No such file or directory, there are: dragonfly, "
                                "fat-tree, mvapich-tukey, star-100g");
}
