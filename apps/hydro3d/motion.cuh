// motion.cuh - kernels of hydro3d: forces of zones on their corners, hourglass control, motion of
// nodes.

__global__ void force_stress(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    double stress = s.pressure[z] + s.viscosity[z];
    for (int k = 0; k < 8; k++) {
        int corner = k * s.zones + z;
        s.corner_force.set(corner, stress * s.area.get(corner));
    }
}

// The four hourglass modes: corner motions that do not change the volume, so that no pressure
// resists them. They are products of the corner's coordinates (-1, +1) on the reference cube.
static __device__ inline double pattern(int mode, int k) {
    double x = (k & 3) == 1 || (k & 3) == 2 ? 1 : -1, y = (k & 2) ? 1 : -1, z = (k & 4) ? 1 : -1;
    return mode == 0 ? y * z : mode == 1 ? x * z : mode == 2 ? x * y : x * y * z;
}

static __device__ inline void put_mode(double *to, const state &s, int z, int mode, vec v) {
    to[(3 * mode + 0) * s.zones + z] = v.x;
    to[(3 * mode + 1) * s.zones + z] = v.y;
    to[(3 * mode + 2) * s.zones + z] = v.z;
}
static __device__ inline vec get_mode(const double *from, const state &s, int z, int mode) {
    return {from[(3 * mode + 0) * s.zones + z], from[(3 * mode + 1) * s.zones + z],
            from[(3 * mode + 2) * s.zones + z]};
}

// Amplitude of each mode in the positions and in the velocities, the latter without linear flow
// (Flanagan and Belytschko's projection).
__global__ void hourglass_modes(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    vec x[8], v[8];
    gather(s, s.position, z, x);
    gather(s, s.velocity, z, v);
    double per_volume = 1 / s.volume[z];
    vec shift[4], amplitude[4];
#pragma unroll
    for (int mode = 0; mode < 4; mode++) {
        shift[mode] = amplitude[mode] = {0, 0, 0};
#pragma unroll
        for (int k = 0; k < 8; k++) {
            shift[mode] = shift[mode] + pattern(mode, k) * x[k];
            amplitude[mode] = amplitude[mode] + pattern(mode, k) * v[k];
        }
    }
    for (int k = 0; k < 8; k++) {
        vec area = s.area.get(k * s.zones + z), at = s.velocity.get(s.zone_node[k * s.zones + z]);
#pragma unroll
        for (int mode = 0; mode < 4; mode++)
            amplitude[mode] = amplitude[mode] - (per_volume * dot(shift[mode], area)) * at;
    }
#pragma unroll
    for (int mode = 0; mode < 4; mode++) {
        put_mode(s.distortion, s, z, mode, shift[mode]);
        put_mode(s.hourglass, s, z, mode, amplitude[mode]);
    }
}

__global__ void hourglass_force(state s) {
    const double strength = 0.25;
    int z = my_index();
    if (z >= s.zones) return;
    double speed = s.sound[z] + fabs(s.divergence[z]) * s.length[z], volume = s.volume[z];
    double scale = strength * s.density[z] * speed * cbrt(volume * volume) / 64;
    vec amplitude[4], shift[4];
#pragma unroll
    for (int mode = 0; mode < 4; mode++) {
        amplitude[mode] = get_mode(s.hourglass, s, z, mode);
        shift[mode] = get_mode(s.distortion, s, z, mode);
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
        vec area = s.area.get(k * s.zones + z), sum = {0, 0, 0};
#pragma unroll
        for (int mode = 0; mode < 4; mode++)
            sum = sum + (pattern(mode, k) - dot(shift[mode], area) / volume) * amplitude[mode];
        int corner = k * s.zones + z;
        s.corner_force.set(corner, s.corner_force.get(corner) - scale * sum);
    }
}

__global__ void node_force(state s) {
    int n = my_index();
    if (n >= s.nodes) return;
    vec sum = {0, 0, 0};
    for (int i = s.node_first[n]; i < s.node_first[n + 1]; i++)
        sum = sum + s.corner_force.get(s.node_corner[i]);
    s.force.set(n, sum);
}

__global__ void node_acceleration(state s) {
    int n = my_index();
    if (n < s.nodes) s.acceleration.set(n, (1 / s.node_mass[n]) * s.force.get(n));
}

// Keeps the nodes of a symmetry plane in it.
__global__ void node_symmetry(double *acceleration, const int *list, int count) {
    int i = my_index();
    if (i < count) acceleration[list[i]] = 0;
}

__global__ void node_velocity(state s) {
    int n = my_index();
    if (n >= s.nodes) return;
    vec before = s.velocity.get(n), after = before + s.clock->dt * s.acceleration.get(n);
    s.velocity.set(n, after);
    s.mean_velocity.set(n, 0.5 * (before + after));
}

__global__ void node_position(state s) {
    int n = my_index();
    if (n < s.nodes)
        s.position.set(n, s.position.get(n) + s.clock->dt * s.velocity.get(n));
}
