// docking: fits a ligand into a receptor by a Lamarckian genetic algorithm: a CTA for each pose,
// whose data are in shared memory.
//
// Checks: the CPU computes the same generations, and all genes and energies must be equal, bit for
// bit; the least energy of a run never rises; and an independent calculation in double precision
// has the same energy for the final pose.
#include <cuda_runtime.h>

#define APP_NAME "docking"
#include "../common/app.h"
#include "../common/exact.h"

#include <algorithm>
#include <vector>

#include "ligand.h"
#include "team.cuh"
#include "energy.cuh"
#include "search.cuh"

// The CPU's populations, and the GPU's after they have been fetched.
struct result {
    std::vector<float> genes, energy;
};

static population view(result &r) { return {r.genes.data(), r.energy.data()}; }
static result make_result(const docking &d) {
    size_t count = (size_t)d.runs * d.size;
    return {std::vector<float>(count * MAX_GENES), std::vector<float>(count)};
}

// The least energy of each run.
static std::vector<float> best_energies(const docking &d, const float *energy) {
    std::vector<float> best;
    for (int run = 0; run < d.runs; run++)
        best.push_back(*std::min_element(energy + run * d.size, energy + (run + 1) * d.size));
    return best;
}

// Runs all generations on the GPU. *risen: the first in which a run's least energy rose, or 0.
static result run_on_gpu(const docking &d, int generations, int *risen) {
    int all = d.runs * d.size;
    result r = make_result(d);
    population now = {app_zeros_on_device<float>((size_t)all * MAX_GENES),
                      app_zeros_on_device<float>(all)};
    population next = {app_zeros_on_device<float>((size_t)all * MAX_GENES),
                       app_zeros_on_device<float>(all)};
    first_population<<<all, THREADS>>>(d, now);
    WAIT("first_population");
    app_to_host(r.energy.data(), now.energy, all);
    std::vector<float> best = best_energies(d, r.energy.data());
    for (int g = 1; g <= generations; g++) {
        next_generation<<<all, THREADS>>>(d, now, next, g);
        std::swap(now, next);
        local_search<<<d.runs * d.searched, THREADS>>>(d, now, g);
        WAIT("local_search");
        app_to_host(r.energy.data(), now.energy, all);
        std::vector<float> better = best_energies(d, r.energy.data());
        for (int run = 0; run < d.runs; run++)
            if (!(better[run] <= best[run]) && !*risen) *risen = g;
        best = better;
    }
    app_to_host(r.genes.data(), now.genes, (size_t)all * MAX_GENES);
    for (float *array : {now.genes, now.energy, next.genes, next.energy}) CHECK(cudaFree(array));
    return r;
}

static result run_on_cpu(const docking &d, int generations) {
    static work w;
    int all = d.runs * d.size;
    result now = make_result(d), next = make_result(d);
    for (int i = 0; i < all; i++) first_individual(w, d, view(now), i);
    for (int g = 1; g <= generations; g++) {
        for (int i = 0; i < all; i++) next_individual(w, d, view(now), view(next), g, i);
        std::swap(now, next);
        for (int i = 0; i < d.runs * d.searched; i++)
            search_around(w, d, view(now), g, searched_individual(d, i));
    }
    return now;
}

// ---- the final pose's energy, in double precision, without the code of the kernels

struct point {
    double x[3];
};

static void turn_point(point &p, const double axis[3], double angle) {
    double c = cos(angle), s = sin(angle), along = 0;
    for (int i = 0; i < 3; i++) along += axis[i] * p.x[i];
    point to;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        to.x[i] = c * p.x[i] + s * (axis[j] * p.x[k] - axis[k] * p.x[j]) +
                  (1 - c) * along * axis[i];
    }
    p = to;
}

static point place_exactly(const ligand &l, const float *genes, int i) {
    const atom &a = l.atom_of[i];
    point p = {{a.at.x, a.at.y, a.at.z}};
    for (int t = 0; t < l.torsions; t++) {
        const torsion &bond = l.torsion_of[t];
        if (!(bond.moves >> i & 1)) continue;
        double axis[3] = {bond.axis.x, bond.axis.y, bond.axis.z};
        double at[3] = {bond.at.x, bond.at.y, bond.at.z};
        for (int k = 0; k < 3; k++) p.x[k] -= at[k];
        turn_point(p, axis, genes[TORSIONS + t]);
        for (int k = 0; k < 3; k++) p.x[k] += at[k];
    }
    double phi = genes[TURN], theta = genes[TURN + 1];
    double axis[3] = {sin(theta) * cos(phi), sin(theta) * sin(phi), cos(theta)};
    turn_point(p, axis, genes[TURN + 2]);
    for (int k = 0; k < 3; k++) p.x[k] += genes[PLACE + k];
    return p;
}

static double map_exactly(const receptor &r, int map, const point &p, double *outside) {
    int cell[3];
    double part[3], sum = 0;
    *outside = 0;
    for (int k = 0; k < 3; k++) {
        double in = fmin(fmax(p.x[k], 0), r.edge * 0.9999), scaled = in * r.per_spacing;
        *outside += (p.x[k] - in) * (p.x[k] - in);
        cell[k] = (int)scaled;
        part[k] = scaled - cell[k];
    }
    for (int corner = 0; corner < 8; corner++) {
        double weight = 1;
        size_t index = map;
        for (int k = 2; k >= 0; k--) {
            int far = corner >> k & 1;
            weight *= far ? part[k] : 1 - part[k];
            index = index * r.points + cell[k] + far;
        }
        sum += weight * r.map[index];
    }
    return sum;
}

// `r`: with its maps in the CPU's memory.
static double energy_exactly(const ligand &l, const receptor &r, const float *genes) {
    std::vector<point> at(l.atoms);
    const potential p = make_potential();
    double energy = 0, outside;
    for (int i = 0; i < l.atoms; i++) {
        const atom &a = l.atom_of[i];
        at[i] = place_exactly(l, genes, i);
        energy += map_exactly(r, a.type, at[i], &outside);
        energy += a.charge * map_exactly(r, MAP_CHARGE, at[i], &outside);
        energy += a.solvent * map_exactly(r, MAP_SOLVENT, at[i], &outside) + 50 * outside;
    }
    for (int k = 0; k < l.pairs; k++) {
        int i = l.first[k], j = l.second[k];
        const atom &a = l.atom_of[i], &b = l.atom_of[j];
        double square = 0;
        for (int x = 0; x < 3; x++) square += pow(at[i].x[x] - at[j].x[x], 2);
        energy += 83 * a.charge * b.charge / fmax(square, 1);
        if (square > 64) continue;
        double near = 1 - square / 64, sixth = pow(fmax(square, 1), -3);
        double bonds = p.repels[a.type][b.type] * sixth - p.attracts[a.type][b.type];
        energy += sixth * bonds + 10 * (a.solvent + b.solvent) * near * near;
    }
    return energy;
}

// ---- comparison

// Values whose bits differ; *where: the first of them.
static size_t differences(const std::vector<float> &a, const std::vector<float> &b, size_t *where) {
    size_t count = 0;
    for (size_t i = a.size(); i-- > 0;)
        if (memcmp(&a[i], &b[i], sizeof(float)) != 0) {
            count++;
            *where = i;
        }
    return count;
}

static int check(const docking &on_cpu, const result &gpu, const result &cpu, int generations,
                 int risen) {
    size_t where = 0, off = differences(gpu.energy, cpu.energy, &where);
    if (off)
        return app_fail("%zu of %zu energies, individual %zu: %.9g, not %.9g", off,
                        gpu.energy.size(), where, gpu.energy[where], cpu.energy[where]);
    off = differences(gpu.genes, cpu.genes, &where);
    if (off)
        return app_fail("%zu genes, gene %zu of individual %zu: %.9g, not %.9g", off,
                        where % MAX_GENES, where / MAX_GENES, gpu.genes[where], cpu.genes[where]);
    if (risen) return app_fail("a run's least energy rises in generation %d", risen);
    size_t best = std::min_element(gpu.energy.begin(), gpu.energy.end()) - gpu.energy.begin();
    double energy = gpu.energy[best];
    double exactly = energy_exactly(*on_cpu.l, on_cpu.r, gpu.genes.data() + best * MAX_GENES);
    if (!(fabs(energy - exactly) <= 1e-4 * fmax(fabs(exactly), 1)))
        return app_fail("the best pose has energy %.6f, in double precision %.6f", energy, exactly);
    return app_pass("%d generations of %d runs of %d: %d atoms, %d torsions, %d pairs; least "
                    "energy %.4f kcal/mol, in double precision %+.0e",
                    generations, on_cpu.runs, on_cpu.size, on_cpu.l->atoms, on_cpu.l->torsions,
                    on_cpu.l->pairs, energy, exactly - energy);
}

int main(int argc, char **argv) {
    long runs = 2, size = 16, generations = 2, atoms = 56, torsions = 12, iterations = 4;
    long points = 24;
    const app_option options[] = {
        {"-r", "runs, independent of each other", &runs, 1, 10000},
        {"-p", "individuals of a run", &size, 2, 10000},
        {"-i", "generations", &generations, 1, 10000},
        {"-l", "iterations of local search", &iterations, 0, 1000},
        {"-a", "atoms of the ligand", &atoms, 2, MAX_ATOMS},
        {"-t", "bonds of the ligand that turn, if it has so many", &torsions, 0, MAX_TORSIONS},
        {"-g", "points of the receptor's grid along an edge", &points, 2, 200},
    };
    app_start(argc, argv, "Docks a ligand to a receptor.", options, 7);

    static ligand l;
    l = make_ligand((int)atoms, (int)torsions);
    std::vector<float> map((size_t)MAPS * points * points * points);
    make_maps(map.data(), (int)points);
    docking cpu = {(int)runs, (int)size, TORSIONS + l.torsions, (int)size, (int)iterations, &l, {}};
    cpu.r = {(int)points, (float)(points - 1) / box_edge, box_edge, map.data()};
    docking gpu = cpu;
    ligand *device_ligand = app_to_device(&l, 1);
    float *device_map = app_to_device(map.data(), map.size());
    gpu.l = device_ligand;
    gpu.r.map = device_map;

    int risen = 0;
    result found = run_on_gpu(gpu, (int)generations, &risen);
    CHECK(cudaFree(device_ligand));
    CHECK(cudaFree(device_map));
    return check(cpu, found, run_on_cpu(cpu, (int)generations), (int)generations, risen);
}
