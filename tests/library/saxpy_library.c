/* saxpy_library.c - the launches of saxpy_driver.c through the library: prints the figures of each
 * as JSON. Arguments: saxpy.ptx, the number of elements, of launches, the GPU. */
#include "saxpy.h"

int main(int argc, char **argv) {
    struct heddle_diag diag;
    const char *const settings[] = {"sm.count=8"};
    if (argc < 5) return 2;
    const struct heddle_gpu_options options = {
        .gpu = argv[4], .settings = settings, .num_settings = 1};
    const uint32_t n = (uint32_t)atoi(argv[2]);
    heddle_gpu *gpu;
    NEED(heddle_gpu_create(&gpu, &options, &diag));
    struct saxpy s;
    saxpy_begin(&s, gpu, argv[1], n);
    for (int i = 0; i < atoi(argv[3]); i++) saxpy_launch(&s);
    NEED(heddle_gpu_synchronize(gpu, &diag));
    saxpy_end(&s, atoi(argv[3]));
    for (int i = 0; i < atoi(argv[3]); i++) {
        const char *json;
        NEED(heddle_launch_json(gpu, (uint64_t)i, &json, &diag));
        puts(json);
    }
    NEED(heddle_gpu_destroy(gpu));
    return 0;
}
