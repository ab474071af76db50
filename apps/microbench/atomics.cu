// micro_atomics: rate of atomics in L2 for the whole GPU, by the pattern of a warp's addresses.
// Events give the times; each figure is the difference between a long and a short run.
//
//   atomic.TYPE.OP.PATTERN   SM cycles for each warp instruction of the GPU. TYPE: u32, f32, u64
//                            (additions), cas32; OP: red without a result, atom with one. PATTERN:
//                            one_address; one_line: lane l adds to word l of one line;
//                            line_of_a_warp: to word l of its warp's line; address_of_a_warp: all
//                            lanes to a word of that line; line_of_a_lane: each lane to its line
#define APP_NAME "micro_atomics"
#include "events.h"
#include "micro.h"

#define LINE 128       // bytes
#define CROWD 2        // CTAs of an SM where addresses are spread
#define CROWD_WARPS 32 // warps of such a CTA
#define FEW_WARPS 1    // warps of an SM where all add to one place, of which few do as many

enum pattern { ONE_ADDRESS, ONE_LINE, LINE_OF_A_WARP, ADDRESS_OF_A_WARP, LINE_OF_A_LANE, PATTERNS };
static const char *const pattern_names[PATTERNS] = {"one_address", "one_line", "line_of_a_warp",
                                                    "address_of_a_warp", "line_of_a_lane"};

struct red_u32 {
    typedef u32 word;
    DEVICE void run(word *at) {
        asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
    }
};
struct atom_u32 {
    typedef u32 word;
    DEVICE void run(word *at) {
        word old;
        asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
    }
};
struct red_f32 {
    typedef float word;
    DEVICE void run(word *at) {
        asm volatile("red.global.add.f32 [%0], %1;" ::"l"(at), "f"(1.0f) : "memory");
    }
};
struct red_u64 {
    typedef u64 word;
    DEVICE void run(word *at) {
        asm volatile("red.global.add.u64 [%0], 1;" ::"l"(at) : "memory");
    }
};
struct atom_cas32 {
    typedef u32 word;
    DEVICE void run(word *at) {
        word old;
        asm volatile("atom.global.cas.b32 %0, [%1], 0, 1;" : "=r"(old) : "l"(at) : "memory");
    }
};

// `step` is 0, which the compiler does not know.
template <class Op>
__global__ void add(typename Op::word *to, int pattern, long step, int rounds) {
    const u32 words = LINE / sizeof *to;
    const u32 thread = blockIdx.x * blockDim.x + threadIdx.x, lane = thread % 32;
    switch (pattern) {
    case ONE_ADDRESS: break;
    case ONE_LINE: to += lane; break;
    case LINE_OF_A_WARP: to += thread / 32 * (32 / words * words) + lane; break;
    case ADDRESS_OF_A_WARP: to += thread / 32 * words; break;
    case LINE_OF_A_LANE: to += (size_t)thread * words; break;
    }
    for (int r = 0; r < rounds; r++) {
        to += step;
        Op::run(to);
    }
}

template <class Op> static void pattern(const char *name, int pattern, int sms, double megahertz) {
    const bool crowd = pattern > ONE_LINE;
    const int ctas = sms * (crowd ? CROWD : 1), warps = crowd ? CROWD_WARPS : FEW_WARPS;
    const long threads = 32L * ctas * warps, rounds = pattern == LINE_OF_A_WARP || !crowd ? 8 : 2;
    typename Op::word *to = app_zeros_on_device<typename Op::word>(
        pattern == LINE_OF_A_LANE ? threads * (LINE / sizeof *to) : threads + LINE);
    char key[64];
    snprintf(key, sizeof key, "atomic.%s.%s", name, pattern_names[pattern]);
    double time = beyond(key, rounds, 3 * rounds, [&](long r) {
        add<Op><<<ctas, 32 * warps>>>(to, pattern, 0, (int)r);
    });
    figure(key, time * megahertz * 1e6 / (2.0 * rounds * ctas * warps), "cycles");
    CHECK(cudaFree(to));
}

template <class Op> static void patterns(const char *name, long which, int sms, double megahertz) {
    for (int p = 0; p < PATTERNS; p++)
        if (which >> p & 1) pattern<Op>(name, p, sms, megahertz);
}

int main(int argc, char **argv) {
    long what = 31, which = (1 << PATTERNS) - 1;
    const app_option options[] = {
        {"-w", "what, added up: 1 u32.red, 2 u32.atom, 4 f32.red, 8 u64.red, 16 cas32.atom", &what,
         1, 31},
        {"-p", "patterns, added up: 1 one_address, 2 one_line, 4 line_of_a_warp, "
               "8 address_of_a_warp, 16 line_of_a_lane", &which, 1, (1 << PATTERNS) - 1},
    };
    app_start(argc, argv, "Measures atomics in L2.", options, 2);
    int sms, kilohertz;
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
    CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, 0));
    const double megahertz = kilohertz * 1e-3;
    if (what & 1) patterns<red_u32>("u32.red", which, sms, megahertz);
    if (what & 2) patterns<atom_u32>("u32.atom", which, sms, megahertz);
    if (what & 4) patterns<red_f32>("f32.red", which, sms, megahertz);
    if (what & 8) patterns<red_u64>("u64.red", which, sms, megahertz);
    if (what & 16) patterns<atom_cas32>("cas32.atom", which, sms, megahertz);
    return measured("atomics by pattern");
}
