/* gen_kernel.c - generates what Vitis must know of the kernel from tables/core_ports.def and
 * tables/core_regs.def:
 *
 *   gen_kernel xml   kernel.xml     for package_xo, v++ and, in the image, XRT
 *   gen_kernel tcl   registers.tcl  lists for xclbin/package_kernel.tcl
 *
 * xclbin/Makefile runs it. Each print_*() writes one of the files to standard output; the tables
 * are compiled in. Exit status 1: the tables have not just one master and one slave port, which an
 * argument could belong to; 2: wrong usage. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct kernel {
    const char *name, *vlnv, *protocol;
} kernel[] = {
#define KERNEL(name, vlnv, protocol) {#name, vlnv, protocol},
#define PORT(name, mode, range, bits, text)
#include "tables/core_ports.def"
#undef KERNEL
#undef PORT
};

static const struct port {
    const char *name, *mode; /* mode: slave or master */
    uint64_t range;          /* bytes */
    int bits;
    const char *text;
} ports[] = {
#define KERNEL(name, vlnv, protocol)
#define PORT(name, mode, range, bits, text) {#name, #mode, range, bits, text},
#include "tables/core_ports.def"
#undef KERNEL
#undef PORT
};

static const struct arg {
    int number;
    unsigned offset; /* bytes */
    const char *name;
    int bits, buffer; /* buffer 1: the address of a buffer */
    const char *text;
} args[] = {
#define CONSTANT(name, value, text)
#define ARG(number, offset, name, bits, buffer, text) {number, offset, #name, bits, buffer, text},
#define REG(offset, name, text)
#define COUNTER(number, name, text)
#include "tables/core_regs.def"
};

/* @return the name of the only port of this mode, NULL: there are none or several. */
static const char *port_of(const char *mode) {
    const char *found = NULL;
    int num = 0;
    for (size_t i = 0; i < COUNT(ports); i++)
        if (!strcmp(ports[i].mode, mode)) {
            found = ports[i].name;
            num++;
        }
    return num == 1 ? found : NULL;
}

/* Prints kernel.xml. The type of an argument tells XRT how many bytes a scalar has. */
static void print_xml(const char *slave, const char *master) {
    printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
           "<!-- Generated from host/tables/core_ports.def and core_regs.def: do not edit. -->\n"
           "<root versionMajor=\"1\" versionMinor=\"6\">\n"
           "  <kernel name=\"%s\" language=\"ip_c\" vlnv=\"%s\" attributes=\"\""
           " preferredWorkGroupSizeMultiple=\"0\" workGroupSize=\"1\" interrupt=\"true\""
           " hwControlProtocol=\"%s\">\n    <ports>\n",
           kernel->name, kernel->vlnv, kernel->protocol);
    for (size_t i = 0; i < COUNT(ports); i++)
        printf("      <port name=\"%s\" mode=\"%s\" range=\"0x%llX\" dataWidth=\"%d\""
               " portType=\"addressable\" base=\"0x0\"/>\n",
               ports[i].name, ports[i].mode, (unsigned long long)ports[i].range, ports[i].bits);
    printf("    </ports>\n    <args>\n");
    for (size_t i = 0; i < COUNT(args); i++) {
        const struct arg *a = &args[i];
        printf("      <arg name=\"%s\" addressQualifier=\"%d\" id=\"%d\" port=\"%s\" size=\"0x%x\""
               " offset=\"0x%03x\" hostOffset=\"0x0\" hostSize=\"0x%x\" type=\"%s\"/>\n",
               a->name, a->buffer, a->number, a->buffer ? master : slave, a->bits / 8, a->offset,
               a->bits / 8,
               a->buffer       ? "void*"
               : a->bits == 64 ? "ulong"
                               : "uint");
    }
    printf("    </args>\n  </kernel>\n</root>\n");
}

/* Prints registers.tcl: variables, and lists with a list for each port and each argument. */
static void print_tcl(const char *slave, const char *master) {
    printf("# Generated from host/tables/core_ports.def and core_regs.def: do not edit.\n"
           "set kernel_name %s\nset kernel_vlnv %s\nset kernel_protocol %s\nset kernel_control %s\n"
           "# {name mode bits}\nset kernel_ports {\n",
           kernel->name, kernel->vlnv, kernel->protocol, slave);
    for (size_t i = 0; i < COUNT(ports); i++)
        printf("  {%s %s %d}\n", ports[i].name, ports[i].mode, ports[i].bits);
    printf("}\n# {name offset bits port-of-the-buffer-or-empty meaning}\nset kernel_args {\n");
    for (size_t i = 0; i < COUNT(args); i++)
        printf("  {%s 0x%03x %d %s {%s}}\n", args[i].name, args[i].offset, args[i].bits,
               args[i].buffer ? master : "{}", args[i].text);
    printf("}\n");
}

int main(int argc, char **argv) {
    const char *slave = port_of("slave"), *master = port_of("master");
    if (!slave || !master) {
        fprintf(stderr, "gen_kernel: core_ports.def needs one slave and one master port: "
                        "core_regs.def does not say which of several an argument belongs to\n");
        return 1;
    }
    if (argc == 2 && !strcmp(argv[1], "xml"))
        print_xml(slave, master);
    else if (argc == 2 && !strcmp(argv[1], "tcl"))
        print_tcl(slave, master);
    else {
        fprintf(stderr, "usage: gen_kernel xml|tcl\n");
        return 2;
    }
    return 0;
}
