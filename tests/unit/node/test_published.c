/* test_published.c - latencies of the node "modern" beside those published for such nodes: an H200
 * NVL and a ConnectX-7, whose messages went back to the same NIC. models/nodes/modern.ini says
 * which parameters came from which figure; the others are predictions. */
#include <criterion/criterion.h>

#include "node_rig.h"

#define US UINT64_C(1000000)

enum { HOST, GPU };
struct times {
    double arrived, sent; /* us from the CPU's call */
};

/* A message of 8 bytes, with what its call takes. */
static struct times message(int from, int to, const char *sets) {
    struct node_rig rig;
    uint8_t bytes[8] = {1}, into[8];
    struct times t = {0, 0};
    node_rig_create(&rig, sets);
    node_rig_send(
        &rig, &(struct cluster_message){.target = 1,
                                        .from = from == GPU ? node_rig_address(&rig, 0, 8192) : 0,
                                        .to = to == GPU ? node_rig_address(&rig, 1, 16384) : 0,
                                        .bytes = sizeof bytes,
                                        .data = bytes,
                                        .into = into});
    const double call = rig.config->mpi_send / 1000;
    for (uint64_t at = 0; at < 20 * US; at += US / 50) {
        struct cluster_event e;
        node_rig_run(&rig, at);
        while (cpu_messages_take(rig.messages, &e))
            *(e.kind == CLUSTER_SENT ? &t.sent : &t.arrived) = call + (double)e.at_ps / US;
    }
    node_rig_free(&rig);
    return t;
}

static void near(const char *what, double us, double measured, double percent) {
    const double error = 100 * (us / measured - 1);
    cr_log_info("%-52s %5.2f us, measured %5.2f: %+.1f %%\n", what, us, measured, error);
    cr_expect(error <= percent && error >= -percent, "%s: %.3f us, not %.2f", what, us, measured);
}

Test(published, a_write_that_the_cpu_posts) {
    near("CPU's write, host to host", message(HOST, HOST, "").arrived, 1.44, 20);
    near("CPU's write, GPU to GPU", message(GPU, GPU, "").arrived, 2.64, 20);
}

/* Until the source's CPU sees the completion. These predictions are too short: bands say by how
 * much at most. GPU and NIC were on different sockets there, and here they are not. */
Test(published, completions) {
    near("to the completion, bytes in the command", message(HOST, HOST, "").sent, 2.67, 25);
    near("to the completion, bytes in the host's memory", message(HOST, HOST, "nic.inline=0").sent,
         3.60, 25);
    near("to the completion, bytes in the GPU's memory", message(GPU, GPU, "").sent, 4.12, 30);
}
