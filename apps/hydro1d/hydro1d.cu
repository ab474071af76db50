// hydro1d: Sod's shock tube: one-dimensional Lagrangian hydrodynamics with nine kernels per step.
//
// Checks: the same functions run on the CPU, and the results must agree; total energy must be
// conserved; and the gas at the former membrane must have the velocity of the exact solution, once
// the shock has passed enough zones.
#include <cuda_runtime.h>

#define APP_NAME "hydro1d"
#include "../common/app.h"

#include <cmath>
#include <vector>

#define BOTH __host__ __device__ static inline
#define THREADS 256

static const double membrane_velocity = 0.92745; // exact solution for gamma 1.4

// The gas: zone z lies between nodes z and z + 1. Both ends are walls.
struct tube {
    int n;
    double *x, *v, *mean, *a;                                   // nodes
    double *mass, *energy, *density, *pressure, *sound, *shock; // zones; shock: viscosity
    unsigned long long *dt; // [2]: this and the next time step, as bits; they compare as numbers
};

BOTH double as_double(unsigned long long bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
BOTH unsigned long long as_bits(double value) {
    unsigned long long bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// ---- the work of each kernel on one zone z or node i, for GPU and CPU

BOTH void do_pressure(const tube &t, int z) { t.pressure[z] = 0.4 * t.density[z] * t.energy[z]; }
BOTH void do_sound(const tube &t, int z) {
    t.sound[z] = sqrt(1.4 * t.pressure[z] / t.density[z]);
}
BOTH void do_shock(const tube &t, int z) {
    double closing = t.v[z] - t.v[z + 1];
    t.shock[z] =
        closing > 0 ? t.density[z] * closing * (0.3 * t.sound[z] + 1.2 * closing) : 0;
}
BOTH void do_acceleration(const tube &t, int i) {
    if (i == 0 || i == t.n) {
        t.a[i] = 0;
        return;
    }
    double left = t.pressure[i - 1] + t.shock[i - 1], right = t.pressure[i] + t.shock[i];
    t.a[i] = (left - right) / (0.5 * (t.mass[i - 1] + t.mass[i]));
}
BOTH void do_velocity(const tube &t, int i, double dt) {
    double before = t.v[i];
    t.v[i] = before + dt * t.a[i];
    t.mean[i] = before + 0.5 * dt * t.a[i];
}
BOTH void do_position(const tube &t, int i, double dt) { t.x[i] += dt * t.v[i]; }
BOTH void do_energy(const tube &t, int z, double dt) {
    t.energy[z] -= dt * (t.pressure[z] + t.shock[z]) * (t.mean[z + 1] - t.mean[z]) / t.mass[z];
}
BOTH void do_density(const tube &t, int z) { t.density[z] = t.mass[z] / (t.x[z + 1] - t.x[z]); }
BOTH double do_time_step(const tube &t, int z) {
    double closing = fmax(t.v[z] - t.v[z + 1], 0.0);
    return 0.4 * (t.x[z + 1] - t.x[z]) / (t.sound[z] + 2 * closing);
}

// ---- kernels

#define MY_INDEX(i, end)                             \
    int i = blockIdx.x * blockDim.x + threadIdx.x; \
    if (i >= (end)) return

__global__ void pressure(tube t, int step) {
    MY_INDEX(z, t.n);
    do_pressure(t, z);
    if (z == 0) t.dt[~step & 1] = as_bits(1.1 * as_double(t.dt[step & 1])); // limits growth
}
__global__ void sound(tube t) {
    MY_INDEX(z, t.n);
    do_sound(t, z);
}
__global__ void shock(tube t) {
    MY_INDEX(z, t.n);
    do_shock(t, z);
}
__global__ void acceleration(tube t) {
    MY_INDEX(i, t.n + 1);
    do_acceleration(t, i);
}
__global__ void velocity(tube t, int step) {
    MY_INDEX(i, t.n + 1);
    do_velocity(t, i, as_double(t.dt[step & 1]));
}
__global__ void position(tube t, int step) {
    MY_INDEX(i, t.n + 1);
    do_position(t, i, as_double(t.dt[step & 1]));
}
__global__ void energy(tube t, int step) {
    MY_INDEX(z, t.n);
    do_energy(t, z, as_double(t.dt[step & 1]));
}
__global__ void density(tube t) {
    MY_INDEX(z, t.n);
    do_density(t, z);
}
__global__ void time_step(tube t, int step) {
    __shared__ double part[THREADS];
    int z = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = z < t.n ? do_time_step(t, z) : 1e30;
    __syncthreads();
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] = fmin(part[threadIdx.x], part[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) atomicMin(&t.dt[~step & 1], as_bits(part[0]));
}

static void step_on_device(const tube &t, int step) {
    int zones = (t.n + THREADS - 1) / THREADS, nodes = t.n / THREADS + 1;
    pressure<<<zones, THREADS>>>(t, step);
    sound<<<zones, THREADS>>>(t);
    shock<<<zones, THREADS>>>(t);
    acceleration<<<nodes, THREADS>>>(t);
    velocity<<<nodes, THREADS>>>(t, step);
    position<<<nodes, THREADS>>>(t, step);
    energy<<<zones, THREADS>>>(t, step);
    density<<<zones, THREADS>>>(t);
    time_step<<<zones, THREADS>>>(t, step);
}

// ---- the CPU

static void step_on_host(const tube &t, int step) {
    double dt = as_double(t.dt[step & 1]), next = 1.1 * dt;
    for (int z = 0; z < t.n; z++) do_pressure(t, z);
    for (int z = 0; z < t.n; z++) do_sound(t, z);
    for (int z = 0; z < t.n; z++) do_shock(t, z);
    for (int i = 0; i <= t.n; i++) do_acceleration(t, i);
    for (int i = 0; i <= t.n; i++) do_velocity(t, i, dt);
    for (int i = 0; i <= t.n; i++) do_position(t, i, dt);
    for (int z = 0; z < t.n; z++) do_energy(t, z, dt);
    for (int z = 0; z < t.n; z++) do_density(t, z);
    for (int z = 0; z < t.n; z++) next = fmin(next, do_time_step(t, z));
    t.dt[~step & 1] = as_bits(next);
}

// ---- set-up and checks

// All arrays of a tube, in a fixed order.
static std::vector<double **> arrays_of(tube &t) {
    return {&t.x, &t.v, &t.mean, &t.a, &t.mass, &t.energy, &t.density, &t.pressure, &t.sound,
            &t.shock};
}

// Initial state: high pressure in the left half.
static void fill(tube &t) {
    for (int i = 0; i <= t.n; i++) t.x[i] = (double)i / t.n;
    for (int z = 0; z < t.n; z++) {
        bool left = z < t.n / 2;
        t.density[z] = left ? 1 : 0.125;
        t.mass[z] = t.density[z] / t.n;
        t.energy[z] = (left ? 1 : 0.1) / (0.4 * t.density[z]);
    }
    t.dt[0] = as_bits(1e-2 / t.n);
}

static double total_energy(const tube &t) {
    double sum = 0;
    for (int z = 0; z < t.n; z++) sum += t.mass[z] * t.energy[z];
    for (int i = 1; i < t.n; i++) sum += 0.25 * (t.mass[i - 1] + t.mass[i]) * t.v[i] * t.v[i];
    return sum;
}

// The largest difference between two runs, relative to the array's largest value; *where: the
// array.
static double difference(tube &a, tube &b, int *where) {
    std::vector<double **> in_a = arrays_of(a), in_b = arrays_of(b);
    double most = 0;
    for (size_t k = 0; k < in_a.size(); k++) {
        double scale = 1e-30;
        for (int i = 0; i < a.n; i++) scale = fmax(scale, fabs((*in_a[k])[i]));
        for (int i = 0; i < a.n; i++) {
            double d = fabs((*in_a[k])[i] - (*in_b[k])[i]) / scale;
            if (!(d <= most)) { // a NaN counts as the largest
                most = d;
                *where = (int)k;
            }
        }
    }
    return most;
}

int main(int argc, char **argv) {
    long n = 1024, steps = 12;
    const app_option options[] = {{"-n", "zones", &n, 4, 1L << 24},
                                  {"-i", "steps", &steps, 1, 10000000}};
    app_start(argc, argv, "A shock tube.", options, 2);

    tube host = {}, device = {}, back = {};
    unsigned long long dt[3][2] = {};
    std::vector<std::vector<double>> memory;
    host.n = device.n = back.n = (int)n;
    std::vector<double **> of_host = arrays_of(host), of_device = arrays_of(device),
                           of_back = arrays_of(back);
    for (int side = 0; side < 2; side++)
        for (double **array : side ? of_back : of_host) {
            memory.emplace_back(n + 1);
            *array = memory.back().data();
        }
    host.dt = dt[0];
    fill(host);
    for (size_t k = 0; k < of_host.size(); k++) *of_device[k] = app_to_device(*of_host[k], n + 1);
    device.dt = app_to_device(host.dt, 2);
    double before = total_energy(host), time = 0;

    for (int i = 0; i < (int)steps; i++) step_on_device(device, i);
    WAIT("steps");
    for (int i = 0; i < (int)steps; i++) {
        time += as_double(host.dt[i & 1]);
        step_on_host(host, i);
    }
    for (size_t k = 0; k < of_back.size(); k++) app_to_host(*of_back[k], *of_device[k], n + 1);

    int where = 0;
    double apart = difference(host, back, &where), drift = total_energy(back) / before - 1;
    if (!(apart < 1e-9)) return app_fail("array %d is %.3g from the CPU's", where, apart);
    if (!(fabs(drift) < 1e-11)) return app_fail("total energy has changed by %.3g", drift);
    double velocity = back.v[n / 2];
    bool known = time * n > 20 && time < 0.25; // far enough, and no wall reached
    if (known && !(fabs(velocity / membrane_velocity - 1) < 0.01))
        return app_fail("the membrane's gas has velocity %.5f, not %.5f", velocity,
                        membrane_velocity);
    return app_pass("%ld steps of %ld zones, t = %.5f, energy %+.1e, from the CPU's %.1e, velocity "
                    "%.5f of %.5f%s",
                    steps, n, time, drift, apart, velocity, membrane_velocity,
                    known ? "" : " (too early to compare)");
}
