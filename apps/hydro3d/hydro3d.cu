// hydro3d: a blast in a cube of gas: Lagrangian shock hydrodynamics on hexahedra, in double
// precision.
//
// One octant of Sedov's blast: the energy is in the zone at the origin, and symmetry planes pass
// through it. A step has some thirty kernels that access zones and nodes through index lists.
// Checks: total energy is conserved, the solution is symmetric in x, y and z, and the shock is
// where theory predicts it once it is some zones away from the origin.
#include <cuda_runtime.h>

#define APP_NAME "hydro3d"
#include "../common/app.h"

#include <cmath>

#include "mesh.h"
#include "state.h"

#include "energy.cuh"
#include "geometry.cuh"
#include "motion.cuh"
#include "viscosity.cuh"

static const int threads = REDUCE_THREADS;
static const double gas_gamma = 1.4, blast = 0.1, cold = 1e-6, edge = 1.0;

// Device lists of the zones of each region and the nodes of each symmetry plane.
struct lists {
    std::vector<int *> region, plane;
    std::vector<int> region_count, plane_count;
};

static int ctas_for(int count) { return (count + threads - 1) / threads; }

static field field_make(int count) {
    return {app_zeros_on_device<double>(count), app_zeros_on_device<double>(count),
            app_zeros_on_device<double>(count)};
}

static double *from_list(const std::vector<double> &v) { return app_to_device(v.data(), v.size()); }
static int *from_list(const std::vector<int> &v) { return app_to_device(v.data(), v.size()); }

// Fills the arrays of nodes (make_nodes) and zones (make_zones) with the initial state.
static void make_nodes(const mesh &m, state &s) {
    double h = edge / m.size;
    std::vector<double> x(m.nodes), y(m.nodes), z(m.nodes), mass(m.nodes);
    for (int k = 0; k <= m.size; k++)
        for (int j = 0; j <= m.size; j++)
            for (int i = 0; i <= m.size; i++) {
                int n = mesh_node(m, i, j, k);
                x[n] = h * i;
                y[n] = h * j;
                z[n] = h * k;
            }
    for (int node : m.zone_node) mass[node] += h * h * h / CORNERS;
    s.position = {from_list(x), from_list(y), from_list(z)};
    s.node_mass = from_list(mass);
    s.velocity = field_make(m.nodes);
    s.mean_velocity = field_make(m.nodes);
    s.force = field_make(m.nodes);
    s.acceleration = field_make(m.nodes);
}

static void make_zones(const mesh &m, state &s) {
    double volume = pow(edge / m.size, 3);
    std::vector<double> mass(m.zones, volume), energy(m.zones, cold);
    energy[mesh_zone(m, 0, 0, 0)] += blast / volume;
    s.mass = from_list(mass);
    s.energy = from_list(energy);
    s.area = field_make(CORNERS * m.zones);
    s.corner_force = field_make(CORNERS * m.zones);
    double **plain[] = {&s.volume, &s.density,       &s.pressure,      &s.viscosity,
                        &s.sound,  &s.length,        &s.divergence,    &s.linear,
                        &s.square, &s.packed_density, &s.packed_energy, &s.packed_pressure,
                        &s.packed_sound};
    for (double **array : plain) *array = app_zeros_on_device<double>(m.zones);
    for (int a = 0; a < AXES; a++) {
        s.slope[a] = app_zeros_on_device<double>(m.zones);
        s.jump[a] = app_zeros_on_device<double>(m.zones);
    }
    s.hourglass = app_zeros_on_device<double>(4 * AXES * m.zones);
    s.distortion = app_zeros_on_device<double>(4 * AXES * m.zones);
}

static state make_state(const mesh &m, lists &l) {
    state s;
    s.zones = m.zones;
    s.nodes = m.nodes;
    s.zone_node = from_list(m.zone_node);
    s.zone_face = from_list(m.zone_face);
    s.node_first = from_list(m.node_first);
    s.node_corner = from_list(m.node_corner);
    make_nodes(m, s);
    make_zones(m, s);
    s.clock = app_zeros_on_device<clock_state>(1);
    s.shortest = app_zeros_on_device<double>(ctas_for(m.zones));
    s.fastest = app_zeros_on_device<double>(ctas_for(m.zones));
    for (const std::vector<int> &list : m.region) {
        if (list.empty()) continue;
        l.region.push_back(from_list(list));
        l.region_count.push_back((int)list.size());
    }
    for (const std::vector<int> &list : m.on_plane) {
        l.plane.push_back(from_list(list));
        l.plane_count.push_back((int)list.size());
    }
    return s;
}

static void run_state_equation(const state &s, const lists &l) {
    for (size_t r = 0; r < l.region.size(); r++) {
        int count = l.region_count[r], ctas = ctas_for(count);
        eos_gather<<<ctas, threads>>>(s, l.region[r], count);
        eos_pressure<<<ctas, threads>>>(s, gas_gamma, count);
        eos_sound<<<ctas, threads>>>(s, gas_gamma, count);
        eos_scatter<<<ctas, threads>>>(s, l.region[r], count);
    }
}

static void run_time_step(const state &s) {
    int ctas = ctas_for(s.zones);
    step_courant<<<ctas, threads>>>(s);
    step_volume<<<ctas, threads>>>(s);
    step_choose<<<1, threads>>>(s, ctas, 1.1);
}

// Launches the kernels of one time step.
static void run_step(const state &s, const lists &l) {
    int zones = ctas_for(s.zones), nodes = ctas_for(s.nodes);
    zone_shape<<<zones, threads>>>(s);
    zone_length<<<zones, threads>>>(s);
    zone_divergence<<<zones, threads>>>(s);
    viscosity_slopes<<<zones, threads>>>(s);
    viscosity_limit<<<zones, threads>>>(s);
    viscosity_pressure<<<zones, threads>>>(s);
    force_stress<<<zones, threads>>>(s);
    hourglass_modes<<<zones, threads>>>(s);
    hourglass_force<<<zones, threads>>>(s);
    node_force<<<nodes, threads>>>(s);
    node_acceleration<<<nodes, threads>>>(s);
    double *const acceleration[AXES] = {s.acceleration.x, s.acceleration.y, s.acceleration.z};
    for (int a = 0; a < AXES; a++)
        node_symmetry<<<ctas_for(l.plane_count[a]), threads>>>(acceleration[a], l.plane[a],
                                                              l.plane_count[a]);
    node_velocity<<<nodes, threads>>>(s);
    node_position<<<nodes, threads>>>(s);
    zone_work<<<zones, threads>>>(s);
    zone_volume<<<zones, threads>>>(s);
    zone_density<<<zones, threads>>>(s);
    run_state_equation(s, l);
    run_time_step(s);
}

// ---- checks

// The solution, copied to the host.
struct result {
    std::vector<double> x[AXES], v[AXES], energy, density;
};

static std::vector<double> fetch(const double *from, int count) {
    std::vector<double> to(count);
    app_to_host(to.data(), from, count);
    return to;
}

static result fetch_result(const state &s) {
    return {{fetch(s.position.x, s.nodes), fetch(s.position.y, s.nodes),
             fetch(s.position.z, s.nodes)},
            {fetch(s.velocity.x, s.nodes), fetch(s.velocity.y, s.nodes),
             fetch(s.velocity.z, s.nodes)},
            fetch(s.energy, s.zones),
            fetch(s.density, s.zones)};
}

// Internal and kinetic energy. A zone keeps its initial mass; a node has an eighth of the mass of
// each of its zones.
static double total_energy(const mesh &m, const result &r) {
    double zone_mass = pow(edge / m.size, 3), sum = 0;
    for (double e : r.energy) sum += zone_mass * e;
    for (int n = 0; n < m.nodes; n++) {
        double mass = zone_mass / CORNERS * (m.node_first[n + 1] - m.node_first[n]), square = 0;
        for (int a = 0; a < AXES; a++) square += r.v[a][n] * r.v[a][n];
        sum += 0.5 * mass * square;
    }
    return sum;
}

// The largest difference between the solution and its mirror image with two axes exchanged.
static double asymmetry(const mesh &m, const result &r) {
    double most = 0;
    for (int k = 0; k <= m.size; k++)
        for (int j = 0; j <= m.size; j++)
            for (int i = 0; i <= m.size; i++) {
                int n = mesh_node(m, i, j, k);
                int ji = mesh_node(m, j, i, k), ki = mesh_node(m, k, j, i);
                most = fmax(most, fabs(r.x[0][n] - r.x[1][ji]) + fabs(r.x[0][n] - r.x[2][ki]));
                most = fmax(most, fabs(r.v[0][n] - r.v[1][ji]) + fabs(r.v[0][n] - r.v[2][ki]));
            }
    return most;
}

// densest(): distance of the densest zone from the origin. sedov_radius(): the shock's radius by
// Sedov's solution, for a whole sphere, which has eight times the energy of this octant.
static double densest(const mesh &m, const result &r) {
    int best = 0;
    double centre = 0;
    for (int z = 1; z < m.zones; z++)
        if (r.density[z] > r.density[best]) best = z;
    for (int a = 0; a < AXES; a++) {
        double mean = 0;
        for (int k = 0; k < CORNERS; k++) mean += r.x[a][m.zone_node[k * m.zones + best]] / CORNERS;
        centre += mean * mean;
    }
    return sqrt(centre);
}
static double sedov_radius(double time) { return pow(8 * blast * time * time / 0.851, 0.2); }

static int check(const mesh &m, const result &before, const result &after, const clock_state &clock,
                 long steps) {
    double zone = edge / m.size, shock = sedov_radius(clock.time), found = densest(m, after);
    double drift = total_energy(m, after) / total_energy(m, before) - 1;
    double uneven = asymmetry(m, after);
    if (clock.bad) return app_fail("a zone has turned inside out before t = %g", clock.time);
    if (!(fabs(drift) < 1e-11)) return app_fail("total energy has changed by %.3g", drift);
    if (!(uneven < 1e-9)) return app_fail("x, y and z differ by %.3g", uneven);
    bool far = shock > 4 * zone && shock < 0.9 * edge;
    if (far && !(fabs(found / shock - 1) < 0.08))
        return app_fail("the shock is at %.4f, theory has it at %.4f", found, shock);
    return app_pass("%ld steps of %d zones, t = %.5f, energy %+.1e, symmetry %.1e, shock at %.3f, "
                    "theory %.3f%s",
                    steps, m.zones, clock.time, drift, uneven, found, shock,
                    far ? "" : " (too near to compare)");
}

int main(int argc, char **argv) {
    long size = 6, steps = 4, regions = 2, seed = 0;
    const app_option options[] = {{"-s", "zones along an edge", &size, 2, 200},
                                  {"-i", "steps", &steps, 1, 1000000},
                                  {"-r", "regions, each with its state equation", &regions, 1, 16},
                                  {"-u", "number zones and nodes at random, from this", &seed, 0,
                                   1L << 30}};
    app_start(argc, argv, "A blast in a cube of gas.", options, 4);

    mesh m = mesh_make((int)size, (int)regions, seed);
    lists l;
    state s = make_state(m, l);
    result before = fetch_result(s);
    zone_shape<<<ctas_for(m.zones), threads>>>(s);
    zone_length<<<ctas_for(m.zones), threads>>>(s);
    zone_density<<<ctas_for(m.zones), threads>>>(s);
    run_state_equation(s, l);
    run_time_step(s);
    WAIT("first state");
    clock_state clock;
    for (long i = 0; i < steps; i++) {
        run_step(s, l);
        app_to_host(&clock, s.clock, 1); // like a program that prints its progress
    }
    WAIT("steps");
    return check(m, before, fetch_result(s), clock, steps);
}
