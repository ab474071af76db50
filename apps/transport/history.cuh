// history.cuh - a particle's history in a time step, for GPU and CPU: from event to event until it
// is absorbed, escapes or reaches the end of the step.
//
// Everything that happens to a particle depends on its own state and random numbers alone. So the
// order in which histories are followed changes no event, only the rounding of tallies.

enum event { SCATTERED, ABSORBED, FISSIONED, PRODUCED, ENDED, ESCAPED, CROSSED, MIRRORED, EVENTS };

// A store of particles that histories append to. More than `room` are counted, not kept.
struct vault {
    particle *slot;
    int *count;
    int room;
};

// What histories leave behind.
struct traces {
    unsigned long long *events; // [EVENTS]
    double *flux;               // [cells][GROUPS]: lengths of path, cm
    double *heat;               // [cells]: energy of absorbed particles, MeV
    vault census;               // particles for the next time step
    vault extra;                // secondaries, to be followed in this time step
};

template <class T> BOTH void tally(T *sum, T value) {
#ifdef __CUDA_ARCH__
    atomicAdd(sum, value);
#else
    *sum += value;
#endif
}

BOTH void keep(const vault &v, const particle &q) {
#ifdef __CUDA_ARCH__
    int place = atomicAdd(v.count, 1);
#else
    int place = (*v.count)++;
#endif
    if (place < v.room) v.slot[place] = q;
}

BOTH double draw(particle &q) {
    q.random = q.random * 6364136223846793005ull + 1442695040888963407ull;
    return exact_unit(q.random);
}

// A direction, all as likely: a point of a disk, found by trials, becomes a point of the sphere.
BOTH void turn(particle &q) {
    double a, b, square;
    do {
        a = fma(2.0, draw(q), -1.0);
        b = fma(2.0, draw(q), -1.0);
        square = fma(a, a, times(b, b));
    } while (square >= 1);
    double root = 2 * sqrt(1 - square);
    q.way[0] = times(a, root);
    q.way[1] = times(b, root);
    q.way[2] = fma(-2.0, square, 1.0);
}

BOTH void set_energy(const problem &p, particle &q, double energy) {
    q.energy = fmin(fmax(energy, p.bound[0]), p.bound[GROUPS]);
    int low = 0, high = GROUPS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (q.energy < p.bound[middle]) {
            high = middle;
        } else {
            low = middle;
        }
    }
    q.group = low;
}

// Energy of a particle that fission makes.
BOTH void set_fission_energy(const problem &p, particle &q) {
    double u = times(draw(q), (double)GROUPS);
    int g = (int)u;
    double least = p.spectrum[g];
    set_energy(p, q, fma(u - g, p.spectrum[g + 1] - least, least));
}

BOTH void set_optical(particle &q) { q.optical = -exact_log(draw(q) + 0x1p-54); }

// Centimetres that a particle, a neutron, flies in 10 ns.
BOTH double speed(const particle &q) { return times(13.83, sqrt(q.energy)); }

BOTH double scalar(const double a[AXES], const double b[AXES]) {
    return fma(a[0], b[0], fma(a[1], b[1], times(a[2], b[2])));
}

// The facet through which a particle leaves its cell; *distance: how far it is.
BOTH int next_facet(const problem &p, const particle &q, double *distance) {
    int facet = 0;
    *distance = 1e30;
    for (int f = 0; f < FACETS; f++) {
        const plane &side = p.facet[q.cell * FACETS + f];
        double towards = scalar(side.normal, q.way);
        double inside = side.offset; // falls to how far the particle is from the plane
        for (int i = 0; i < AXES; i++) inside = fma(-side.normal[i], q.at[i], inside);
        double d = fmax(inside, 0.0) / towards;
        bool nearer = towards > 0 && d < *distance; // lanes stay together here
        *distance = nearer ? d : *distance;
        facet = nearer ? f : facet;
    }
    return facet;
}

// Takes a particle through a facet. @return what happens to it.
BOTH event pass_facet(const problem &p, particle &q, int facet) {
    int to = p.neighbour[q.cell * FACETS + facet];
    if (to >= 0) {
        q.cell = to;
        return CROSSED;
    }
    if (to == OUTSIDE) return ESCAPED;
    const plane &side = p.facet[q.cell * FACETS + facet];
    double twice = -2 * scalar(side.normal, q.way);
    for (int i = 0; i < AXES; i++) q.way[i] = fma(twice, side.normal[i], q.way[i]);
    return MIRRORED;
}

// The nuclide of the cell's material that a particle meets, and the reaction: nuclide * REACTIONS +
// reaction.
BOTH int choose_reaction(const problem &p, particle &q, int material) {
    double rest = times(draw(q), p.total[material * GROUPS + q.group]);
    int chosen = p.first[material] * REACTIONS;
    for (int n = p.first[material]; n < p.first[material + 1]; n++) {
        double density = p.nuclides[n].density;
        for (int r = n * REACTIONS; r < (n + 1) * REACTIONS; r++) {
            double section = p.section[r * GROUPS + q.group];
            if (section == 0) continue;
            chosen = r; // the last one if rounding leaves a rest
            rest = fma(-density, section, rest);
            if (rest < 0) return chosen;
        }
    }
    return chosen;
}

// Puts a fission's secondaries into the vault. @return their number.
BOTH int produce(const problem &p, particle &q, double mean, const vault &extra) {
    int count = (int)(mean + draw(q));
    for (int i = 0; i < count; i++) {
        particle secondary = q;
        draw(q);
        secondary.random = exact_hash(q.random);
        turn(secondary);
        set_fission_energy(p, secondary);
        set_optical(secondary);
        keep(extra, secondary);
    }
    return count;
}

// Lets a particle meet a nuclide. @return whether its history goes on
BOTH bool collide(const problem &p, particle &q, int material, const traces &to,
                  unsigned seen[EVENTS]) {
    int chosen = choose_reaction(p, q, material), reaction = chosen % REACTIONS;
    const nuclide &hit = p.nuclides[chosen / REACTIONS];
    if (reaction == SCATTER) {
        seen[SCATTERED]++;
        double keeps = fma(draw(q), 1 - hit.keeps, hit.keeps);
        set_energy(p, q, times(q.energy, keeps));
        turn(q);
        set_optical(q);
        return true;
    }
    if (reaction == ABSORB) {
        seen[ABSORBED]++;
        tally(&to.heat[q.cell], q.energy);
    } else {
        seen[FISSIONED]++;
        seen[PRODUCED] += produce(p, q, hit.produces, to.extra);
    }
    return false;
}

// Takes a particle to its next event. @return whether its history goes on
BOTH bool advance(const problem &p, particle &q, const traces &to, unsigned seen[EVENTS]) {
    int material = p.material[q.cell];
    double per_cm = p.total[material * GROUPS + q.group], facet_at, v = speed(q);
    int facet = next_facet(p, q, &facet_at);
    double collision_at = q.optical / per_cm, end_at = times(q.left, v);
    double d = fmin(fmin(collision_at, end_at), facet_at);
    tally(&to.flux[q.cell * GROUPS + q.group], d);
    for (int i = 0; i < AXES; i++) q.at[i] = fma(d, q.way[i], q.at[i]);
    q.left = fmax(q.left - d / v, 0.0);
    q.optical = fmax(fma(-d, per_cm, q.optical), 0.0);
    if (end_at <= d) {
        seen[ENDED]++;
        q.left = p.step;
        keep(to.census, q);
        return false;
    }
    if (facet_at > d) return collide(p, q, material, to, seen);
    event passed = pass_facet(p, q, facet);
    seen[CROSSED] += passed == CROSSED;
    seen[MIRRORED] += passed == MIRRORED;
    seen[ESCAPED] += passed == ESCAPED;
    return passed != ESCAPED;
}

BOTH void tally_events(const traces &to, const unsigned seen[EVENTS]) {
#pragma unroll
    for (int e = 0; e < EVENTS; e++)
        if (seen[e]) tally(&to.events[e], (unsigned long long)seen[e]);
}

// A warp goes from event to event together: a lane whose particle has ended waits for the others.
__global__ void histories(problem p, const particle *batch, int count, traces to) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned seen[EVENTS] = {0};
    bool alive = i < count;
    particle q = batch[alive ? i : 0];
    while (__any_sync(0xffffffff, alive)) {
        if (alive) alive = advance(p, q, to, seen);
    }
    tally_events(to, seen);
}

static inline void histories_on_cpu(const problem &p, const particle *batch, int count,
                                    const traces &to) {
    unsigned seen[EVENTS] = {0};
    for (int i = 0; i < count; i++) {
        particle q = batch[i];
        while (advance(p, q, to, seen)) {
        }
    }
    tally_events(to, seen);
}
