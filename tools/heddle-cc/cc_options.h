// cc_options.h - the parsed command line of heddle-cc.
#ifndef HEDDLE_CC_OPTIONS_H
#define HEDDLE_CC_OPTIONS_H

#include <stdbool.h>

#include "cc_command.h"

enum cc_outcome {
    CC_GO,     // build as the options say
    CC_DONE,   // --help or --version was printed
    CC_MISUSED // a message was printed
};

// The options; the words point into main's arguments.
struct cc_options {
    struct cc_words inputs; // files, in their order
    struct cc_words both;   // options for the device and the host compilation
    struct cc_words host;   // for the host compilation alone
    struct cc_words link;   // for the linker, in their order
    const char *output;     // NULL: a.out, or one name per input
    const char *standard;   // "c++17"
    bool compile_only;      // -c
    bool ptx_only;          // --ptx
    bool debug;             // -g
    bool lineinfo;          // source lines in the PTX
    bool fast_math;         // device and host
    bool fast_math_device;  // device, with subnormals flushed
    bool keep;              // intermediate files stay, beside the output
    bool verbose;           // print the commands
    bool all_cuda;          // -x cu
};

// Parses the arguments into *options. Prints help, version or what is wrong. Free with
// cc_options_free.
enum cc_outcome cc_options_parse(struct cc_options *options, int argc, char **argv);
void cc_options_free(struct cc_options *options);

#endif
