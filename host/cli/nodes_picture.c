/* nodes_picture.c - the parameters of nodes and their network in words; see nodes_picture.h. */
#include "cli/nodes_picture.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void write_to(char *text, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void write_to(char *text, size_t size, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, size, format, arguments);
    va_end(arguments);
}
#define WRITE(member, ...) write_to((member), sizeof(member), __VA_ARGS__)

typedef unsigned long long ull;

static void write_threads(struct topology_nodes *n, enum node_design design,
                          const struct node_config *c) {
    n->has_threads = design == DESIGN_COMPNET;
    if (design_is_on_cpu(design))
        WRITE(n->cpu, "%llu service threads at %.5g MHz, %.4g ns from the GPU's memory",
              (ull)c->cp_threads, c->cpu_clock,
              design == DESIGN_APU ? c->cpu_coherent : c->cpu_link);
    WRITE(n->command_processor.line[0], "Command processor: %llu service threads",
          (ull)c->cp_threads);
    WRITE(n->command_processor.line[1], "%.5g MHz, %g instructions a cycle", c->cp_clock,
          c->cp_ipc);
    WRITE(n->command_processor.line[2], "a look %llu, a command %llu, completion %llu",
          (ull)c->cp_poll, (ull)c->cp_issue, (ull)c->cp_complete);
    WRITE(n->to_l2.name, "command processor - GPU");
    WRITE(n->to_l2.label[0], "loads and stores, served by L2");
    WRITE(n->doorbell.name, "command processor - NIC: doorbell %.4g ns", c->link_latency);
    WRITE(n->doorbell.label[0], "doorbell %.4g ns", c->link_latency);
}

static void write_nic(struct topology_nodes *n, const struct node_config *c) {
    WRITE(n->nic.line[0], "NIC: a command each %.4g ns", c->nic_command);
    WRITE(n->nic.line[1], "sends after %.4g ns, receives after %.4g ns", c->nic_send,
          c->nic_receive);
    WRITE(n->nic.line[2], "segments of %llu bytes", (ull)c->nic_segment);
    WRITE(n->to_gpu.name, "NIC - GPU: %.4g ns, %.4g GB/s each way", c->link_latency, c->link_rate);
    WRITE(n->to_gpu.label[0], "%.4g ns, %.4g GB/s each way", c->link_latency, c->link_rate);
    WRITE(n->to_gpu.label[1], "transactions of %llu + %llu bytes", (ull)c->link_payload,
          (ull)c->link_header);
    WRITE(n->to_cpu.name, "NIC - CPU: %.4g ns", c->host_latency);
    WRITE(n->to_cpu.label[0], "CPU - NIC: %.4g ns", c->host_latency);
    WRITE(n->to_cpu.label[1], "its memory %.4g ns more", c->host_memory);
    WRITE(n->to_network.name, "NIC - network");
}

/* The ways of packets. */
static void write_ways(char *text, size_t size, const struct network_config *c) {
    char between[80] = "", groups[80] = "";
    if (strcmp(c->topology, "star"))
        WRITE(between, "; between switches %.4g ns, %.4g GB/s", c->local_latency, c->local_rate);
    if (!strcmp(c->topology, "dragonfly"))
        WRITE(groups, "; between groups %.4g ns, %.4g GB/s", c->global_latency, c->global_rate);
    write_to(text, size, "node - switch %.4g ns, %.4g GB/s; a switch %.4g ns%s%s", c->link_latency,
             c->link_rate, c->switch_latency, between, groups);
}

static void write_network(struct topology_text *t, const struct network_config *c) {
    WRITE(t->line[0], "Network: %s", c->name);
    if (strcmp(c->model, "packets")) {
        WRITE(t->line[1], "%.4g ns, %.4g GB/s at each port", c->loggp_latency,
              1000 / c->loggp_byte);
        WRITE(t->line[2], "LogGP");
        return;
    }
    write_ways(t->line[1], sizeof t->line[1], c);
    WRITE(t->line[2], "%s, packets of up to %llu bytes, buffers of %llu", c->topology, (ull)c->mtu,
          (ull)c->buffer);
}

void nodes_picture(struct topology_nodes *out, unsigned count, enum node_design design,
                   const struct node_config *node, const struct network_config *network) {
    *out = (struct topology_nodes){.count = count};
    write_threads(out, design, node);
    write_nic(out, node);
    write_network(&out->network, network);
}
