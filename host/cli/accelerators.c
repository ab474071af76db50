/* accelerators.c - asks XRT and OpenCL for their devices, each in a child process; see
 * accelerators.h. The child loads the library, writes what it found as JSON into a pipe and ends;
 * the parent reads with a time limit. Called on the main thread, the only one. */
#include "cli/accelerators.h"

#include <dlfcn.h>
#include <errno.h>
#include <glib.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/wall_time.h"
#include "timing/core.h"
#include "timing/xrt.h"

enum { MOST_CARDS = 16, MOST_PLATFORMS = 16, MOST_DEVICES = 64, LIMIT_MS = 10000 };

/* An object that says why a library could not be asked to the end; what it would list, is empty. */
static json_t *failure(const char *list, const char *what) {
    return json_pack("{s:b,s:[],s:s}", "library", 1, list, "error", what);
}

/* ---------------------------------------------------------------------------- XRT */

/* The image of an open card as text, or JSON's null where it holds none. */
static json_t *image_of(const struct xrt *xrt, xrtDeviceHandle device) {
    xuid_t id;
    char text[2 * sizeof(xuid_t) + 1];
    bool zero = true;
    if (xrt->xrtDeviceGetXclbinUUID(device, id)) return json_null();
    for (size_t i = 0; i < sizeof id; i++) {
        snprintf(text + 2 * i, 3, "%02x", id[i]);
        zero &= !id[i];
    }
    return zero ? json_null() : json_string(text);
}

/* In the child: opens one card after the other, until there is none. */
static json_t *ask_xrt(void) {
    struct heddle_diag diag;
    struct xrt xrt;
    void *library = dlopen(CORE_CARD_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!library) return json_pack("{s:b,s:[]}", "library", 0, "cards");
    if (xrt_load(&xrt, CORE_CARD_LIBRARY, &diag)) return failure("cards", diag.text);
    json_t *cards = json_array();
    for (unsigned i = 0; i < MOST_CARDS; i++) {
        xrtDeviceHandle device = xrt.xrtDeviceOpen(i);
        if (!device) break;
        json_array_append_new(
            cards, json_pack("{s:i,s:o}", "index", (int)i, "image", image_of(&xrt, device)));
        xrt.xrtDeviceClose(device);
    }
    return json_pack("{s:b,s:o}", "library", 1, "cards", cards);
}

/* ---------------------------------------------------------------------------- OpenCL */

/* The little of OpenCL 1.2 that is needed, so that no header is. */
typedef struct cl_platform *cl_platform_id;
typedef struct cl_device *cl_device_id;
typedef int32_t get_platforms_fn(uint32_t, cl_platform_id *, uint32_t *);
typedef int32_t platform_info_fn(cl_platform_id, uint32_t, size_t, void *, size_t *);
typedef int32_t get_devices_fn(cl_platform_id, uint64_t, uint32_t, cl_device_id *, uint32_t *);
typedef int32_t device_info_fn(cl_device_id, uint32_t, size_t, void *, size_t *);
enum {
    CL_PLATFORM_VERSION = 0x0901,
    CL_PLATFORM_NAME = 0x0902,
    CL_PLATFORM_VENDOR = 0x0903,
    CL_DEVICE_TYPE = 0x1000,
    CL_DEVICE_NAME = 0x102b,
    CL_PLATFORM_NOT_FOUND_KHR = -1001,
};
#define CL_DEVICE_TYPE_ALL 0xffffffffu

/* A text of a platform. */
static json_t *platform_text(platform_info_fn *info, cl_platform_id platform, uint32_t name) {
    char text[256] = "";
    info(platform, name, sizeof text - 1, text, NULL);
    json_t *value = json_string(text);
    return value ? value : json_string("(not UTF-8)");
}

/* The devices of a platform. */
static json_t *devices_of(get_devices_fn *get, device_info_fn *info, cl_platform_id platform) {
    static const char *const types[] = {"other", "CPU", "GPU", "accelerator"};
    cl_device_id device[MOST_DEVICES];
    uint32_t count = 0;
    json_t *devices = json_array();
    if (get(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, device, &count)) count = 0;
    for (uint32_t i = 0; i < count && i < MOST_DEVICES; i++) {
        char name[256] = "";
        uint64_t type = 0;
        info(device[i], CL_DEVICE_NAME, sizeof name - 1, name, NULL);
        info(device[i], CL_DEVICE_TYPE, sizeof type, &type, NULL);
        const int kind = type & 2 ? 1 : type & 4 ? 2 : type & 8 ? 3 : 0;
        json_array_append_new(devices, json_pack("{s:s,s:s}", "name", name, "type", types[kind]));
    }
    return devices;
}

/* In the child: lists the platforms of the ICD loader. */
static json_t *ask_opencl(void) {
    void *library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library) return json_pack("{s:b,s:[]}", "library", 0, "platforms");
    get_platforms_fn *get_platforms;
    platform_info_fn *platform_info;
    get_devices_fn *get_devices;
    device_info_fn *device_info;
    *(void **)&get_platforms = dlsym(library, "clGetPlatformIDs");
    *(void **)&platform_info = dlsym(library, "clGetPlatformInfo");
    *(void **)&get_devices = dlsym(library, "clGetDeviceIDs");
    *(void **)&device_info = dlsym(library, "clGetDeviceInfo");
    if (!get_platforms || !platform_info || !get_devices || !device_info)
        return failure("platforms", "libOpenCL.so.1 lacks functions of OpenCL 1.0");
    cl_platform_id platform[MOST_PLATFORMS];
    uint32_t count = 0;
    const int32_t status = get_platforms(MOST_PLATFORMS, platform, &count);
    json_t *platforms = json_array();
    if (status) count = 0;
    for (uint32_t i = 0; i < count && i < MOST_PLATFORMS; i++)
        json_array_append_new(
            platforms,
            json_pack("{s:o,s:o,s:o,s:o}", "name",
                      platform_text(platform_info, platform[i], CL_PLATFORM_NAME), "vendor",
                      platform_text(platform_info, platform[i], CL_PLATFORM_VENDOR), "version",
                      platform_text(platform_info, platform[i], CL_PLATFORM_VERSION), "devices",
                      devices_of(get_devices, device_info, platform[i])));
    json_t *result = json_pack("{s:b,s:o}", "library", 1, "platforms", platforms);
    if (status && status != CL_PLATFORM_NOT_FOUND_KHR)
        json_object_set_new(result, "error", json_sprintf("clGetPlatformIDs returned %d", status));
    return result;
}

/* ---------------------------------------------------------------------------- the child */

/* Reads a pipe to its end, at most LIMIT_MS. @return false: it took longer. */
static bool read_all(int pipe, GString *text) {
    const double end = wall_seconds() + LIMIT_MS / 1e3;
    for (;;) {
        char part[4096];
        struct pollfd p = {.fd = pipe, .events = POLLIN};
        const double left = end - wall_seconds();
        if (left <= 0) return false;
        const int ready = poll(&p, 1, (int)(left * 1000) + 1);
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0) return false;
        const ssize_t n = read(pipe, part, sizeof part);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return true;
        g_string_append_len(text, part, n);
    }
}

/* Runs ask() in a child and returns its object. `list`: the name of what it lists. The child's own
 * output and its core file are nobody's business. */
static json_t *in_child(json_t *(*ask)(void), const char *list) {
    int ends[2];
    if (pipe(ends)) return failure(list, strerror(errno));
    fflush(NULL);
    const pid_t child = fork();
    if (child < 0) {
        close(ends[0]);
        close(ends[1]);
        return failure(list, strerror(errno));
    }
    if (!child) {
        close(ends[0]);
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr)) _exit(1);
        char *found = json_dumps(ask(), JSON_COMPACT);
        const bool written = found &&
                             write(ends[1], found, strlen(found)) == (ssize_t)strlen(found);
        _exit(!written); /* without the library's own handlers, which may end in an error */
    }
    close(ends[1]);
    GString *text = g_string_new(NULL);
    const bool in_time = read_all(ends[0], text);
    close(ends[0]);
    if (!in_time) kill(child, SIGKILL);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
    json_t *found = in_time ? json_loads(text->str, 0, NULL) : NULL;
    g_string_free(text, TRUE);
    if (!in_time) return failure(list, "it did not answer within 10 seconds");
    if (found) return found;
    char why[100] = "it ended the process that asked it";
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "it ended the process that asked it (%s)",
                 strsignal(WTERMSIG(status)));
    return failure(list, why);
}

json_t *accelerators_xrt(void) {
    return in_child(ask_xrt, "cards");
}

json_t *accelerators_opencl(void) {
    return in_child(ask_opencl, "platforms");
}
