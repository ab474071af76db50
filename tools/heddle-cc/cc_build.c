// cc_build.c - the steps of a build; see cc_build.h.
//
// main.c calls cc_places_find() and cc_build(); everything runs in the one thread of heddle-cc.
// Each step runs clang as a child process. Functions that return bool print what failed to stderr
// (cc_error()) before they return false. Strings that a comment calls "new" are the caller's to
// free; file names from scratch(), intermediate() and target_of() belong to the build.
#define _GNU_SOURCE
#include "cc_build.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cc_fatbin.h"
#include "cc_ptx.h"

// One build: its options, and the folder of its intermediate files.
struct build {
    const struct cc_options *options;
    const struct cc_places *places;
    char folder[PATH_MAX];   // temporary, deleted at the end
    struct cc_words scratch; // names of files of this build, owned; those in the folder are deleted
    struct cc_words objects; // files to link, in order; borrowed
};

// Fills in headers and library (new strings) from the program's own path, and clang from
// HEDDLE_CLANG or the default. cc_places_free() frees them. @return false, after a message: the
// path cannot be read.
bool cc_places_find(struct cc_places *places) {
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) {
        cc_error("cannot find my own path: %s", strerror(errno));
        return false;
    }
    path[length] = '\0';
    for (int up = 0; up < 2; up++) { // .../bin/heddle-cc -> ...
        char *slash = strrchr(path, '/');
        if (slash) *slash = '\0';
    }
    places->headers = cc_format("%s/include/device", path);
    places->library = cc_format("%s/lib", path);
    const char *clang = getenv("HEDDLE_CLANG");
    places->clang = clang && *clang ? clang : "clang++-14";
    return true;
}

void cc_places_free(struct cc_places *places) {
    free(places->headers);
    free(places->library);
}

static bool has_suffix(const char *file, const char *suffix) {
    size_t length = strlen(file), end = strlen(suffix);
    return length > end && strcmp(file + length - end, suffix) == 0;
}

// True for C and C++ files.
static bool is_source(const char *file) {
    return has_suffix(file, ".c") || has_suffix(file, ".cc") || has_suffix(file, ".cpp") ||
           has_suffix(file, ".cxx");
}

// True if the file is compiled as CUDA: a .cu file, or any source with -x cu.
static bool is_cuda(const struct build *build, const char *file) {
    return has_suffix(file, ".cu") || (build->options->all_cuda && is_source(file));
}

// "dir/name.cu" -> "name"; new string.
static char *stem(const char *file) {
    const char *base = strrchr(file, '/');
    base = base ? base + 1 : file;
    const char *dot = strrchr(base, '.');
    return cc_format("%.*s", dot ? (int)(dot - base) : (int)strlen(base), base);
}

// @return the name of a file in the temporary folder, made from input's name and index. Creates no
//         file.
static const char *scratch(struct build *build, const char *input, size_t index,
                           const char *suffix) {
    char *name = stem(input);
    char *path = cc_format("%s/%zu-%s%s", build->folder, index, name, suffix);
    free(name);
    cc_words_add(&build->scratch, path);
    return path;
}

// @return the name of an intermediate file: beside the output with --keep, else in the temporary
//         folder.
static const char *intermediate(struct build *build, const char *input, size_t index,
                                const char *suffix) {
    if (!build->options->keep) return scratch(build, input, index, suffix);
    const char *output = build->options->output ? build->options->output : "";
    const char *slash = strrchr(output, '/');
    char *name = stem(input);
    char *path = cc_format("%.*s%s%s", slash ? (int)(slash + 1 - output) : 0, output, name, suffix);
    free(name);
    cc_words_add(&build->scratch, path);
    return path;
}

// Adds clang and the flags that both compilations of a CUDA file share to a command.
static void add_cuda(const struct build *build, struct cc_words *command) {
    static const char *const flags[] = {
        "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent",
        // Chooses the launch and registration calls of CUDA 9.2 and later.
        "-Xclang", "-target-sdk-version=11.5", "--cuda-gpu-arch=sm_70", "-isystem"};
    cc_words_add(command, build->places->clang);
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) cc_words_add(command, flags[i]);
    cc_words_add(command, build->places->headers);
    cc_words_add(command, "-include");
    cc_words_add(command, "cuda_runtime.h");
    cc_words_add(command, "-O3");
}

// Reads a whole file as a new string. @return NULL: it cannot be read (errno), or is empty.
static char *read_text(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    char *text = NULL;
    size_t room = 0;
    ssize_t length = getdelim(&text, &room, '\0', file);
    fclose(file);
    if (length >= 0) return text;
    free(text);
    return NULL;
}

// Finds the missing function in clang's messages. Clang's backend ends in a stack dump when device
// code calls a function without a definition; run_device_command() prints one line instead.
// @return the function's name, to be freed by the caller, or NULL if the messages name none
static char *missing_symbol(const char *said) {
    static const char complaint[] = "Undefined external symbol \"";
    const char *at = strstr(said, complaint);
    if (!at) return NULL;
    at += strlen(complaint);
    return strndup(at, strcspn(at, "\"\n"));
}

static void report_missing(const char *input, const char *function) {
    cc_error("device code of '%s' calls '%s', which has no device definition", input, function);
}

// Runs the device compiler and passes its messages on to stderr; if it failed for a missing
// function, prints one line that names it instead. @return true: it succeeded.
static bool run_device_command(struct build *build, const struct cc_words *command,
                               const char *input, size_t index) {
    const char *said_path = scratch(build, input, index, ".said");
    int result = cc_run_quietly(command, said_path, build->options->verbose);
    char *said = read_text(said_path);
    char *missing = result != 0 && said ? missing_symbol(said) : NULL;
    if (missing) {
        report_missing(input, missing);
    } else {
        if (said) fputs(said, stderr);
        char *step = cc_format("device compilation of '%s'", input);
        if (result != 0) cc_report(command, step, result);
        free(step);
    }
    free(missing);
    free(said);
    return result == 0;
}

// Compiles the device side of a CUDA file to PTX for sm_70, into the file `ptx`. @return false,
// after a message, if clang failed.
static bool run_device(struct build *build, const char *input, size_t index, const char *ptx) {
    const struct cc_options *options = build->options;
    struct cc_words command = {0};
    add_cuda(build, &command);
    char *standard = cc_format("-std=%s", options->standard);
    cc_words_add(&command, standard);
    cc_words_append(&command, &options->both);
    // Source lines as .loc; DWARF sections would only make the PTX long.
    if (options->debug || options->lineinfo) cc_words_add(&command, "-gline-directives-only");
    if (options->fast_math || options->fast_math_device) cc_words_add(&command, "-ffast-math");
    if (options->fast_math_device) {
        cc_words_add(&command, "-fgpu-flush-denormals-to-zero");
        cc_words_add(&command, "-D__CUDA_FTZ=1"); // as nvcc; clang has no such macro
    }
    // activemask and nanosleep came after PTX 6.0, which is clang's choice for sm_70.
    static const char *const flags[] = {"--cuda-device-only",
                                        "-Xclang",
                                        "-target-feature",
                                        "-Xclang",
                                        "+ptx64",
                                        "-fno-crash-diagnostics",
                                        "-S",
                                        "-o"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) cc_words_add(&command, flags[i]);
    if (isatty(STDERR_FILENO)) cc_words_add(&command, "-fcolor-diagnostics");
    cc_words_add(&command, ptx);
    cc_words_add(&command, input);
    bool good = run_device_command(build, &command, input, index);
    free(standard);
    cc_words_free(&command);
    return good;
}

// Compiles the host side of a CUDA file with its fat binary inside, or (fatbin NULL) a C or C++
// file, to the file `object`. @return false, after a message, if clang failed.
static bool run_host(struct build *build, const char *input, const char *fatbin,
                     const char *object) {
    const struct cc_options *options = build->options;
    struct cc_words command = {0};
    char *standard = cc_format("-std=%s", options->standard);
    if (fatbin) {
        add_cuda(build, &command);
        cc_words_add(&command, standard);
        static const char *const flags[] = {"--cuda-host-only", "-Xclang",
                                            "-fcuda-include-gpubinary", "-Xclang"};
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) {
            cc_words_add(&command, flags[i]);
        }
        cc_words_add(&command, fatbin);
    } else {
        cc_words_add(&command, build->places->clang);
        cc_words_add(&command, "-x");
        cc_words_add(&command, has_suffix(input, ".c") ? "c" : "c++");
        cc_words_add(&command, "-O3");
        cc_words_add(&command, "-isystem");
        cc_words_add(&command, build->places->headers);
    }
    cc_words_append(&command, &options->both);
    if (options->debug) cc_words_add(&command, "-g");
    if (options->fast_math) cc_words_add(&command, "-ffast-math");
    cc_words_append(&command, &options->host);
    cc_words_add(&command, "-c");
    cc_words_add(&command, "-o");
    cc_words_add(&command, object);
    cc_words_add(&command, input);
    char *step = cc_format("host compilation of '%s'", input);
    bool good = cc_run(&command, step, options->verbose);
    free(step);
    free(standard);
    cc_words_free(&command);
    return good;
}

// Writes a file.
static bool write_bytes(const char *path, const void *bytes, size_t count) {
    FILE *file = fopen(path, "wb");
    bool good = file && fwrite(bytes, 1, count, file) == count;
    if (file && fclose(file) != 0) good = false;
    if (!good) cc_error("cannot write '%s': %s", path, strerror(errno));
    return good;
}

// Refuses PTX that calls a function which nothing defines.
static bool check_ptx(const char *input, const char *text) {
    char *missing = cc_ptx_find_undefined(text);
    if (!missing) return true;
    report_missing(input, missing);
    free(missing);
    return false;
}

// Writes the PTX `text` as a fat binary to the file `path`. @return false, after a message: the PTX
// lacks its directives, or the file cannot be written.
static bool make_fatbin(const struct cc_options *options, const char *input, const char *text,
                        const char *path) {
    uint64_t flags = CC_FATBIN_FLAG_64BIT | CC_FATBIN_FLAG_LINUX;
    if (options->debug) flags |= CC_FATBIN_FLAG_DEBUG;
    size_t bytes;
    unsigned char *fatbin = cc_fatbin_make(text, flags, &bytes);
    if (!fatbin) {
        cc_error("fat binary of '%s' failed: the PTX has no .version and .target", input);
        return false;
    }
    bool good = write_bytes(path, fatbin, bytes);
    free(fatbin);
    return good;
}

// One .cu file to one object file, or to PTX with --ptx: device compilation, check, fat binary,
// host compilation. With --ptx a failed build leaves no output.
static bool build_cuda(struct build *build, const char *input, size_t index, const char *object) {
    const struct cc_options *options = build->options;
    const char *ptx = options->ptx_only ? object : intermediate(build, input, index, ".ptx");
    if (!run_device(build, input, index, ptx)) return false;
    char *text = read_text(ptx);
    if (!text) {
        cc_error("cannot read '%s': %s", ptx, strerror(errno));
        return false;
    }
    bool good = check_ptx(input, text);
    if (good && !options->ptx_only) {
        const char *fatbin = intermediate(build, input, index, ".fatbin");
        good = make_fatbin(options, input, text, fatbin) && run_host(build, input, fatbin, object);
    }
    free(text);
    if (!good && options->ptx_only) unlink(ptx); // a failed build leaves no output
    return good;
}

// True if one of the linker's options sets a path where the program looks for libraries.
static bool names_rpath(const struct cc_words *link) {
    for (size_t i = 0; i < link->count; i++)
        if (strstr(link->word[i], "-rpath")) return true;
    return false;
}

// Links the objects with Heddle's libcudart.so.12 to the output (a.out by default). @return false,
// after a message: the library is missing, or the linker failed.
static bool link_program(struct build *build) {
    const struct cc_options *options = build->options;
    char *runtime = cc_format("%s/libcudart.so.12", build->places->library);
    if (access(runtime, R_OK) != 0) {
        cc_error("linking failed: Heddle's CUDA runtime '%s' is not there: %s", runtime,
                 strerror(errno));
        free(runtime);
        return false;
    }
    struct cc_words command = {0};
    cc_words_add(&command, build->places->clang);
    cc_words_add(&command, "-o");
    cc_words_add(&command, options->output ? options->output : "a.out");
    cc_words_append(&command, &build->objects);
    cc_words_append(&command, &options->link);
    cc_words_add(&command, runtime);
    // Without `heddle run`, the program then finds the library, which says how to start it. What
    // `heddle run` puts in LD_LIBRARY_PATH comes before a RUNPATH.
    // A path that the user gives is the only one.
    char *path = cc_format("-Wl,--enable-new-dtags,-rpath,%s", build->places->library);
    if (!names_rpath(&options->link)) cc_words_add(&command, path);
    bool good = cc_run(&command, "linking", options->verbose);
    cc_words_free(&command);
    free(path);
    free(runtime);
    return good;
}

// @return the name of the output file of one input: with -c or --ptx that of -o, or the input's
// name with .o or .ptx in the current folder; else an object in the temporary folder.
static const char *target_of(struct build *build, const char *input, size_t index) {
    const struct cc_options *options = build->options;
    if (options->ptx_only || options->compile_only) {
        if (options->output) return options->output;
        char *name = stem(input);
        char *path = cc_format("%s%s", name, options->ptx_only ? ".ptx" : ".o");
        free(name);
        cc_words_add(&build->scratch, path);
        return path;
    }
    return scratch(build, input, index, ".o");
}

// Builds every input in order and collects the objects, then links unless the options stop before
// that. @return false after the first step that failed, with its message.
static bool build_all(struct build *build) {
    const struct cc_options *options = build->options;
    for (size_t i = 0; i < options->inputs.count; i++) {
        const char *input = options->inputs.word[i];
        bool cuda = is_cuda(build, input);
        if (options->ptx_only && !cuda) {
            cc_error("--ptx takes a .cu file, not '%s'", input);
            return false;
        }
        if (!cuda && !is_source(input)) {
            cc_words_add(&build->objects, input); // object, archive or library
            continue;
        }
        const char *object = target_of(build, input, i);
        cc_words_add(&build->objects, object);
        if (!(cuda ? build_cuda(build, input, i, object) : run_host(build, input, NULL, object))) {
            return false;
        }
    }
    return options->compile_only || options->ptx_only || link_program(build);
}

// Creates a temporary folder (in the folder TMPDIR if that is set), builds all inputs as the
// options say, links them, and deletes the folder, also when a step fails. @return false if a step
// failed; its message is on stderr.
bool cc_build(const struct cc_options *options, const struct cc_places *places) {
    struct build build = {.options = options, .places = places};
    const char *base = getenv("TMPDIR");
    if (!base || !*base) base = "/tmp";
    snprintf(build.folder, sizeof build.folder, "%s/heddle-cc-XXXXXX", base);
    if (!mkdtemp(build.folder)) {
        cc_error("cannot make a temporary folder in '%s': %s", base, strerror(errno));
        return false;
    }
    bool good = build_all(&build);
    size_t inside = strlen(build.folder);
    for (size_t i = 0; i < build.scratch.count; i++) {
        char *path = (char *)build.scratch.word[i];
        if (strncmp(path, build.folder, inside) == 0) unlink(path);
        free(path);
    }
    rmdir(build.folder);
    cc_words_free(&build.scratch);
    cc_words_free(&build.objects);
    return good;
}
