// search.cuh - a Lamarckian genetic algorithm: first population, next generation, and local search
// whose finds become genes. A CTA works on one individual of one run.

struct population {
    float *genes;  // [runs][size][MAX_GENES]
    float *energy; // [runs][size]
};

struct docking {
    int runs, size, genes; // individuals of a run; genes in use
    int searched;          // individuals of a run that local search improves
    int iterations;        // of local search
    const ligand *l;
    receptor r;
};

// What a random number is for: those of an individual in a generation have different uses.
enum use { USE_FIRST, USE_RIVALS = 0, USE_CUT = 4, USE_MUTATION = 64, USE_CHANGE = 128 };

BOTH unsigned long long key_of(int generation, int individual) {
    return exact_hash((unsigned long long)generation << 32 | (unsigned)individual);
}
BOTH float draw(unsigned long long key, int use) {
    return exact_unit_float(exact_hash(key + (unsigned)use));
}
BOTH int draw_below(unsigned long long key, int use, int end) {
    return (int)(draw(key, use) * (float)end);
}

// A place stays in the box; an angle becomes one of (-pi, pi).
BOTH float bounded(const docking &d, int gene, float value) {
    if (gene < TURN) return fminf(fmaxf(value, 0.0f), d.r.edge);
    return fmaf(rintf(times(value, 0.159154943f)), -6.28318531f, value);
}

BOTH void fetch_ligand(work &w, const docking &d) {
    team([&](int thread) {
        const int *from = (const int *)d.l;
        int *to = (int *)&w.l;
        for (size_t i = thread; i < sizeof(ligand) / sizeof(int); i += THREADS) to[i] = from[i];
    });
}

// Writes the genes and energy of an individual.
BOTH void store(const docking &d, const population &to, int individual, const float *genes,
                float energy) {
    team([&](int thread) {
        for (int g = thread; g < d.genes; g += THREADS)
            to.genes[individual * MAX_GENES + g] = genes[g];
        if (thread == 0) to.energy[individual] = energy;
    });
}

BOTH void first_individual(work &w, const docking &d, const population &to, int individual) {
    fetch_ligand(w, d);
    unsigned long long key = key_of(0, individual);
    team([&](int thread) {
        for (int g = thread; g < d.genes; g += THREADS) {
            float u = draw(key, USE_FIRST + g);
            w.genes[g] = g < TURN ? times(u, d.r.edge) : times(u - 0.5f, 6.28318531f);
        }
    });
    store(d, to, individual, w.genes, evaluate(w, d.r, w.genes));
}

// The individual of least energy of a run, the first of equals.
BOTH int best_of_run(work &w, const docking &d, const float *energy) {
    team([&](int thread) {
        int best = thread < d.size ? thread : 0;
        for (int i = thread; i < d.size; i += THREADS)
            if (energy[i] < energy[best]) best = i;
        w.part[thread] = energy[best];
        w.index[thread] = best;
    });
    for (int half = THREADS / 2; half > 0; half /= 2)
        team([&](int thread) {
            if (thread >= half) return;
            float mine = w.part[thread], other = w.part[thread + half];
            int index = w.index[thread + half];
            if (other < mine || (other == mine && index < w.index[thread])) {
                w.part[thread] = other;
                w.index[thread] = index;
            }
        });
    return w.index[0];
}

// The better of two individuals drawn at random.
BOTH int winner(const docking &d, const float *energy, unsigned long long key, int use) {
    int a = draw_below(key, use, d.size), b = draw_below(key, use + 1, d.size);
    return energy[b] < energy[a] ? b : a;
}

// The next generation's individual: of the first of each run, the best so far; else a child of two
// winners, with genes from the father between two cuts, some of them changed.
BOTH void next_individual(work &w, const docking &d, const population &from, const population &to,
                          int generation, int individual) {
    int run = individual / d.size, base = run * d.size;
    const float *energy = from.energy + base;
    if (individual == base) {
        int best = base + best_of_run(w, d, energy);
        store(d, to, individual, from.genes + best * MAX_GENES, from.energy[best]);
        return;
    }
    fetch_ligand(w, d);
    unsigned long long key = key_of(generation, individual);
    team([&](int thread) {
        if (thread == 0) {
            w.mother = base + winner(d, energy, key, USE_RIVALS);
            w.father = base + winner(d, energy, key, USE_RIVALS + 2);
        } else if (thread == 32) {
            bool cross = draw(key, USE_CUT) < 0.8f;
            int a = draw_below(key, USE_CUT + 1, d.genes);
            int b = draw_below(key, USE_CUT + 2, d.genes);
            w.cut[0] = a < b ? a : b;
            w.cut[1] = cross ? (a < b ? b : a) : w.cut[0];
        }
    });
    team([&](int thread) {
        for (int g = thread; g < d.genes; g += THREADS) {
            int parent = g >= w.cut[0] && g < w.cut[1] ? w.father : w.mother;
            float value = from.genes[parent * MAX_GENES + g];
            if (draw(key, USE_MUTATION + 2 * g) < 0.05f) {
                float by = draw(key, USE_MUTATION + 2 * g + 1) - 0.5f;
                value = bounded(d, g, fmaf(by, g < TURN ? 4.0f : 3.0f, value));
            }
            w.genes[g] = value;
        }
    });
    store(d, to, individual, w.genes, evaluate(w, d.r, w.genes));
}

// Takes the trial if it is better: its genes, and a bias towards its change. @return whether it is
BOTH bool take(work &w, const docking &d, float trial, float *energy, float towards) {
    if (!(trial < *energy)) return false;
    *energy = trial;
    team([&](int thread) {
        for (int g = thread; g < d.genes; g += THREADS) {
            w.genes[g] = w.trial[g];
            w.bias[g] = fmaf(towards, w.change[g], times(towards > 0 ? 0.2f : 1.0f, w.bias[g]));
        }
    });
    return true;
}

// Local search by Solis and Wets: random steps, the opposite of those that fail, longer ones after
// successes and shorter ones after failures.
BOTH void search_around(work &w, const docking &d, const population &at, int generation,
                        int individual) {
    fetch_ligand(w, d);
    unsigned long long key = key_of(~generation, individual);
    team([&](int thread) {
        for (int g = thread; g < d.genes; g += THREADS) {
            w.genes[g] = at.genes[individual * MAX_GENES + g];
            w.bias[g] = 0;
        }
    });
    float energy = at.energy[individual], step = 1;
    int successes = 0, failures = 0;
    for (int i = 0; i < d.iterations && step > 0.01f; i++) {
        team([&](int thread) {
            for (int g = thread; g < d.genes; g += THREADS) {
                float by = fmaf(2.0f, draw(key, USE_CHANGE + i * MAX_GENES + g), -1.0f);
                w.change[g] = fmaf(times(step, g < TURN ? 1.0f : 0.4f), by, w.bias[g]);
                w.trial[g] = bounded(d, g, w.genes[g] + w.change[g]);
            }
        });
        bool better = take(w, d, evaluate(w, d.r, w.trial), &energy, 0.4f);
        if (!better) {
            team([&](int thread) {
                for (int g = thread; g < d.genes; g += THREADS)
                    w.trial[g] = bounded(d, g, w.genes[g] - w.change[g]);
            });
            better = take(w, d, evaluate(w, d.r, w.trial), &energy, -0.4f);
        }
        if (!better)
            team([&](int thread) {
                for (int g = thread; g < d.genes; g += THREADS) w.bias[g] *= 0.5f;
            });
        successes = better ? successes + 1 : 0;
        failures = better ? 0 : failures + 1;
        if (successes == 4 || failures == 4) {
            step *= successes ? 2.0f : 0.5f;
            successes = failures = 0;
        }
    }
    store(d, at, individual, w.genes, energy);
}

__global__ void __launch_bounds__(THREADS) first_population(docking d, population to) {
    __shared__ work w;
    first_individual(w, d, to, blockIdx.x);
}

__global__ void __launch_bounds__(THREADS)
    next_generation(docking d, population from, population to, int generation) {
    __shared__ work w;
    next_individual(w, d, from, to, generation, blockIdx.x);
}

// CTA i improves individual i % searched of run i / searched.
BOTH int searched_individual(const docking &d, int i) {
    return i / d.searched * d.size + i % d.searched;
}
__global__ void __launch_bounds__(THREADS) local_search(docking d, population at, int generation) {
    __shared__ work w;
    search_around(w, d, at, generation, searched_individual(d, blockIdx.x));
}
