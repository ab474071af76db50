// energy.cuh - kernels of hydro3d: energy of the zones, equation of state, time step. A kernel has
// one thread per zone (or list element) and reads and writes arrays of `state` (state.h).

// Subtracts the work of a zone's corner forces from its energy. With the mean of the velocities
// before and after the step, the sum over all zones equals the change of kinetic energy, to
// rounding.
__global__ void zone_work(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    double work = 0;
    for (int k = 0; k < 8; k++) {
        int corner = k * s.zones + z;
        work += dot(s.corner_force.get(corner), s.mean_velocity.get(s.zone_node[corner]));
    }
    s.energy[z] -= s.clock->dt * work / s.mass[z];
}

// ---- equation of state of one region, on packed copies, so that all threads are active

__global__ void eos_gather(state s, const int *list, int count) {
    int i = my_index();
    if (i >= count) return;
    s.packed_density[i] = s.density[list[i]];
    s.packed_energy[i] = s.energy[list[i]];
}

__global__ void eos_pressure(state s, double gamma, int count) {
    int i = my_index();
    if (i < count)
        s.packed_pressure[i] = (gamma - 1) * s.packed_density[i] * fmax(s.packed_energy[i], 0.0);
}

__global__ void eos_sound(state s, double gamma, int count) {
    int i = my_index();
    if (i < count) s.packed_sound[i] = sqrt(gamma * s.packed_pressure[i] / s.packed_density[i]);
}

__global__ void eos_scatter(state s, const int *list, int count) {
    int i = my_index();
    if (i >= count) return;
    s.pressure[list[i]] = s.packed_pressure[i];
    s.sound[list[i]] = s.packed_sound[i];
}

// ---- time step: minimum over all zones, first per CTA, then over CTAs

enum { REDUCE_THREADS = 128 };

// Minimum over the threads of the CTA; valid in thread 0.
static __device__ inline double cta_least(double mine) {
    __shared__ double part[REDUCE_THREADS];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = REDUCE_THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] = fmin(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    return part[0];
}

// Time in which sound and shock cross a zone.
__global__ void step_courant(state s) {
    int z = my_index();
    double mine = 1e30;
    if (z < s.zones)
        mine = s.length[z] / (s.sound[z] + 2 * sqrt(s.square[z]) + 1e-30);
    mine = cta_least(mine);
    if (threadIdx.x == 0) s.shortest[blockIdx.x] = mine;
}

// Time in which a zone's volume would change by its own size.
__global__ void step_volume(state s) {
    int z = my_index();
    double mine = z < s.zones ? 1 / (fabs(s.divergence[z]) + 1e-30) : 1e30;
    mine = cta_least(mine);
    if (threadIdx.x == 0) s.fastest[blockIdx.x] = mine;
}

// Advances the time and chooses the next step from the minima. Runs as one CTA.
__global__ void step_choose(state s, int ctas, double growth) {
    const double of_courant = 0.3, of_volume = 0.1;
    double least = 1e30;
    for (int i = threadIdx.x; i < ctas; i += REDUCE_THREADS)
        least = fmin(least, fmin(of_courant * s.shortest[i], of_volume * s.fastest[i]));
    least = cta_least(least);
    if (threadIdx.x == 0) {
        s.clock->time += s.clock->dt;
        s.clock->dt = s.clock->dt > 0 ? fmin(least, growth * s.clock->dt) : 0.1 * least;
    }
}
