// energy.cuh - energy of a pose: genes become coordinates, coordinates become energy with the
// receptor's maps and between the ligand's atoms.

// A CTA's data in shared memory.
struct work {
    ligand l;
    float genes[MAX_GENES], trial[MAX_GENES], change[MAX_GENES], bias[MAX_GENES];
    float sine[MAX_GENES], cosine[MAX_GENES];
    vec at[MAX_ATOMS];
    float part[THREADS];
    int index[THREADS]; // of the least energy that a thread has seen
    int mother, father, cut[2];
};

// Turns a point about an axis through the origin.
BOTH vec turned(vec p, vec axis, float sine, float cosine) {
    float along = fmaf(axis.x, p.x, fmaf(axis.y, p.y, times(axis.z, p.z)));
    float keep = times(along, 1 - cosine);
    vec cross = {fmaf(axis.y, p.z, times(-axis.z, p.y)), fmaf(axis.z, p.x, times(-axis.x, p.z)),
                 fmaf(axis.x, p.y, times(-axis.y, p.x))};
    return {fmaf(cosine, p.x, fmaf(sine, cross.x, times(axis.x, keep))),
            fmaf(cosine, p.y, fmaf(sine, cross.y, times(axis.y, keep))),
            fmaf(cosine, p.z, fmaf(sine, cross.z, times(axis.z, keep)))};
}

// Where an atom is in the box. Bonds turn from the leaves to the root, so each axis is still where
// the model of the ligand has it.
BOTH vec place_atom(const work &w, const float *genes, int i) {
    vec p = w.l.atom_of[i].at;
    for (int t = 0; t < w.l.torsions; t++) {
        const torsion &bond = w.l.torsion_of[t];
        if (!(bond.moves >> i & 1)) continue;
        vec from = {p.x - bond.at.x, p.y - bond.at.y, p.z - bond.at.z};
        vec to = turned(from, bond.axis, w.sine[TORSIONS + t], w.cosine[TORSIONS + t]);
        p = {to.x + bond.at.x, to.y + bond.at.y, to.z + bond.at.z};
    }
    vec axis = {times(w.sine[TURN + 1], w.cosine[TURN]), times(w.sine[TURN + 1], w.sine[TURN]),
                w.cosine[TURN + 1]};
    p = turned(p, axis, w.sine[TURN + 2], w.cosine[TURN + 2]);
    return {p.x + genes[PLACE], p.y + genes[PLACE + 1], p.z + genes[PLACE + 2]};
}

BOTH float between(float a, float b, float part) { return fmaf(part, b - a, a); }

// The value of a map between the eight points of a cell; `at`: the map at its first point.
BOTH float between_points(const float *at, int points, vec part) {
    int y = points, z = points * points;
    float near = between(between(at[0], at[1], part.x), between(at[y], at[y + 1], part.x), part.y);
    float far = between(between(at[z], at[z + 1], part.x),
                        between(at[z + y], at[z + y + 1], part.x), part.y);
    return between(near, far, part.z);
}

// Splits a coordinate into the cell of the grid and the place in it. *outside grows by the square
// of the distance from the box.
BOTH int split(const receptor &r, float at, float *part, float *outside) {
    float in = fminf(fmaxf(at, 0.0f), r.edge * 0.9999f), off = at - in;
    *outside = fmaf(off, off, *outside);
    float scaled = times(in, r.per_spacing);
    int cell = (int)scaled;
    *part = scaled - (float)cell;
    return cell;
}

BOTH float receptor_energy(const receptor &r, const atom &a, vec at) {
    float outside = 0;
    vec part;
    int x = split(r, at.x, &part.x, &outside), y = split(r, at.y, &part.y, &outside);
    int z = split(r, at.z, &part.z, &outside);
    size_t stride = (size_t)r.points * r.points * r.points;
    const float *map = r.map + (x + r.points * (y + r.points * z));
    float energy = between_points(map + a.type * stride, r.points, part);
    float charge = between_points(map + MAP_CHARGE * stride, r.points, part);
    float solvent = between_points(map + MAP_SOLVENT * stride, r.points, part);
    energy = fmaf(a.charge, charge, fmaf(a.solvent, solvent, energy));
    return fmaf(50.0f, outside, energy);
}

// The energy between two atoms of the ligand; charges alone beyond 8 angstrom.
BOTH float pair_energy(const work &w, int i, int j) {
    float x = w.at[i].x - w.at[j].x, y = w.at[i].y - w.at[j].y, z = w.at[i].z - w.at[j].z;
    float square = fmaf(x, x, fmaf(y, y, times(z, z))), inverse = 1 / fmaxf(square, 1.0f);
    const atom &a = w.l.atom_of[i], &b = w.l.atom_of[j];
    float energy = times(times(a.charge, b.charge), times(83.0f, inverse));
    if (square > 64.0f) return energy;
    float sixth = times(times(inverse, inverse), inverse), near = fmaf(square, -1 / 64.0f, 1.0f);
    float bonds = fmaf(w.l.repels[a.type][b.type], sixth, -w.l.attracts[a.type][b.type]);
    energy = fmaf(sixth, bonds, energy);
    return fmaf(times(near, near), 10 * (a.solvent + b.solvent), energy);
}

// The energy of the pose that genes describe; the same in all threads.
BOTH float evaluate(work &w, const receptor &r, const float *genes) {
    team([&](int thread) {
        for (int g = TURN + thread; g < TORSIONS + w.l.torsions; g += THREADS)
            exact_sine_cosine(genes[g], &w.sine[g], &w.cosine[g]);
    });
    team([&](int thread) {
        float sum = 0;
        for (int i = thread; i < w.l.atoms; i += THREADS) {
            w.at[i] = place_atom(w, genes, i);
            sum += receptor_energy(r, w.l.atom_of[i], w.at[i]);
        }
        w.part[thread] = sum;
    });
    team([&](int thread) {
        float sum = w.part[thread];
        for (int k = thread; k < w.l.pairs; k += THREADS)
            sum += pair_energy(w, w.l.first[k], w.l.second[k]);
        w.part[thread] = sum;
    });
    return team_sum(w.part);
}
