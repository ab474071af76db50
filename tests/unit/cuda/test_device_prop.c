/* test_device_prop.c - cudaDeviceProp: the layouts of three CUDA versions (that of an installed
 * toolkit by toolkit_prop.c), and the values of the GPU. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "common/config.h"
#include "cuda/base/device_prop.h"

Test(device_prop, sizes) {
    cr_expect_eq(device_prop_bytes(11), 728u);
    cr_expect_eq(device_prop_bytes(12), 1032u);
    cr_expect_eq(device_prop_bytes(13), 1008u);
    cr_expect_eq(device_prop_bytes(10), 0u);
}

Test(device_prop, offsets_that_moved) {
    cr_expect_eq(device_prop_offset(12, "clockRate"), 348u);
    cr_expect_eq(device_prop_offset(13, "clockRate"), (size_t)-1);
    cr_expect_eq(device_prop_offset(11, "major"), 360u);
    cr_expect_eq(device_prop_offset(12, "multiProcessorCount"), 388u);
    cr_expect_eq(device_prop_offset(12, "l2CacheSize"), 616u);
    cr_expect_eq(device_prop_offset(12, "reserved12"), 792u);
}

Test(device_prop, values) {
    struct config *c;
    struct heddle_diag diag = {0};
    unsigned char p[1100];
    cr_assert_eq(config_load(&c, "v100", GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    for (int version = 11; version <= 13; version++) {
        int32_t number;
        uint64_t size;
        memset(p, 0xaa, sizeof p);
        device_prop_fill(version, c, p);
        cr_expect_str_eq((char *)p, "Tesla V100 (simulated)");
        memcpy(&number, p + device_prop_offset(version, "multiProcessorCount"), 4);
        cr_expect_eq(number, 80);
        memcpy(&number, p + device_prop_offset(version, "maxThreadsDim") + 8, 4);
        cr_expect_eq(number, 64);
        memcpy(&size, p + device_prop_offset(version, "totalGlobalMem"), 8);
        cr_expect_eq(size, 17179869184u);
        memcpy(&number, p + device_prop_offset(version, "major"), 4);
        cr_expect_eq(number, 7);
        cr_expect_eq(p[device_prop_bytes(version)], 0xaa, "wrote beyond the end");
    }
    config_free(c);
}

#ifdef TOOLKIT
int toolkit_version(void);
size_t toolkit_prop_size(void);
size_t toolkit_prop_offset(const char *name);

Test(device_prop, as_in_the_toolkit) {
    static const char *const names[] = {
#define PROP(versions, type, name, count, ...) #name,
#include "tables/device_prop.def"
    };
    int version = toolkit_version();
    unsigned compared = 0;
    cr_assert_eq(device_prop_bytes(version), toolkit_prop_size());
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t theirs = toolkit_prop_offset(names[i]);
        if (theirs == (size_t)-1) continue;
        compared++;
        cr_expect_eq(device_prop_offset(version, names[i]), theirs, "%s", names[i]);
    }
    if (version == 13) cr_expect_geq(compared, 29u);
}
#endif
