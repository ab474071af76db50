// litmus.h - shared by the litmus tests: bounded spins, device memory and checks.
//
// An endless spin would hang the simulation, so every spin has a limit; a thread that reaches it
// counts itself in `stuck` and gives up.
#ifndef HEDDLE_APPS_LITMUS_LITMUS_H
#define HEDDLE_APPS_LITMUS_LITMUS_H

#include <vector>

// Limit of spins, passed to a kernel.
struct spin {
    unsigned limit;  // tries of one thread
    unsigned *stuck; // threads that gave up, in device memory
};

// Spins until is_done() returns true. @return false if the limit was reached
template <class F> static __device__ __forceinline__ bool spin_until(const spin &spin, F is_done) {
    for (unsigned tries = 0; tries < spin.limit; tries++) {
        if (is_done()) return true;
    }
    atomicAdd(spin.stuck, 1u);
    return false;
}

// A test in progress: its device memory, freed with it, and its checks. Every function that can
// fail prints the reason.
class trial {
  public:
    trial(const char *name, unsigned limit)
        : name_(name), spin_{limit, app_zeros_on_device<unsigned>(1)} {}
    ~trial() {
        CHECK(cudaFree(spin_.stuck));
        for (void *pointer : owned_) CHECK(cudaFree(pointer));
    }
    trial(const trial &) = delete;
    trial &operator=(const trial &) = delete;

    const spin &spins() const { return spin_; }

    template <class T> T *zeros(size_t count) {
        T *pointer = app_zeros_on_device<T>(count);
        owned_.push_back(pointer);
        return pointer;
    }

    // Waits for the kernel. @return false if a thread gave up spinning
    bool finish(const char *kernel) {
        WAIT(kernel);
        unsigned stuck;
        app_to_host(&stuck, spin_.stuck, 1);
        if (stuck == 0) return true;
        return fail("did not terminate: %u threads gave up after %u spins", stuck, spin_.limit);
    }

    // Compares n elements of a device array with expected(i), in order. @return false if one
    // differs
    template <class T, class F> bool same(const char *what, const T *device, size_t n, F expected) {
        std::vector<T> got(n);
        app_to_host(got.data(), device, n);
        for (size_t i = 0; i < n; i++) {
            T right = expected(i);
            if (got[i] == right) continue;
            return fail("%s[%zu] is %.17g, not %.17g", what, i, (double)got[i], (double)right);
        }
        return true;
    }

    bool fail(const char *format, ...) {
        char text[256];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        app_fail("%s: %s", name_, text);
        return false;
    }

  private:
    const char *name_;
    spin spin_;
    std::vector<void *> owned_;
};

#endif
