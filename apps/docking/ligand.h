// ligand.h - the molecules of docking, made by a rule: a ligand, a tree of atoms with bonds that
// turn, and a receptor, of which only maps of its energy on a grid are kept.
#ifndef HEDDLE_APPS_DOCKING_LIGAND_H
#define HEDDLE_APPS_DOCKING_LIGAND_H

enum { TYPES = 4, MAX_ATOMS = 64, MAX_TORSIONS = 16, MAX_PAIRS = MAX_ATOMS * (MAX_ATOMS - 1) / 2 };
enum { MAP_CHARGE = TYPES, MAP_SOLVENT, MAPS }; // a map for each type of atom, and these
enum { PLACE, TURN = 3, TORSIONS = 6, MAX_GENES = TORSIONS + MAX_TORSIONS }; // first gene of each

struct vec {
    float x, y, z;
};

struct atom {
    vec at; // angstrom, the root at the origin
    float charge, solvent;
    int type;
};

// A bond that turns: the axis through an atom, and the atoms that turn with it.
struct torsion {
    vec at, axis; // axis: of length 1
    unsigned long long moves;
};

// What a CTA keeps of the ligand in shared memory.
struct ligand {
    int atoms, torsions, pairs;
    atom atom_of[MAX_ATOMS];
    torsion torsion_of[MAX_TORSIONS]; // from the leaves to the root
    float repels[TYPES][TYPES], attracts[TYPES][TYPES];
    unsigned char first[MAX_PAIRS], second[MAX_PAIRS]; // atoms whose distance has an energy
};

// The receptor: energy of an atom of each type, of a unit of charge and of solvent at the points of
// a grid.
struct receptor {
    int points;        // along an edge
    float per_spacing; // 1 / distance of the points, 1/angstrom
    float edge;        // of the box, angstrom
    const float *map;  // [MAPS][points][points][points], x fastest
};

static const float box_edge = 24.0f;
// Of carbon, nitrogen, oxygen, hydrogen: angstrom, kcal/mol.
static const double type_radius[TYPES] = {1.7, 1.55, 1.5, 1.2};
static const double type_depth[TYPES] = {0.15, 0.16, 0.2, 0.02};

// A number of [0, 1) for each pair of numbers.
static inline double made(int what, int which) {
    return exact_unit(exact_hash((unsigned long long)what << 32 | (unsigned)which));
}

// The 12-6 potential between each two types.
struct potential {
    double repels[TYPES][TYPES], attracts[TYPES][TYPES];
};
static inline potential make_potential() {
    potential p;
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++) {
            double distance = type_radius[a] + type_radius[b];
            double depth = sqrt(type_depth[a] * type_depth[b]);
            p.repels[a][b] = depth * pow(distance, 12);
            p.attracts[a][b] = 2 * depth * pow(distance, 6);
        }
    return p;
}

static inline double square_of(vec a, vec b) {
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

// A place at a bond's length from an atom, as far from the others as a few trials find.
static inline vec next_place(const ligand &l, int atom, int parent) {
    vec best = {};
    double most = -1;
    for (int trial = 0; trial < 24; trial++) {
        double z = 2 * made(1, atom * 64 + trial) - 1, turn = 6.283185 * made(2, atom * 64 + trial);
        double across = 1.5 * sqrt(1 - z * z), nearest = 1e30;
        vec from = l.atom_of[parent].at;
        vec to = {(float)(from.x + across * cos(turn)), (float)(from.y + across * sin(turn)),
                  (float)(from.z + 1.5 * z)};
        for (int i = 0; i < atom; i++)
            if (i != parent) nearest = fmin(nearest, square_of(l.atom_of[i].at, to));
        if (nearest > most) {
            most = nearest;
            best = to;
        }
    }
    return best;
}

// Bonds between two atoms of a tree; a parent's number is less than its children's.
static inline int bonds_between(const int *parent, int a, int b) {
    int bonds = 0;
    for (; a != b; bonds++) {
        int &lower = a > b ? a : b;
        lower = parent[lower];
    }
    return bonds;
}

// The bond from an atom to its parent as one that turns.
static inline torsion make_torsion(const ligand &l, const int *parent, int atom) {
    vec to = l.atom_of[atom].at, from = l.atom_of[parent[atom]].at;
    double length = sqrt(square_of(to, from));
    torsion t = {to, {}, 0};
    t.axis = {(float)((to.x - from.x) / length), (float)((to.y - from.y) / length),
              (float)((to.z - from.z) / length)};
    for (int i = atom + 1; i < l.atoms; i++) {
        int above = i;
        while (above > atom) above = parent[above];
        if (above == atom) t.moves |= 1ull << i;
    }
    return t;
}

static inline ligand make_ligand(int atoms, int torsions) {
    ligand l = {};
    potential p = make_potential();
    int parent[MAX_ATOMS] = {0};
    l.atoms = atoms;
    for (int i = 0; i < atoms; i++) {
        parent[i] = i ? i - 1 - (int)(fmin(i, 3) * made(3, i)) : 0;
        atom &a = l.atom_of[i];
        if (i) a.at = next_place(l, i, parent[i]);
        a.type = (int)(TYPES * made(4, i));
        a.charge = (float)(0.6 * made(5, i) - 0.3);
        a.solvent = (float)(0.02 * made(6, i) - 0.01);
    }
    for (int i = atoms - 1; i > 0 && l.torsions < torsions; i--) {
        torsion t = make_torsion(l, parent, i);
        if (t.moves) l.torsion_of[l.torsions++] = t;
    }
    for (int i = 0; i < atoms; i++)
        for (int j = i + 1; j < atoms; j++)
            if (bonds_between(parent, i, j) > 3) {
                l.first[l.pairs] = (unsigned char)i;
                l.second[l.pairs++] = (unsigned char)j;
            }
    for (int a = 0; a < TYPES; a++)
        for (int b = 0; b < TYPES; b++) {
            l.repels[a][b] = (float)p.repels[a][b];
            l.attracts[a][b] = (float)p.attracts[a][b];
        }
    return l;
}

// The receptor's atoms lie outside a hollow in the middle of the box.
static inline int make_receptor_atoms(atom *atoms, int most) {
    int count = 0;
    for (int i = 0; i < 8 * most && count < most; i++) {
        vec at = {(float)(box_edge * made(7, i)), (float)(box_edge * made(8, i)),
                  (float)(box_edge * made(9, i))};
        double middle = box_edge / 2;
        vec centre = {(float)middle, (float)middle, (float)(0.8 * middle)};
        if (square_of(at, centre) < 64) continue;
        atoms[count++] = {at, (float)(0.8 * made(10, i) - 0.4), (float)(0.02 * made(11, i)),
                          (int)(TYPES * made(12, i))};
    }
    return count;
}

// Adds a receptor's atom's energy to a point of all maps.
static inline void add_to_maps(float *map, size_t stride, const potential &p, const atom &a,
                               vec at) {
    double square = fmax(square_of(a.at, at), 2.0), sixth = 1 / (square * square * square);
    for (int type = 0; type < TYPES; type++) {
        double bonds = p.repels[type][a.type] * sixth - p.attracts[type][a.type];
        map[type * stride] += (float)fmin(sixth * bonds, 100);
    }
    map[MAP_CHARGE * stride] += (float)(83 * a.charge / square);
    map[MAP_SOLVENT * stride] += (float)(10 * exp(-square / 25));
}

// Fills maps, [MAPS][points][points][points].
static inline void make_maps(float *map, int points) {
    const int most = 160;
    atom atoms[most];
    int count = make_receptor_atoms(atoms, most);
    potential p = make_potential();
    size_t stride = (size_t)points * points * points;
    double spacing = box_edge / (points - 1.0);
    for (size_t i = 0; i < stride; i++) {
        vec at = {(float)(spacing * (i % points)), (float)(spacing * (i / points % points)),
                  (float)(spacing * (i / points / points))};
        for (int a = 0; a < count; a++) add_to_maps(map + i, stride, p, atoms[a], at);
    }
}

#endif
