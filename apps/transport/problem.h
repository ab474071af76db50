// problem.h - what particles of transport fly through: a mesh of cells, their materials, and
// cross-sections by group of energies. All arrays are in unified memory.
#ifndef HEDDLE_APPS_TRANSPORT_PROBLEM_H
#define HEDDLE_APPS_TRANSPORT_PROBLEM_H

enum { AXES = 3, FACETS = 6, MATERIALS = 3, GROUPS = 48 };
enum { SCATTER, ABSORB, FISSION, REACTIONS };
enum { OUTSIDE = -1, MIRROR = -2 }; // in place of a neighbour

// Inner side: points with normal . point < offset.
struct plane {
    double normal[AXES], offset;
};

// A nuclide in a material.
struct nuclide {
    double density;  // nuclei times 1e-24 in a cubic centimetre
    double keeps;    // least part of its energy that a particle keeps when it scatters
    double produces; // mean number of secondaries of a fission
};

struct problem {
    int size, cells;         // size: cells along an edge
    double step;             // length of a time step, in units of 10 ns
    const plane *facet;      // [cells][FACETS]: -a, +a, -b, +b, -c, +c
    const int *neighbour;    // [cells][FACETS]: a cell, OUTSIDE or MIRROR
    const int *material;     // [cells]
    const int *first;        // [MATERIALS + 1]: a material's nuclides
    const nuclide *nuclides; // material after material
    const double *total;     // [MATERIALS][GROUPS], 1/cm
    const double *section;   // [nuclides][REACTIONS][GROUPS], barn
    const double *bound;     // [GROUPS + 1]: MeV, ascending
    const double *spectrum;  // [GROUPS + 1]: between each two, as many of fission's secondaries
};

struct particle {
    double at[AXES], way[AXES]; // position, cm, and direction
    double energy;              // MeV
    double left;                // until the end of the time step, 10 ns
    double optical;             // mean free paths to the next collision
    unsigned long long random;  // state of its own random numbers
    int cell, group;
};

// Memory for `count` elements that CPU and GPU share; lives as long as the program.
template <class T> static inline T *shared_array(size_t count) {
    T *array;
    CHECK(cudaMallocManaged(&array, count * sizeof(T)));
    memset((void *)array, 0, count * sizeof(T));
    return array;
}

// ---- the mesh: a lattice of parallelepipeds, oblique to the axes of coordinates

static const double lattice[AXES][AXES] = {
    {2.0, 0.1, 0.0}, {-0.2, 2.2, 0.1}, {0.1, 0.0, 1.8}}; // edges of a cell, cm

static inline void unit_normal(int axis, double normal[AXES]) {
    const double *a = lattice[(axis + 1) % AXES], *b = lattice[(axis + 2) % AXES];
    double length = 0;
    for (int i = 0; i < AXES; i++) {
        int j = (i + 1) % AXES, k = (i + 2) % AXES;
        normal[i] = a[j] * b[k] - a[k] * b[j];
        length += normal[i] * normal[i];
    }
    for (int i = 0; i < AXES; i++) normal[i] /= sqrt(length);
}

// The point of the lattice at (a, b, c) cells from its origin.
static inline void lattice_point(const double by[AXES], double point[AXES]) {
    for (int i = 0; i < AXES; i++) {
        point[i] = 0;
        for (int axis = 0; axis < AXES; axis++) point[i] += by[axis] * lattice[axis][i];
    }
}

// Mirrors are at the near end of each axis: the lattice is an octant of the whole.
static inline int neighbour_of(int size, const int at[AXES], int facet) {
    int to[AXES] = {at[0], at[1], at[2]};
    to[facet / 2] += facet % 2 ? 1 : -1;
    if (to[facet / 2] < 0) return MIRROR;
    if (to[facet / 2] == size) return OUTSIDE;
    return to[0] + size * (to[1] + size * to[2]);
}

// Rods of fuel (0) in a moderator (1), some cells of steel (2).
static inline int material_at(const int at[AXES], int cell) {
    if (exact_hash(cell) % 16 == 0) return 2;
    return (at[0] + at[1]) % 2 == 0 ? 0 : 1;
}

static inline void make_mesh(problem &p) {
    plane *facet = shared_array<plane>((size_t)p.cells * FACETS);
    int *neighbour = shared_array<int>((size_t)p.cells * FACETS);
    int *material = shared_array<int>(p.cells);
    double normal[AXES][AXES];
    for (int axis = 0; axis < AXES; axis++) unit_normal(axis, normal[axis]);
    for (int cell = 0; cell < p.cells; cell++) {
        int at[AXES] = {cell % p.size, cell / p.size % p.size, cell / p.size / p.size};
        material[cell] = material_at(at, cell);
        for (int f = 0; f < FACETS; f++) {
            double corner[AXES], by[AXES] = {(double)at[0], (double)at[1], (double)at[2]};
            if (f % 2) by[f / 2] += 1;
            lattice_point(by, corner);
            plane &side = facet[cell * FACETS + f];
            side.offset = 0;
            for (int i = 0; i < AXES; i++) {
                side.normal[i] = f % 2 ? normal[f / 2][i] : -normal[f / 2][i];
                side.offset += side.normal[i] * corner[i];
            }
            neighbour[cell * FACETS + f] = neighbour_of(p.size, at, f);
        }
    }
    p.facet = facet;
    p.neighbour = neighbour;
    p.material = material;
}

// ---- materials

// The cross-section of a reaction in a group: falls with energy as 1/v, with a resonance here and
// there.
static inline double cross_section(int material, int nuclide, int reaction, int group) {
    unsigned long long bits = exact_hash((nuclide * REACTIONS + reaction) * GROUPS + group);
    double slow = exp(-0.12 * group), uneven = 0.6 + 0.8 * exact_unit(bits);
    bool resonance = bits % 11 == 0 && group > 12 && group < 36;
    switch (reaction) {
    case SCATTER: return (material == 1 ? 9 : 5) * uneven * (resonance ? 4 : 1);
    case ABSORB:
        return (0.15 + 4 * slow) * (material == 1 ? 0.03 : 0.5) * uneven * (resonance ? 12 : 1);
    default: return material == 0 && nuclide < 3 ? (1.2 + 20 * slow) * uneven : 0;
    }
}

static inline void make_materials(problem &p) {
    static const int count[MATERIALS] = {10, 3, 6};
    static const double nuclei[MATERIALS] = {0.045, 0.07, 0.085}; // of the whole material
    int *first = shared_array<int>(MATERIALS + 1);
    for (int m = 0; m < MATERIALS; m++) first[m + 1] = first[m] + count[m];
    nuclide *nuclides = shared_array<nuclide>(first[MATERIALS]);
    double *section = shared_array<double>((size_t)first[MATERIALS] * REACTIONS * GROUPS);
    double *total = shared_array<double>(MATERIALS * GROUPS);
    for (int m = 0; m < MATERIALS; m++)
        for (int n = first[m]; n < first[m + 1]; n++) {
            double mass = m == 1 ? 1 + 11 * (n - first[m]) : 16 + 30 * (n - first[m]);
            nuclides[n] = {nuclei[m] / count[m], pow((mass - 1) / (mass + 1), 2), 2.4};
            for (int r = 0; r < REACTIONS; r++)
                for (int g = 0; g < GROUPS; g++) {
                    double barn = cross_section(m, n, r, g);
                    section[(n * REACTIONS + r) * GROUPS + g] = barn;
                    total[m * GROUPS + g] += nuclides[n].density * barn;
                }
        }
    p.first = first;
    p.nuclides = nuclides;
    p.section = section;
    p.total = total;
}

static inline void make_energies(problem &p) {
    double *bound = shared_array<double>(GROUPS + 1), *spectrum = shared_array<double>(GROUPS + 1);
    for (int g = 0; g <= GROUPS; g++) {
        bound[g] = 1e-8 * pow(2e9, (double)g / GROUPS); // 1e-8 to 20 MeV
        spectrum[g] = 0.05 + 5.0 * pow((double)g / GROUPS, 1.5);
    }
    p.bound = bound;
    p.spectrum = spectrum;
}

static inline problem make_problem(int size) {
    problem p = {};
    p.size = size;
    p.cells = size * size * size;
    p.step = 0.4;
    make_mesh(p);
    make_materials(p);
    make_energies(p);
    return p;
}

#endif
