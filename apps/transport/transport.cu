// transport: Monte Carlo transport of particles through a mesh of materials: one large kernel whose
// lanes part at once.
//
// A thread follows a particle. A time step launches the kernel for batches of particles. Fissions
// put secondaries into a vault; they are the next round's particles, until none is left, so
// launches become smaller and smaller. All data are in unified memory. Checks: the CPU follows the
// same particles and counts the same events; tallies agree; no particle is lost; and the lengths of
// path predict the number of collisions within its statistics.
#include <cuda_runtime.h>

#define APP_NAME "transport"
#include "../common/app.h"
#include "../common/exact.h"

#include <algorithm>
#include <vector>

#include "problem.h"
#include "history.cuh"

#define THREADS 128

static const char *const event_names[EVENTS] = {"scattered", "absorbed", "fissions", "produced",
                                                "at census", "escaped",  "crossed",  "mirrored"};

// One side's run: on the GPU, or the same on the CPU.
struct side {
    bool on_gpu;
    traces to;
    particle *now; // particles of this round
    long started;  // particles of the source so far
    int launches, rounds;
};

// A vault of `room` particles; memory that the GPU reaches as well.
static vault make_vault(int room) {
    return {shared_array<particle>(room), shared_array<int>(1), room};
}

static side make_side(const problem &p, bool on_gpu, int room) {
    side s = {on_gpu, {}, shared_array<particle>(room), 0, 0, 0};
    s.to.events = shared_array<unsigned long long>(EVENTS);
    s.to.flux = shared_array<double>((size_t)p.cells * GROUPS);
    s.to.heat = shared_array<double>(p.cells);
    s.to.census = make_vault(room);
    s.to.extra = make_vault(room);
    return s;
}

// The source's particle of a number: anywhere in the lattice, with an energy of fission.
static particle make_particle(const problem &p, long number) {
    particle q = {};
    q.random = exact_hash((unsigned long long)number);
    double by[AXES];
    for (int a = 0; a < AXES; a++) by[a] = draw(q) * p.size;
    lattice_point(by, q.at);
    q.cell = (int)by[0] + p.size * ((int)by[1] + p.size * (int)by[2]);
    turn(q);
    set_fission_energy(p, q);
    set_optical(q);
    q.left = draw(q) * p.step;
    return q;
}

// Follows `count` particles of s.now, a batch at a time.
static void run_round(const problem &p, side &s, int count, int batch) {
    s.rounds++;
    for (int first = 0; first < count; first += batch) {
        int some = std::min(batch, count - first);
        if (s.on_gpu) {
            histories<<<(some + THREADS - 1) / THREADS, THREADS>>>(p, s.now + first, some, s.to);
            WAIT("histories");
            s.launches++;
        } else {
            histories_on_cpu(p, s.now + first, some, s.to);
        }
    }
}

// Runs a time step of last step's particles and `source` new ones. @return false: a vault was full
static bool run_step(const problem &p, side &s, int source, int batch) {
    vault &census = s.to.census, &extra = s.to.extra;
    int count = *census.count;
    if (count + source > census.room) return false;
    std::swap(s.now, census.slot);
    *census.count = 0;
    for (int i = 0; i < source; i++) s.now[count++] = make_particle(p, s.started++);
    while (count > 0) {
        *extra.count = 0;
        run_round(p, s, count, batch);
        count = *extra.count;
        if (count > extra.room || *census.count > census.room) return false;
        std::swap(s.now, extra.slot);
    }
    return true;
}

// The largest difference of two tallies, relative to the largest value.
static double apart(const double *a, const double *b, size_t count) {
    double most = 0, scale = 1e-300;
    for (size_t i = 0; i < count; i++) {
        scale = fmax(scale, fabs(a[i]));
        if (!(fabs(a[i] - b[i]) <= most)) most = fabs(a[i] - b[i]); // a NaN stays
    }
    return most / scale;
}

// Collisions that the paths predict: the sum of path times cross-section.
static double predicted_collisions(const problem &p, const double *flux) {
    double sum = 0;
    for (int cell = 0; cell < p.cells; cell++)
        for (int g = 0; g < GROUPS; g++)
            sum += flux[cell * GROUPS + g] * p.total[p.material[cell] * GROUPS + g];
    return sum;
}

static int check(const problem &p, const side &gpu, const side &cpu, long steps) {
    const unsigned long long *e = gpu.to.events;
    for (int i = 0; i < EVENTS; i++)
        if (e[i] != cpu.to.events[i])
            return app_fail("%llu %s, not %llu", e[i], event_names[i], cpu.to.events[i]);
    long in = gpu.started + (long)e[PRODUCED], waiting = *gpu.to.census.count;
    long out = (long)(e[ABSORBED] + e[FISSIONED] + e[ESCAPED]) + waiting;
    if (in != out || waiting != *cpu.to.census.count)
        return app_fail("%ld particles began, %ld ended or wait", in, out);
    double flux = apart(cpu.to.flux, gpu.to.flux, (size_t)p.cells * GROUPS);
    double heat = apart(cpu.to.heat, gpu.to.heat, p.cells);
    if (!(flux < 1e-11)) return app_fail("path tallies are %.3g from the CPU's", flux);
    if (!(heat < 1e-11)) return app_fail("heat tallies are %.3g from the CPU's", heat);
    double collisions = (double)(e[SCATTERED] + e[ABSORBED] + e[FISSIONED]);
    double off = (predicted_collisions(p, gpu.to.flux) - collisions) / sqrt(collisions + 1);
    if (!(fabs(off) < 5))
        return app_fail("%.0f collisions, the paths predict %.1f standard deviations more",
                        collisions, off);
    return app_pass("%ld steps, %d rounds, %d launches: %ld started, %llu produced, %llu absorbed, "
                    "%llu fissions, %llu escaped, %ld wait; %llu scattered, %llu crossed, %llu "
                    "mirrored; tallies %.0e from the CPU's, collisions %+.1f sigma",
                    steps, gpu.rounds, gpu.launches, gpu.started, e[PRODUCED], e[ABSORBED],
                    e[FISSIONED], e[ESCAPED], waiting, e[SCATTERED], e[CROSSED], e[MIRRORED],
                    fmax(flux, heat), off);
}

int main(int argc, char **argv) {
    long particles = 1000, size = 6, steps = 2, batch = 512;
    const app_option options[] = {
        {"-n", "particles of the first step's source; later steps start a tenth", &particles, 1,
         1L << 24},
        {"-c", "cells along an edge of the mesh", &size, 1, 100},
        {"-s", "time steps", &steps, 1, 1000},
        {"-b", "particles of a launch at most", &batch, 1, 1L << 24},
    };
    app_start(argc, argv, "Monte Carlo transport of particles.", options, 4);

    problem p = make_problem((int)size);
    int room = (int)(4 * particles + 1024);
    side sides[2] = {make_side(p, true, room), make_side(p, false, room)};
    for (side &s : sides)
        for (long i = 0; i < steps; i++) {
            int source = (int)(i ? particles / 10 : particles);
            if (!run_step(p, s, source, (int)batch))
                return app_fail("more than %d particles at once in step %ld", room, i);
        }
    return check(p, sides[0], sides[1], steps);
}
