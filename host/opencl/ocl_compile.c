/* ocl_compile.c - compiles OpenCL C to PTX with clang, in child processes:
 *
 *   clang      OpenCL C to bitcode
 *   llvm-link  adds Heddle's part of the library, and what is used of libclc
 *   (here)     rewrites the result for the PTX back end, see ocl_lower.c
 *   clang      optimises it and writes PTX
 *
 * Files are kept in a temporary folder, which is removed at the end. HEDDLE_CLANG, HEDDLE_LLVM_LINK
 * and HEDDLE_LIBCLC name other programs and another library. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "opencl/opencl.h"

#define TARGET "nvptx64--nvidiacl"
enum { MAX_WORDS = 512 };

extern char **environ;

/* The temporary folder of one compilation. */
struct folder {
    char path[4000];
};

static const char *tool(const char *variable, const char *otherwise) {
    const char *value = getenv(variable);
    return value && *value ? value : otherwise;
}

/* Whether another word fits behind the n words of a command line; else the log says so. */
static bool has_room(size_t n, struct ocl_text *log) {
    if (n + 1 < MAX_WORDS) return true;
    ocl_print(log,
              "error: a command line of more than %d words: too many build options, or programs to "
              "link\n",
              MAX_WORDS);
    return false;
}

static bool make_folder(struct folder *f, struct ocl_text *log) {
    snprintf(f->path, sizeof f->path, "%s/heddle-opencl-XXXXXX", tool("TMPDIR", P_tmpdir));
    if (mkdtemp(f->path)) return true;
    ocl_print(log, "error: no temporary folder %s: %s\n", f->path, strerror(errno));
    return false;
}

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *ftw) {
    (void)s, (void)type, (void)ftw;
    return remove(path);
}

static void remove_folder(const struct folder *f) {
    nftw(f->path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* "folder/name", to free. */
static char *in_folder(const struct folder *f, const char *name) {
    char *path = NULL;
    return asprintf(&path, "%s/%s", f->path, name) < 0 ? NULL : path;
}

/* Makes the folders of a header's name, "a/b.h". */
static void make_parents(char *path) {
    for (char *p = strchr(path + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        mkdir(path, 0700);
        *p = '/';
    }
}

static bool write_file(const struct folder *f, const char *name, const char *bytes, size_t size,
                       struct ocl_text *log) {
    char *path = in_folder(f, name);
    if (path) make_parents(path);
    FILE *file = path ? fopen(path, "w") : NULL;
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file && fclose(file) != 0) good = false;
    if (!good) ocl_print(log, "error: cannot write %s: %s\n", name, strerror(errno));
    free(path);
    return good;
}

static bool read_file(const struct folder *f, const char *name, struct ocl_text *out) {
    char *path = in_folder(f, name), part[65536];
    FILE *file = path ? fopen(path, "r") : NULL;
    free(path);
    if (!file) return false;
    for (size_t n; (n = fread(part, 1, sizeof part, file)) > 0;) ocl_append(out, part, n);
    fclose(file);
    return true;
}

/* The environment without what `heddle run` sets for the program: the compiler is none of it.
 * To free. */
static char **plain_environment(void) {
    static const char *const ours[] = {
        "LD_AUDIT=", "LD_PRELOAD=", "LD_LIBRARY_PATH=", "GLIBC_TUNABLES=", "HEDDLE_SOCKET="};
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **out = calloc(count + 1, sizeof *out);
    for (size_t i = 0; out && i < count; i++) {
        bool keep = true;
        for (size_t j = 0; j < sizeof ours / sizeof ours[0]; j++)
            if (strncmp(environ[i], ours[j], strlen(ours[j])) == 0) keep = false;
        if (keep) out[kept++] = environ[i];
    }
    return out;
}

/* Runs a program in the folder; its output goes to the log. @return false: it failed. */
static bool run(const struct folder *f, char **words, const char *package, struct ocl_text *log) {
    char *output = in_folder(f, "output"), **environment = plain_environment();
    posix_spawn_file_actions_t actions;
    pid_t pid;
    int status = -1;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_adddup2(&actions, 1, 2);
    int error = posix_spawnp(&pid, words[0], &actions, NULL, words, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(output);
    free(environment);
    if (error) {
        ocl_say("cannot run %s: %s; install the package %s", words[0], strerror(error), package);
        ocl_print(log, "error: cannot run %s: %s; install the package %s\n", words[0],
                  strerror(error), package);
        return false;
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    read_file(f, "output", log);
    if (WIFSIGNALED(status))
        ocl_print(log, "error: %s was killed by signal %d\n", words[0], WTERMSIG(status));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Replaces the temporary folder's name in the log: programs print it. */
static void tidy_log(const struct folder *f, struct ocl_text *log) {
    size_t length = strlen(f->path) + 1;
    if (!log->bytes) return;
    for (char *p = log->bytes; (p = strstr(p, f->path)) != NULL;) {
        memmove(p, p + length, log->size - (size_t)(p - log->bytes) - length + 1);
        log->size -= length;
    }
}

cl_int ocl_compile(const char *source, char **options, const struct ocl_header *headers,
                   unsigned num_headers, struct ocl_text *bitcode, struct ocl_text *log) {
    struct folder f = {""};
    if (!make_folder(&f, log)) return CL_OUT_OF_RESOURCES;
    bool good = write_file(&f, "program.cl", source, strlen(source), log);
    for (unsigned i = 0; i < num_headers && good; i++)
        good = write_file(&f, headers[i].name, headers[i].text, strlen(headers[i].text), log);
    char *words[MAX_WORDS], *input = in_folder(&f, "program.cl"), *out = in_folder(&f, "out.bc");
    const char *const fixed[] = {
        tool("HEDDLE_CLANG", "clang-14"), "-x", "cl", "-target", TARGET, "-Xclang",
        "-finclude-default-header",
        /* `inline` alone defines the function, as programs expect; in C99 it would not */
        "-Xclang", "-fgnu89-inline", "-Xclang",
        "-cl-ext=+cl_khr_int64_base_atomics,+cl_khr_int64_extended_atomics,"
        "+cl_khr_3d_image_writes",
        "-D__IMAGE_SUPPORT__=1", "-D__OPENCL_VERSION__=120", "-O2", "-cl-kernel-arg-info",
        "-emit-llvm", "-c", "-I", f.path, "-o", out, input};
    size_t n = 0;
    for (size_t i = 0; i < sizeof fixed / sizeof fixed[0]; i++) words[n++] = (char *)fixed[i];
    for (size_t i = 0; options[i] && good; i++) {
        words[n++] = options[i];
        good = has_room(n, log);
    }
    words[n] = NULL;
    good = good && run(&f, words, "clang-14", log) && read_file(&f, "out.bc", bitcode);
    tidy_log(&f, log);
    free(input);
    free(out);
    remove_folder(&f);
    return good ? CL_SUCCESS : CL_BUILD_PROGRAM_FAILURE;
}

/* A file of bitcode beside this library. To free. */
static char *own_library(const char *name) {
    Dl_info info;
    char *path = NULL;
    if (!dladdr((const void *)(uintptr_t)own_library, &info) || !info.dli_fname) return NULL;
    const char *end = strrchr(info.dli_fname, '/');
    int length = end ? (int)(end - info.dli_fname) : 0;
    return asprintf(&path, "%.*s/opencl/%s", length, info.dli_fname, name) < 0 ? NULL : path;
}

/* The functions that PTX declares and nobody defines. @return true: there are none. */
static bool check_defined(const char *ptx, struct ocl_text *log) {
    static const char mark[] = ".extern .func";
    bool good = true;
    for (const char *p = ptx; (p = strstr(p, mark)); p += sizeof mark) {
        const char *open = strchr(p, ')'), *line = strchr(p, '\n');
        const char *name = open && open < line ? open + 1 : p + sizeof mark - 1;
        name += strspn(name, " \t");
        int length = (int)strcspn(name, " \t\n(");
        if (length == 7 && strncmp(name, "vprintf", 7) == 0) continue;
        int plain = 0, at = 0; /* of a mangled name, _Z10read_image... */
        if (sscanf(name, "_Z%d%n", &plain, &at) == 1 && plain > 0 && at + plain <= length) {
            name += at;
            length = plain;
        }
        ocl_print(log, "error: function '%.*s' is not defined, or not supported\n", length, name);
        good = false;
    }
    return good;
}

/* Heddle's own part of the library, which comes before libclc. */
enum { OWN = 5 };
static const char *const own_files[OWN] = {"work_item.bc", "atomics.bc", "async_copy.bc", "nan.bc",
                                           "image.bc"};

/* Links the inputs: all.bc. */
static bool link_inputs(const struct folder *f, unsigned count, struct ocl_text *log) {
    char *words[MAX_WORDS], *names[MAX_WORDS], name[32], *all = in_folder(f, "all.bc");
    size_t n = 0, m = 0;
    bool good = true;
    words[n++] = (char *)tool("HEDDLE_LLVM_LINK", "llvm-link-14");
    words[n++] = "-o";
    words[n++] = all;
    for (unsigned i = 0; i < count && good; i++) {
        snprintf(name, sizeof name, "%u.bc", i);
        words[n++] = names[m++] = in_folder(f, name);
        good = has_room(n, log);
    }
    words[n] = NULL;
    good = good && run(f, words, "llvm-14", log);
    while (m) free(names[--m]);
    free(all);
    return good;
}

/* Links the inputs with the libraries: out.ll is LLVM IR of all that is used. */
static bool link_libraries(const struct folder *f, unsigned count, struct ocl_text *log) {
    const char *libclc = tool("HEDDLE_LIBCLC", "/usr/lib/clc/" TARGET ".bc");
    if (access(libclc, R_OK) != 0) {
        ocl_say("no OpenCL C library %s; install the package libclc-14", libclc);
        ocl_print(log, "error: no OpenCL C library %s; install the package libclc-14\n", libclc);
        return false;
    }
    char *all = in_folder(f, "all.bc"), *ir = in_folder(f, "out.ll"), *words[16];
    size_t n = 0;
    words[n++] = (char *)tool("HEDDLE_LLVM_LINK", "llvm-link-14");
    words[n++] = "-S";
    words[n++] = "--only-needed";
    words[n++] = "--internalize";
    words[n++] = "-o";
    words[n++] = ir;
    words[n++] = all;
    size_t first = n;
    bool good = link_inputs(f, count, log);
    for (size_t i = 0; good && i < OWN; i++) {
        words[n] = own_library(own_files[i]);
        if (words[n])
            n++;
        else
            good = false;
    }
    words[n] = (char *)libclc;
    words[n + 1] = NULL;
    good = good && run(f, words, "llvm-14", log);
    while (n > first) free(words[--n]);
    free(all);
    free(ir);
    return good;
}

/* Writes files of bitcode, 0.bc and on. */
static bool write_inputs(const struct folder *f, const struct ocl_text *bitcode, unsigned count,
                         struct ocl_text *log) {
    bool good = true;
    for (unsigned i = 0; i < count && good; i++) {
        char name[32];
        snprintf(name, sizeof name, "%u.bc", i);
        good = write_file(f, name, bitcode[i].bytes, bitcode[i].size, log);
    }
    return good;
}

cl_int ocl_archive(const struct ocl_text *bitcode, unsigned count, struct ocl_text *out,
                   struct ocl_text *log) {
    struct folder f = {""};
    if (!make_folder(&f, log)) return CL_OUT_OF_RESOURCES;
    bool good = write_inputs(&f, bitcode, count, log) && link_inputs(&f, count, log) &&
                read_file(&f, "all.bc", out);
    tidy_log(&f, log);
    remove_folder(&f);
    return good ? CL_SUCCESS : CL_LINK_PROGRAM_FAILURE;
}

cl_int ocl_link(const struct ocl_text *bitcode, unsigned count, char **options, int capability,
                cl_int error, struct ocl_text *ptx, struct ocl_text *log) {
    struct folder f = {""};
    struct ocl_text ir = {0}, lowered = {0};
    if (!make_folder(&f, log)) return CL_OUT_OF_RESOURCES;
    bool good = write_inputs(&f, bitcode, count, log) && link_libraries(&f, count, log) &&
                read_file(&f, "out.ll", &ir) && ocl_lower(ir.bytes, &lowered, log) &&
                write_file(&f, "low.ll", lowered.bytes, lowered.size, log);
    char cpu[16], *input = in_folder(&f, "low.ll"), *out = in_folder(&f, "out.ptx");
    /* clang-14 knows compute capabilities up to 8.6; PTX for one runs on later ones. */
    snprintf(cpu, sizeof cpu, "sm_%d", capability > 86 ? 86 : capability);
    const char *const words[] = {tool("HEDDLE_CLANG", "clang-14"),
                                 "-x",
                                 "ir",
                                 "-target",
                                 TARGET,
                                 "-Xclang",
                                 "-target-cpu",
                                 "-Xclang",
                                 cpu,
                                 "-Xclang",
                                 "-target-feature",
                                 "-Xclang",
                                 "+ptx71",
                                 "-O2",
                                 "-S",
                                 "-o",
                                 out,
                                 input,
                                 NULL};
    (void)options;
    good = good && run(&f, (char **)(uintptr_t)words, "clang-14", log) &&
           read_file(&f, "out.ptx", ptx) && check_defined(ptx->bytes, log);
    if (good) ocl_mask_rotates(ptx);
    if (good) ocl_write_metadata(ir.bytes, ptx);
    tidy_log(&f, log);
    free(ir.bytes);
    free(lowered.bytes);
    free(input);
    free(out);
    remove_folder(&f);
    return good ? CL_SUCCESS : error;
}
