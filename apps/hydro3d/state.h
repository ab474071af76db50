// state.h - the data of the kernels of hydro3d: device pointers, passed to each kernel by value.
//
// The grid is staggered: positions, velocities and forces are at nodes, everything else in zones. A
// step takes positions, energy and volume from t to t + dt, velocities from t - dt/2 to t + dt/2.
#ifndef HEDDLE_APPS_HYDRO3D_STATE_H
#define HEDDLE_APPS_HYDRO3D_STATE_H

struct vec {
    double x, y, z;
};
static __device__ inline vec operator+(vec a, vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
static __device__ inline vec operator-(vec a, vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
static __device__ inline vec operator*(double s, vec a) { return {s * a.x, s * a.y, s * a.z}; }
static __device__ inline double dot(vec a, vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static __device__ inline vec cross(vec a, vec b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// An array of vectors, stored as one array per component.
struct field {
    double *x, *y, *z;
    __device__ vec get(int i) const { return {x[i], y[i], z[i]}; }
    __device__ void set(int i, vec v) const {
        x[i] = v.x;
        y[i] = v.y;
        z[i] = v.z;
    }
};

struct clock_state {
    double dt, time;
    double bad; // not 0: a zone has turned inside out
};

struct state {
    int zones, nodes;
    // the mesh (mesh.h)
    const int *zone_node, *zone_face, *node_first, *node_corner;
    // nodes
    field position, velocity, mean_velocity, force, acceleration;
    double *node_mass;
    // corners
    field area;         // derivative of the zone's volume by the corner's position
    field corner_force; // force of the zone on the node
    // zones
    double *mass, *volume, *density, *energy, *pressure, *viscosity, *sound, *length, *divergence;
    double *slope[3], *jump[3]; // velocity along each of the zone's axes: gradient, difference
    double *linear, *square;    // parts of the viscosity after the limiter
    double *hourglass;          // [4 modes][3][zones]: amplitudes
    double *distortion;         // [4 modes][3][zones]: the same sums over positions
    // regions: packed copies
    double *packed_density, *packed_energy, *packed_pressure, *packed_sound;
    // time
    clock_state *clock;
    double *shortest, *fastest; // minima, one per CTA
};

static __device__ inline int my_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Reads a field at the eight corners of a zone.
static __device__ inline void gather(const state &s, const field &from, int zone, vec (&to)[8]) {
#pragma unroll
    for (int k = 0; k < 8; k++) to[k] = from.get(s.zone_node[k * s.zones + zone]);
}

#endif
