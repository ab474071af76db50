// viscosity.cuh - kernels of hydro3d: artificial viscosity, which spreads a shock over a few zones.
//
// It is computed from the velocity difference between the two faces along each of a zone's three
// axes. A limiter compares its gradient with the neighbours' and removes the part that is smooth
// flow.

// Difference of the mean values at the far and the near face of each axis.
static __device__ inline void axis_difference(const vec (&v)[8], vec (&along)[3]) {
    along[0] = 0.25 * ((v[1] + v[2] + v[5] + v[6]) - (v[0] + v[3] + v[4] + v[7]));
    along[1] = 0.25 * ((v[2] + v[3] + v[6] + v[7]) - (v[0] + v[1] + v[4] + v[5]));
    along[2] = 0.25 * ((v[4] + v[5] + v[6] + v[7]) - (v[0] + v[1] + v[2] + v[3]));
}

__global__ void viscosity_slopes(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    vec at[8], span[3], change[3];
    gather(s, s.position, z, at);
    axis_difference(at, span);
    gather(s, s.velocity, z, at);
    axis_difference(at, change);
#pragma unroll
    for (int a = 0; a < 3; a++) {
        double length = sqrt(dot(span[a], span[a]));
        double jump = dot(change[a], span[a]) / length;
        s.jump[a][z] = jump;
        s.slope[a][z] = jump / length;
    }
}

// The neighbour's gradient / this zone's: 1 across a symmetry plane, 0 at a free surface.
static __device__ inline double neighbour_ratio(const state &s, int axis, int neighbour,
                                                double slope) {
    if (neighbour == -1) return 1; // FACE_SYMMETRY
    if (neighbour == -2) return 0; // FACE_FREE
    return s.slope[axis][neighbour] / slope;
}

__global__ void viscosity_limit(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    double linear = 0, square = 0;
#pragma unroll
    for (int a = 0; a < 3; a++) {
        double jump = s.jump[a][z], slope = s.slope[a][z];
        if (jump >= 0) continue; // expansion
        double below = neighbour_ratio(s, a, s.zone_face[2 * a * s.zones + z], slope);
        double above = neighbour_ratio(s, a, s.zone_face[(2 * a + 1) * s.zones + z], slope);
        double smooth = fmin(fmin(2 * below, 2 * above), fmin(0.5 * (below + above), 1.0));
        double rough = -jump * (1 - fmax(smooth, 0.0));
        linear += rough;
        square += rough * rough;
    }
    s.linear[z] = linear;
    s.square[z] = square;
}

__global__ void viscosity_pressure(state s) {
    const double of_linear = 0.5, of_square = 1.2; // usual values
    int z = my_index();
    if (z >= s.zones) return;
    double q = s.density[z] * (of_linear * s.sound[z] * s.linear[z] + of_square * s.square[z]);
    s.viscosity[z] = s.divergence[z] < 0 ? q : 0;
}
