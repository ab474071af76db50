// Shared by all programs of apps/: --help and options, CUDA error checks, one result line.
//
// A program defines APP_NAME before it includes this. It prints "NAME: PASS ..." and exits with 0,
// or prints "NAME: FAIL what, where" and exits with 1. Wrong options exit with 2.
#ifndef HEDDLE_APPS_COMMON_APP_H
#define HEDDLE_APPS_COMMON_APP_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An option of a program: a number, or one of some names.
struct app_option {
    const char *name; // "-n"
    const char *help;
    long *value; // the default, then the value from the command line
    long least;  // limits of the value
    long most;
    const char *const *names; // of the values 0 to `most`; NULL: numbers
};

static inline void app_print_help(const char *purpose, const struct app_option *options,
                                  int count) {
    printf("Usage: " APP_NAME " [OPTION VALUE]...\n%s\n\n", purpose);
    for (int i = 0; i < count; i++) {
        const struct app_option *o = &options[i];
        printf("  %-4s %s", o->name, o->help);
        for (long n = 0; o->names && n <= o->most; n++)
            printf("%s%s", n ? ", " : ": ", o->names[n]);
        if (o->names)
            printf(" (default %s)\n", o->names[*o->value]);
        else
            printf(" (default %ld)\n", *o->value);
    }
    printf("  --help\n");
}

static inline bool app_read_value(const char *text, const struct app_option *option) {
    char *end;
    if (option->names) {
        long n = 0;
        while (n <= option->most && strcmp(text, option->names[n]) != 0) n++;
        *option->value = n;
        return n <= option->most;
    }
    long value = strtol(text, &end, 10);
    if (*text == '\0' || *end != '\0' || value < option->least || value > option->most) {
        return false;
    }
    *option->value = value;
    return true;
}

// Reads the command line into the options' values. Exits after --help, and with 2 after an error.
static inline void app_start(int argc, char **argv, const char *purpose,
                             const struct app_option *options, int count) {
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            app_print_help(purpose, options, count);
            exit(0);
        }
        int o = 0;
        while (o < count && strcmp(argv[i], options[o].name) != 0) o++;
        if (o == count) {
            fprintf(stderr, APP_NAME ": unknown option '%s' (see --help)\n", argv[i]);
            exit(2);
        }
        const char *text = i + 1 < argc ? argv[++i] : "";
        if (app_read_value(text, &options[o])) continue;
        if (options[o].names)
            fprintf(stderr, APP_NAME ": option %s takes a name (see --help), not '%s'\n",
                    options[o].name, text);
        else
            fprintf(stderr, APP_NAME ": option %s takes a number from %ld to %ld, not '%s'\n",
                    options[o].name, options[o].least, options[o].most, text);
        exit(2);
    }
}

// Prints the PASS line. @return the exit status 0.
static inline int app_pass(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf(APP_NAME ": PASS ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    return 0;
}

// Prints the FAIL line. @return the exit status 1.
static inline int app_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf(APP_NAME ": FAIL ");
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    return 1;
}

// CHECK(call): prints FAIL and exits if a CUDA call returns an error.
static inline void app_check(cudaError_t error, const char *call, const char *file, int line) {
    if (error == cudaSuccess) return;
    app_fail("%s: %s (%s), %s:%d", call, cudaGetErrorName(error), cudaGetErrorString(error), file,
             line);
    exit(1);
}
#define CHECK(call) app_check((call), #call, __FILE__, __LINE__)

// WAIT("kernel"): waits for a launch; prints FAIL and exits if it was refused or failed.
static inline void app_wait(const char *kernel, const char *file, int line) {
    app_check(cudaGetLastError(), kernel, file, line);
    app_check(cudaDeviceSynchronize(), kernel, file, line);
}
#define WAIT(kernel) app_wait(kernel, __FILE__, __LINE__)

// Allocates device memory and copies `count` elements into it; the caller frees it with cudaFree.
template <class T> static inline T *app_to_device(const T *from, size_t count) {
    T *pointer;
    CHECK(cudaMalloc(&pointer, count * sizeof(T)));
    CHECK(cudaMemcpy(pointer, from, count * sizeof(T), cudaMemcpyHostToDevice));
    return pointer;
}

// Allocates device memory filled with zeros; the caller frees it with cudaFree.
template <class T> static inline T *app_zeros_on_device(size_t count) {
    T *pointer;
    CHECK(cudaMalloc(&pointer, count * sizeof(T)));
    CHECK(cudaMemset(pointer, 0, count * sizeof(T)));
    return pointer;
}

template <class T> static inline void app_to_host(T *to, const T *from, size_t count) {
    CHECK(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyDeviceToHost));
}

#endif
