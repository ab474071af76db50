// Time of the host under Heddle: host code takes none, unless it says what it does.
//
// Only with `heddle run --nodes`; the node's parameters (cpu.*) say how fast its CPU is. On a real
// machine, where there is no such call, nothing happens: the work takes the time that it takes.
#ifndef HEDDLE_DEVICE_HEDDLE_HOST_H
#define HEDDLE_DEVICE_HEDDLE_HOST_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

// Address of a call of the simulator's runtime library, which a program is not linked to, or NULL.
static inline void *heddle_host_function(const char *name) {
    void *address = dlsym(RTLD_DEFAULT, name);
    // In place of a runtime that is linked into the program, it was loaded for itself alone.
    const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
    for (int i = 0; i < 3 && !address; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) address = dlsym(library, name);
    }
    return address;
}

// The calling thread has done this work on all cores of its node, in one parallel region: so many
// floating-point operations, bytes read and written, and bytes of memory that it touches (which
// may lie in a cache). @return the thread's clock then, in ps of target time; 0: not simulated.
static inline uint64_t heddle_host_work(uint64_t operations, uint64_t bytes, uint64_t touched) {
    typedef int (*call)(uint64_t, uint64_t, uint64_t, uint64_t *);
    static call work = NULL;
    uint64_t now_ps = 0;
    if (!work) work = (call)heddle_host_function("__heddleHostWork");
    return work && !work(operations, bytes, touched, &now_ps) ? now_ps : 0;
}

#endif
