/* test_netsim.c - the simulation of netlists on small ones written by hand: what each parameter of
 * a memory means, initial values, and the messages for what is not known. */
#include <criterion/criterion.h>
#include <glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/synthesis/netsim/netsim.h"

/* Reads a netlist from text. */
static struct netsim_design *design(const char *text) {
    char *path;
    const int fd = g_file_open_tmp(NULL, &path, NULL);
    cr_assert(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    struct netsim_design *d = netsim_design_read(path, "clk");
    unlink(path);
    g_free(path);
    return d;
}

static void put(struct netsim *s, struct netsim_design *d, const char *port, unsigned width,
                uint32_t value) {
    netsim_put(s, netsim_port(d, port, false, width), &value);
}

static uint64_t get(struct netsim *s, struct netsim_design *d, const char *port, unsigned width) {
    return *netsim_get(s, netsim_port(d, port, true, width));
}

#define LOOP ".model m\n.inputs clk a b\n.outputs y q\n"
#define GATES                                             \
    ".model m\n.inputs clk a b\n.outputs y q z[0] z[1]\n" \
    ".names $false\n.names $true\n1\n.names $undef\n"

Test(netsim, logic_and_wires) {
    struct netsim_design *d = design(GATES ".subckt LUT2 I0=a I1=b O=t\n.param INIT 0110\n"
                                           ".subckt MUXF7 I0=$true I1=t S=a O=y\n"
                                           ".subckt INV I=b O=z[0]\n"
                                           ".names t w\n1 1\n.names w z[1]\n1 1\n"
                                           ".names $true q\n1 1\n.end\n");
    struct netsim *s = netsim_new(d, 1);
    for (unsigned row = 0; row < 4; row++) {
        const unsigned a = row & 1, b = row >> 1;
        put(s, d, "a", 1, a);
        put(s, d, "b", 1, b);
        netsim_clock(s);
        cr_assert_eq(get(s, d, "y", 1), a ? a ^ b : 1);
        cr_assert_eq(get(s, d, "z", 2), (unsigned)!b | (a ^ b) << 1);
        cr_assert_eq(get(s, d, "q", 1), 1);
    }
    size_t rows, reached;
    netsim_rows(d, &rows, &reached);
    cr_assert_eq(rows, 4 + 8 + 2);
    cr_assert_eq(reached, 4 + 4 + 2); /* the MUXF's I0 is constant, and t hangs on a */
    netsim_free(s);
    netsim_design_free(d);
}

Test(netsim, initial_values) {
    struct netsim_design *d = design(
        GATES ".subckt FDRE C=clk CE=$false D=a Q=y R=$false\n.param INIT 1\n"
              ".subckt FDSE C=clk CE=$true D=a Q=q S=b\n.param INIT 0\n"
              ".subckt FDRE C=clk CE=$false D=a Q=z[0] R=$false\n.param INIT x\n"
              ".subckt FDRE C=clk CE=$true D=$undef Q=z[1] R=$false\n.param INIT x\n.end\n");
    unsigned ones = 0;
    for (uint64_t seed = 0; seed < 64; seed++) {
        struct netsim *s = netsim_new(d, seed);
        cr_assert_eq(get(s, d, "y", 1), 1);
        cr_assert_eq(get(s, d, "q", 1), 0);
        if (!seed) cr_assert_eq(get(s, d, "z", 2), 0);
        ones += (unsigned)__builtin_popcountll(get(s, d, "z", 2));
        netsim_clock(s);
        cr_assert_eq(get(s, d, "y", 1), 1);
        put(s, d, "b", 1, 1);
        netsim_clock(s);
        cr_assert_eq(get(s, d, "q", 1), 1);
        struct netsim *copy = netsim_copy(s);
        put(s, d, "b", 1, 0);
        netsim_clock(s);
        cr_assert_eq(get(s, d, "q", 1), 0);
        netsim_clock(copy);
        cr_assert_eq(get(copy, d, "q", 1), 1);
        cr_assert_eq(netsim_worked(copy).clocks, 3);
        netsim_free(copy);
        netsim_free(s);
    }
    cr_assert(ones > 32 && ones < 96, "%u of 126 values of x are 1", ones);
    netsim_design_free(d);
}

/* t matters where b is 1: y is t & b; the register r takes t where a is 1. */
#define ROWS                                                 \
    ".model m\n.inputs clk a b\n.outputs y\n.names $false\n" \
    ".subckt INV I=a O=t\n.cname inverter\n"                 \
    ".subckt LUT2 I0=t I1=b O=y\n.param INIT 1000\n"         \
    ".subckt FDRE C=clk CE=a D=t Q=r[3] R=$false\n.param INIT 0\n.end\n"

static bool matters(struct netsim *s, struct netsim_design *d, struct netsim_row row, unsigned a,
                    unsigned b) {
    put(s, d, "a", 1, a);
    put(s, d, "b", 1, b);
    netsim_settle(s);
    return netsim_row_stands(s, row) && netsim_row_matters(s, row);
}

Test(netsim, rows_of_luts) {
    struct netsim_design *d = design(ROWS);
    struct netsim *s = netsim_new(d, 0);
    size_t rows, reached;
    netsim_in_reset(s, true);
    netsim_clock(s);
    netsim_rows(d, &rows, &reached);
    cr_assert_eq(rows, 2 + 4);
    cr_assert_eq(reached, 0, "a reset does not count");
    netsim_in_reset(s, false);
    netsim_clock(s);
    netsim_rows(d, &rows, &reached);
    cr_assert_eq(reached, 2, "what stood in the reset stands behind it");
    const struct netsim_row row = netsim_row_at(d, 0);
    cr_assert_eq(row.row, 0);
    cr_assert_str_eq(netsim_row_name(d, row), "t");
    cr_assert_not(matters(s, d, row, 0, 0));
    cr_assert(matters(s, d, row, 0, 1), "an output");
    cr_assert_not(matters(s, d, row, 1, 1), "it does not stand");
    const struct netsim_row other = {row.lut, 1};
    cr_assert(matters(s, d, other, 1, 0), "a register");
    netsim_clock(s);
    cr_assert_eq(get(s, d, "y", 1), 0, "what was tried is undone");
    netsim_invert(s, other);
    netsim_clock(s);
    cr_assert_eq(*netsim_signal_value(s, 0), 8, "the register took the inverted row");
    const struct netsim_signal signal = netsim_signal_at(d, 0);
    cr_assert_eq(netsim_num_signals(d), 1);
    cr_assert_str_eq(signal.name, "r");
    cr_assert_eq(signal.bits, 4);
    cr_assert_eq(*signal.present, 8);
    struct netsim *later = netsim_new(d, 0);
    put(later, d, "a", 1, 1);
    netsim_clock(later);
    cr_assert_eq(*netsim_signal_value(later, 0), 0, "inverted in one simulation alone");
    netsim_design_invert(d, other);
    netsim_free(later);
    later = netsim_new(d, 0);
    put(later, d, "a", 1, 1);
    netsim_clock(later);
    cr_assert_eq(*netsim_signal_value(later, 0), 8, "inverted in those to come");
    netsim_free(later);
    netsim_free(s);
    netsim_design_free(d);
}

/* A memory of 3 words of 2 bits with one read and two writes. */
#define MEMORY(clocked, transparent, collision, over, ce_over, init)                               \
    ".model m\n.inputs clk ra[0] ra[1] re rs wa[0] wa[1] we[0] we[1] we[2] we[3] wd[0] wd[1] "     \
    "wd[2] wd[3]\n.outputs rd[0] rd[1]\n.names $false\n.names $true\n1\n.names $undef\n"           \
    ".subckt $mem_v2 RD_ADDR[0]=ra[0] RD_ADDR[1]=ra[1] RD_ARST=$false RD_CLK=clk RD_DATA[0]=rd[0]" \
    " RD_DATA[1]=rd[1] RD_EN=re RD_SRST=rs WR_ADDR[0]=wa[0] WR_ADDR[1]=wa[1] WR_ADDR[2]=wa[0] "    \
    "WR_ADDR[3]=wa[1] WR_CLK[0]=clk WR_CLK[1]=clk WR_DATA[0]=wd[0] WR_DATA[1]=wd[1] "              \
    "WR_DATA[2]=wd[2] WR_DATA[3]=wd[3] WR_EN[0]=we[0] WR_EN[1]=we[1] WR_EN[2]=we[2] "              \
    "WR_EN[3]=we[3]\n.cname mem\n.param ABITS 10\n.param INIT " init                               \
    "\n.param MEMID \"\\\\mem\"\n"                                                                 \
    ".param OFFSET 0\n.param RD_ARST_VALUE xx\n.param RD_CE_OVER_SRST " ce_over                    \
    "\n.param RD_CLK_ENABLE " clocked                                                              \
    "\n.param RD_CLK_POLARITY 1\n.param RD_COLLISION_X_MASK " collision                            \
    "\n.param RD_INIT_VALUE 01\n.param RD_PORTS 1\n.param RD_SRST_VALUE 10\n"                      \
    ".param RD_TRANSPARENCY_MASK " transparent "\n.param RD_WIDE_CONTINUATION 0\n.param SIZE 11\n" \
    ".param WIDTH 10\n.param WR_CLK_ENABLE 11\n.param WR_CLK_POLARITY 11\n.param WR_PORTS 10\n"    \
    ".param WR_PRIORITY_MASK " over "\n.param WR_WIDE_CONTINUATION 00\n.end\n"

/* One clock with these inputs. @return what is read after it */
static uint64_t clock_memory(struct netsim *s, struct netsim_design *d, unsigned ra, unsigned re,
                             unsigned rs, unsigned wa, unsigned we, unsigned wd) {
    put(s, d, "ra", 2, ra);
    put(s, d, "re", 1, re);
    put(s, d, "rs", 1, rs);
    put(s, d, "wa", 2, wa);
    put(s, d, "we", 4, we);
    put(s, d, "wd", 4, wd);
    netsim_clock(s);
    return get(s, d, "rd", 2);
}

Test(netsim, memory_clocked) {
    struct netsim_design *d = design(MEMORY("1", "00", "00", "0100", "0", "110100"));
    struct netsim *s = netsim_new(d, 1);
    cr_assert_eq(get(s, d, "rd", 2), 1, "RD_INIT_VALUE");
    cr_assert_eq(clock_memory(s, d, 2, 1, 0, 0, 0, 0), 3, "INIT");
    cr_assert_eq(clock_memory(s, d, 1, 0, 0, 0, 0, 0), 3, "no enable: it stays");
    cr_assert_eq(clock_memory(s, d, 1, 0, 1, 0, 0, 0), 2, "a reset without enable");
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 1, 0x2, 0x2), 1, "the word before the write");
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 1, 0, 0), 3, "one bit of it was written");
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 1, 0xf, 0x9), 3);
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 1, 0, 0), 2, "the second port has priority");
    netsim_free(s);
    netsim_design_free(d);
}

/* Behind an inverter: an address and data matter only with their enables. */
Test(netsim, rows_before_a_memory) {
    char *text = g_strdup(MEMORY("1", "00", "00", "0100", "0", "110100"));
    char *const address = strstr(text, "RD_ADDR[0]=ra[0]"), *const data = strstr(text, "=wd[0]");
    memcpy(address, "RD_ADDR[0]=n1   ", 16);
    memcpy(data, "=n2   ", 6);
    *strstr(text, ".end") = 0;
    char *all = g_strconcat(text, ".subckt INV I=ra[0] O=n1\n.subckt INV I=wd[0] O=n2\n.end\n",
                            NULL);
    struct netsim_design *d = design(all);
    struct netsim *s = netsim_new(d, 0);
    const struct netsim_row n1 = {0, 0}, n2 = {1, 0};
    cr_assert_str_eq(netsim_row_name(d, n1), "n1");
    cr_assert_not(netsim_row_matters(s, n1));
    put(s, d, "re", 1, 1);
    netsim_settle(s);
    cr_assert(netsim_row_matters(s, n1));
    cr_assert_not(netsim_row_matters(s, n2));
    put(s, d, "we", 4, 1);
    netsim_settle(s);
    cr_assert(netsim_row_matters(s, n2));
    cr_assert_eq(netsim_num_memories(d), 1);
    const struct netsim_memory m = netsim_memory_at(d, 0);
    cr_assert_str_eq(m.name, "mem");
    cr_assert(m.width == 2 && m.size == 3 && m.offset == 0);
    cr_assert_eq(*netsim_memory_word(s, 0, 2), 3);
    netsim_free(s);
    netsim_design_free(d);
    g_free(all);
    g_free(text);
}

Test(netsim, memory_transparent) {
    struct netsim_design *d = design(MEMORY("1", "01", "00", "0100", "1", "110100"));
    struct netsim *s = netsim_new(d, 1);
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 1, 0x3, 0x2), 2, "what port 0 writes is seen");
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 1, 0xc, 0x4), 2, "what port 1 writes is not");
    cr_assert_eq(clock_memory(s, d, 1, 1, 0, 0, 0x3, 0x3), 1, "nor what goes elsewhere");
    cr_assert_eq(clock_memory(s, d, 0, 0, 1, 0, 0, 0), 1, "no reset without enable");
    cr_assert_eq(clock_memory(s, d, 0, 1, 1, 0, 0, 0), 2, "a reset with it");
    netsim_free(s);
    netsim_design_free(d);
}

Test(netsim, memory_unclocked) {
    struct netsim_design *d = design(MEMORY("0", "00", "00", "0100", "0", "110100"));
    struct netsim *s = netsim_new(d, 1);
    put(s, d, "ra", 2, 2);
    netsim_settle(s);
    cr_assert_eq(get(s, d, "rd", 2), 3, "without a clock");
    cr_assert_eq(clock_memory(s, d, 1, 0, 0, 1, 0x3, 0x2), 2, "what was written at once");
    netsim_free(s);
    netsim_design_free(d);
}

/* Values that nothing says: outside the memory, collisions, writes without order. */
Test(netsim, memory_x) {
    struct netsim_design *d = design(MEMORY("1", "00", "01", "0000", "0", "xxxxxx"));
    unsigned seen[4] = {0};
    for (uint64_t seed = 1; seed < 200; seed++) {
        struct netsim *s = netsim_new(d, seed);
        seen[0] |= 1u << clock_memory(s, d, 3, 1, 0, 0, 0, 0);
        seen[1] |= 1u << clock_memory(s, d, 0, 1, 0, 0, 0, 0);
        seen[2] |= 1u << clock_memory(s, d, 1, 1, 0, 1, 0x3, 0x2);
        cr_assert_eq(clock_memory(s, d, 1, 1, 0, 0, 0, 0), 2);
        clock_memory(s, d, 0, 0, 0, 1, 0xd, 0x5);
        const uint64_t disputed = clock_memory(s, d, 1, 1, 0, 0, 0, 0);
        cr_assert_eq(disputed >> 1, 0, "only port 1 wrote bit 1");
        seen[3] |= 1u << disputed;
        netsim_free(s);
    }
    cr_assert_eq(seen[0], 0xf, "outside");
    cr_assert_eq(seen[1], 0xf, "INIT");
    cr_assert_eq(seen[2], 0xf, "a collision");
    cr_assert_eq(seen[3], 0x3, "writes without order");
    netsim_design_free(d);
}

/* ---------------------------------------------------------------- what is not known */

/* What is said about a netlist that is refused; the program ends with status 1. */
static void refuse(const char *text, const char *want) {
    char *path, got[512] = "";
    const int fd = g_file_open_tmp(NULL, &path, NULL);
    int status = 0;
    cr_assert(fd >= 0);
    const pid_t child = fork();
    if (!child) {
        dup2(fd, STDERR_FILENO);
        design(text);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1, "not refused: %s", want);
    cr_assert(pread(fd, got, sizeof got - 1, 0) > 0);
    got[strcspn(got, "\n")] = 0;
    cr_assert_str_eq(got, want);
    close(fd);
    unlink(path);
    g_free(path);
}

Test(netsim, refuses) {
    refuse(GATES ".subckt DSP48E2 A=a\n", "netlist: cells.def has no DSP48E2");
    refuse(GATES ".subckt FDCE C=clk CE=a CLR=b D=a Q=q\n.cname r\n.param INIT 0\n",
           "netsim: FDCE r: state.def does not have FDCE");
    refuse(GATES ".subckt LUT6_2 I0=a O5=q O6=y\n.cname l\n",
           "netsim: LUT6_2 l: logic.def does not have LUT6_2");
    refuse(GATES ".subckt LUT1 I0=a O=q\n.cname l\n.param INIT 011\n",
           "netsim: LUT1 l: wrong parameter INIT");
    refuse(GATES ".subckt INV I=a O=q\n.cname i\n.param SLOW 1\n",
           "netsim: INV i: unknown parameter SLOW");
    refuse(GATES ".subckt LUT2 I0=a O=q\n.cname l\n.param INIT 0110\n",
           "netsim: LUT2 l: has other pins than known");
    refuse(GATES ".subckt FDRE C=b CE=a D=a Q=q R=a\n.cname r\n.param INIT 0\n",
           "netsim: another clock than the port's: r");
    refuse(GATES ".subckt INV I=clk O=q\n", "netsim: the clock is read as a value by clk");
    refuse(LOOP ".subckt LUT2 I0=a I1=q O=y\n.cname l\n.param INIT 0110\n"
                ".subckt INV I=y O=q\n.cname i\n",
           "netsim: LUT2 l: is in a loop: it hangs on itself");
    refuse(GATES ".subckt INV I=t O=q\n", "netsim: nothing drives t");
    refuse(GATES ".subckt INV I=a O=q\n.subckt INV I=b O=q\n", "netlist: two cells drive q");
    refuse(GATES ".names a b y\n11 1\n", "netlist: not mapped: a table of a");
    refuse(MEMORY("1", "00", "00", "000", "0", "xxxxxx"),
           "netsim: $mem_v2 mem: has not a digit for each port or bit in WR_PRIORITY_MASK");
}

Test(netsim, refuses_ports) {
    int status = 0;
    const pid_t child = fork();
    if (!child) {
        if (!freopen("/dev/null", "w", stderr)) _exit(2);
        netsim_port(design(GATES ".subckt INV I=a O=q\n"), "z", true, 3);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}
