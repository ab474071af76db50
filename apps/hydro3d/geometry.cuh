// geometry.cuh - kernels of hydro3d: volumes of zones, their derivatives, lengths, rates of change.
//
// Faces are bilinear. The volume is exactly a third of the sum of position * area over the corners,
// because it is a cubic function of the positions.

// Adds to each corner of a face its share of the face's area: the integral of its shape function
// over the face. Corners are in counter-clockwise order, seen from outside.
static __device__ __forceinline__ void add_face(const vec (&x)[8], vec (&area)[8], int a, int b,
                                                int c, int d) {
    vec at_a = cross(x[b] - x[a], x[d] - x[a]), at_b = cross(x[b] - x[a], x[c] - x[b]);
    vec at_c = cross(x[c] - x[d], x[c] - x[b]), at_d = cross(x[c] - x[d], x[d] - x[a]);
    const double part = 1.0 / 36;
    area[a] = area[a] + part * (4 * at_a + 2 * at_b + at_c + 2 * at_d);
    area[b] = area[b] + part * (2 * at_a + 4 * at_b + 2 * at_c + at_d);
    area[c] = area[c] + part * (at_a + 2 * at_b + 4 * at_c + 2 * at_d);
    area[d] = area[d] + part * (2 * at_a + at_b + 2 * at_c + 4 * at_d);
}

// Volume of a zone; area[k]: its derivative by the position of corner k.
static __device__ __forceinline__ double shape(const vec (&x)[8], vec (&area)[8]) {
#pragma unroll
    for (int k = 0; k < 8; k++) area[k] = {0, 0, 0};
    add_face(x, area, 0, 4, 7, 3);
    add_face(x, area, 1, 2, 6, 5);
    add_face(x, area, 0, 1, 5, 4);
    add_face(x, area, 3, 7, 6, 2);
    add_face(x, area, 0, 3, 2, 1);
    add_face(x, area, 4, 5, 6, 7);
    double sum = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) sum += dot(x[k], area[k]);
    return sum / 3;
}

__global__ void zone_shape(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    vec x[8], area[8];
    gather(s, s.position, z, x);
    s.volume[z] = shape(x, area);
#pragma unroll
    for (int k = 0; k < 8; k++) s.area.set(k * s.zones + z, area[k]);
}

static __device__ inline double face_area(const vec (&x)[8], int a, int b, int c, int d) {
    vec n = cross(x[c] - x[a], x[d] - x[b]);
    return 0.5 * sqrt(dot(n, n));
}

// Length of a zone: its volume divided by its largest face.
__global__ void zone_length(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    vec x[8];
    gather(s, s.position, z, x);
    double most = fmax(fmax(face_area(x, 0, 4, 7, 3), face_area(x, 1, 2, 6, 5)),
                       fmax(face_area(x, 0, 1, 5, 4), face_area(x, 3, 7, 6, 2)));
    most = fmax(most, fmax(face_area(x, 0, 3, 2, 1), face_area(x, 4, 5, 6, 7)));
    s.length[z] = s.volume[z] / most;
}

__global__ void zone_divergence(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    double sum = 0;
    for (int k = 0; k < 8; k++) {
        int corner = k * s.zones + z;
        sum += dot(s.area.get(corner), s.velocity.get(s.zone_node[corner]));
    }
    s.divergence[z] = sum / s.volume[z];
}

__global__ void zone_volume(state s) {
    int z = my_index();
    if (z >= s.zones) return;
    vec x[8], area[8];
    gather(s, s.position, z, x);
    double volume = shape(x, area);
    if (!(volume > 0)) s.clock->bad = 1; // all writers write the same value
    s.volume[z] = volume;
}

__global__ void zone_density(state s) {
    int z = my_index();
    if (z < s.zones) s.density[z] = s.mass[z] / s.volume[z];
}
