// main.c - heddle-cc: compiles and links CUDA programs with clang-14, without NVIDIA's toolkit.
//
// The device side becomes PTX, which goes into a fat binary of the usual form. The host side is
// compiled with the fat binary inside, makes the usual registration calls, and is linked with
// Heddle's libcudart.so.12. Exit status: 0 built, 1 a step failed, 2 misused.
#include "cc_build.h"
#include "cc_options.h"

// Parses the options, builds, and frees everything. @return the exit status of the file's head.
int main(int argc, char **argv) {
    struct cc_options options;
    enum cc_outcome outcome = cc_options_parse(&options, argc, argv);
    int status = outcome == CC_MISUSED ? 2 : 0;
    if (outcome == CC_GO) {
        struct cc_places places;
        status = 1;
        if (cc_places_find(&places)) {
            status = cc_build(&options, &places) ? 0 : 1;
            cc_places_free(&places);
        }
    }
    cc_options_free(&options);
    return status;
}
