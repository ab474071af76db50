/* gen_cuda_calls.c - generates code and documentation from tables/cuda_calls.def, at build time.
 *
 *   gen_cuda_calls ids            the enum of the calls, and a hash of the table
 *   gen_cuda_calls names          their names
 *   gen_cuda_calls stubs VERSION  the shim's generated functions for one libcudart version
 *   gen_cuda_calls map VERSION    its linker version script
 *   gen_cuda_calls dispatch       the server's table of handlers
 *   gen_cuda_calls handlers       their declarations
 *   gen_cuda_calls page           docs/cuda-calls.md
 *   gen_cuda_calls refused VERSION  names of the refused calls, one a line, for the tests
 *   gen_cuda_calls implemented VERSION  names of the others
 *   gen_cuda_calls public VERSION  those of them that headers declare, as CUDA_PUBLIC(name)
 *   gen_cuda_calls per_thread VERSION  PER_THREAD(name, its form for default streams per thread)
 *   gen_cuda_calls bind           the rows of cuda/bind/bind.h
 *   gen_cuda_calls symbols        SYMBOL(name, the name asked for, since, per thread) of libcuda
 *   gen_cuda_calls runtime VERSION  functions of a runtime that does nothing, for the tests
 * VERSION is 11, 12 or 13 for a libcudart, "driver" for libcuda.
 *
 * The table is compiled in. Each print_*() writes one output, or a part of it, to standard output.
 * die() ends the program with status 1 when the table is not well formed. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A row of cuda_calls.def; the members are its columns, explained there. */
struct call {
    const char *name, *versions, *reaches, *kind, *waits, *wire;
    const char *group; /* of a refused call; for a per-thread form: the name of its ordinary form */
    const char *like;  /* for a driver call: the call that the server carries out, or NULL */
};

static const struct call calls[] = {
#define CUDA_CALL(name, versions, reaches, kind, waits, wire) \
    {#name, versions, #reaches, #kind, #waits, wire, NULL, NULL},
#define CUDA_PER_THREAD(base, suffix, versions, parameters) \
    {#base "_" #suffix, versions, "NONE", "PER_THREAD", "RETURNS", parameters, #base, NULL},
#define CUDA_REFUSED(name, versions, group) \
    {#name, versions, "NONE", "REFUSED", "RETURNS", "", group, NULL},
#define CUDA_LIKE(name, like, kind) {#name, "driver", "NONE", #kind, "RETURNS", "", NULL, #like},
#include "tables/cuda_calls.def"
};
enum { NUM_CALLS = sizeof calls / sizeof calls[0], MAX_PARAMS = 18, DRIVER = 1, MPI = 2 };

/* One parameter of a wire signature. */
struct param {
    char type[64]; /* of the value: for an out_ parameter without its pointer */
    char name[64]; /* without out_ */
    int is_out;
};

/* Ends the program with a message about a row. */
static void die(const struct call *c, const char *what) {
    fprintf(stderr, "cuda_calls.def: %s: %s\n", c->name, what);
    exit(1);
}

static int is_kind(const struct call *c, const char *kind) {
    return strcmp(c->kind, kind) == 0;
}

/* True if the library of this version (11, 12, 13, DRIVER or MPI) exports the call, or makes it. */
static int in_version(const struct call *c, int version) {
    char text[8];
    snprintf(text, sizeof text,
             version == DRIVER ? "driver"
             : version == MPI  ? "mpi"
                               : "%d",
             version);
    return strstr(c->versions, text) != NULL;
}

/* True if the call is one of the runtime's or the driver's interface. */
static int is_cuda(const struct call *c) {
    return !in_version(c, MPI);
}

/* Splits a wire signature, "void **out_pointer, size_t bytes", into parameters: fills
 * out[MAX_PARAMS]. @return their number; 0 for "" and "void". Ends the program when it is not well
 * formed. */
static int parse_wire(const struct call *c, struct param *out) {
    int n = 0;
    const char *p = c->wire;
    if (*p == '\0' || strcmp(p, "void") == 0) return 0;
    while (*p) {
        const char *end = strchr(p, ',');
        if (!end) end = p + strlen(p);
        while (p < end && isspace((unsigned char)*p)) p++;
        const char *last = end;
        while (last > p && isspace((unsigned char)last[-1])) last--;
        const char *name = last;
        while (name > p && (isalnum((unsigned char)name[-1]) || name[-1] == '_')) name--;
        const char *type_end = name;
        while (type_end > p && isspace((unsigned char)type_end[-1])) type_end--;
        if (n == MAX_PARAMS || type_end == p || name == last) die(c, "bad wire signature");
        struct param *q = &out[n++];
        q->is_out = strncmp(name, "out_", 4) == 0;
        if (q->is_out) {
            if (type_end[-1] != '*') die(c, "an out_ parameter must be a pointer");
            type_end--;
            while (type_end > p && isspace((unsigned char)type_end[-1])) type_end--;
            name += 4;
        }
        snprintf(q->type, sizeof q->type, "%.*s", (int)(type_end - p), p);
        snprintf(q->name, sizeof q->name, "%.*s", (int)(last - name), name);
        p = *end ? end + 1 : end;
    }
    return n;
}

/* Ends the program when a row is not well formed: its parameters, their number, its versions, or a
 * name that is there twice. */
static void check_table(void) {
    struct param params[MAX_PARAMS];
    for (int i = 0; i < NUM_CALLS; i++) {
        const struct call *c = &calls[i];
        int ins = 0, outs = 0;
        for (int j = 0, n = parse_wire(c, params); j < n; j++) params[j].is_out ? outs++ : ins++;
        if (ins > 12) die(c, "more than 12 arguments");
        if (outs > 6) die(c, "more than 6 results");
        if ((is_kind(c, "LOCAL") || is_kind(c, "PART")) && c->wire[0])
            die(c, "a call that is answered in the program sends nothing");
        if (!in_version(c, 11) && !in_version(c, 12) && !in_version(c, 13) &&
            !in_version(c, DRIVER) && !in_version(c, MPI))
            die(c, "no libcudart version");
        for (int j = 0; j < i; j++)
            if (strcmp(calls[j].name, c->name) == 0) die(c, "listed twice");
    }
}

/* Prints the first line of a generated file. */
static void print_head(const char *what) {
    printf("/* %s, made from tables/cuda_calls.def by gen_cuda_calls: do not edit. */\n", what);
}

/* The enum of call numbers, and the hash by which program and server recognise the same table. */
static void print_ids(void) {
    print_head("Numbers of the CUDA calls");
    printf("#ifndef HEDDLE_CUDA_CALL_IDS_H\n#define HEDDLE_CUDA_CALL_IDS_H\n\n");
    printf("enum cuda_call_id {\n");
    for (int i = 0; i < NUM_CALLS; i++) printf("    CALL_%s = %d,\n", calls[i].name, i);
    int first = 0;
    while (first < NUM_CALLS && !in_version(&calls[first], DRIVER)) first++;
    printf("    CUDA_FIRST_DRIVER_CALL = %d,\n    CUDA_NUM_CALLS = %d\n};\n\n", first, NUM_CALLS);
    /* Program and server compare the hash: both must have been built from the same table. */
    unsigned long long hash = 14695981039346656037ull;
    for (int i = 0; i < NUM_CALLS; i++) {
        const char *texts[] = {calls[i].name, calls[i].wire};
        for (int j = 0; j < 2; j++)
            for (const char *p = texts[j]; *p; p++)
                hash = (hash ^ (unsigned char)*p) * 1099511628211ull;
    }
    printf("#define CUDA_CALL_TABLE_HASH 0x%016llxull\n\n#endif\n", hash);
}

/* The row of a name, to which row `from` refers; ends the program without it. */
static const struct call *find_call(const struct call *from, const char *name) {
    for (int i = 0; i < NUM_CALLS; i++)
        if (strcmp(calls[i].name, name) == 0) return &calls[i];
    die(from, "the call that it is a form of is not there");
    return NULL;
}

/* @return the row that the server carries out for a call: follows per-thread forms and `like`. */
static const struct call *origin(const struct call *c) {
    while (is_kind(c, "PER_THREAD") || c->like)
        c = find_call(c, is_kind(c, "PER_THREAD") ? c->group : c->like);
    return c;
}

/* Prints the shim's function of a FORWARD call: it copies the arguments into the message and the
 * results back. */
static void print_forward(const struct call *c) {
    struct param params[MAX_PARAMS];
    int n = parse_wire(origin(c), params);
    const char *way = in_version(c, DRIVER) ? "driver" : "shim";
    printf("SHIM_EXPORT int %s(", c->name);
    if (n == 0) printf("void");
    for (int i = 0; i < n; i++) {
        const char *sep = params[i].type[strlen(params[i].type) - 1] == '*' ? "" : " ";
        printf("%s%s%s%s%s", i ? ", " : "", params[i].type, sep, params[i].is_out ? "*" : "",
               params[i].name);
    }
    printf(") {\n    struct shim_call call = {.id = CALL_%s};\n", c->name);
    for (int i = 0, in = 0; i < n; i++) {
        if (params[i].is_out) continue;
        printf("    memcpy(&call.in[%d], &%s, sizeof %s);\n", in++, params[i].name, params[i].name);
    }
    for (int i = 0; i < n; i++)
        if (params[i].is_out)
            printf("    if (!%s) return %s_fail(CALL_%s, CUDA_ERROR_INVALID_VALUE);\n",
                   params[i].name, way, c->name);
    printf("    int error = %s_call(&call);\n", way);
    int outs = 0;
    for (int i = 0; i < n; i++) outs += params[i].is_out;
    if (outs) {
        printf("    if (error == CUDA_SUCCESS) {\n");
        for (int i = 0, out = 0; i < n; i++)
            if (params[i].is_out)
                printf("        memcpy(%s, &call.out[%d], sizeof *%s);\n", params[i].name, out++,
                       params[i].name);
        printf("    }\n");
    }
    printf("    return error;\n}\n\n");
}

/* Prints a parameter list: "type name, ...", or the names alone. */
static void print_parameters(const struct param *params, int n, int with_types) {
    for (int i = 0; i < n; i++) {
        const char *sep = params[i].type[strlen(params[i].type) - 1] == '*' ? "" : " ";
        printf("%s%s%s%s%s", i ? ", " : "", with_types ? params[i].type : "", with_types ? sep : "",
               with_types && params[i].is_out ? "*" : "", params[i].name);
    }
    if (n == 0 && with_types) printf("void");
}

/* Prints the function of a per-thread form. It calls the ordinary form; the thread remembers which
 * name the program used. */
static void print_per_thread(const struct call *c) {
    struct param params[MAX_PARAMS];
    const struct call *base = find_call(c, c->group);
    if (!c->wire[0] && !is_kind(base, "FORWARD")) die(c, "its parameters are not known");
    int n = parse_wire(c->wire[0] ? c : origin(base), params);
    const char *heads[] = {"SHIM_EXPORT int ", "int ", "int "};
    const char *names[] = {c->name, base->name, c->name};
    const char *ends[] = {");\n", ");\n", ") {\n"};
    for (int i = 0; i < 3; i++) {
        printf("%s%s(", heads[i], names[i]);
        print_parameters(params, n, 1);
        printf("%s", ends[i]);
    }
    printf("    shim_enter_per_thread(CALL_%s);\n    return shim_leave_per_thread(%s(", c->name,
           base->name);
    print_parameters(params, n, 0);
    printf("));\n}\n\n");
}

/* The functions of one library: forwarded, per-thread and refused calls. */
static void print_stubs(int version) {
    print_head("Generated functions of the shim");
    printf("#include <stddef.h>\n#include <stdint.h>\n#include <string.h>\n\n"
           "#include \"cuda/%s.h\"\n\n",
           version == DRIVER ? "driver/driver" : "shim/shim");
    for (int i = 0; i < NUM_CALLS; i++) {
        const struct call *c = &calls[i];
        if (!in_version(c, version)) continue;
        if (is_kind(c, "FORWARD")) print_forward(c);
        if (is_kind(c, "PER_THREAD")) print_per_thread(c);
        if (is_kind(c, "REFUSED"))
            printf("SHIM_EXPORT int %s(void);\nint %s(void) { return %s_refuse(CALL_%s); }\n\n",
                   c->name, c->name, version == DRIVER ? "driver" : "shim", c->name);
    }
}

/* Prints the names of all calls as a C array, shim_call_names[], by call number. */
static void print_names(void) {
    print_head("Names of the CUDA calls");
    printf("#include \"cuda/shim/shim.h\"\n\nconst char *const shim_call_names[] = {\n");
    for (int i = 0; i < NUM_CALLS; i++) printf("    \"%s\",\n", calls[i].name);
    printf("};\n");
}

/* The linker's version script of one library. */
static void print_map(int version) {
    if (version == DRIVER) /* NVIDIA's names have no version */
        printf("{\n  global:\n");
    else
        printf("libcudart.so.%s {\n  global:\n", version == 11   ? "11.0"
                                                 : version == 12 ? "12"
                                                                 : "13");
    for (int i = 0; i < NUM_CALLS; i++)
        if (in_version(&calls[i], version)) printf("    %s;\n", calls[i].name);
    printf("  local:\n    *;\n};\n");
}

/* True if the server has a handler of this name. */
static int is_handled(const struct call *c) {
    return !c->like && (is_kind(c, "FORWARD") || is_kind(c, "HAND"));
}

/* Declarations of the handlers, which take arguments as uint64_t and results as pointers. */
static void print_handlers(void) {
    print_head("Handlers of the CUDA calls");
    printf("#ifndef HEDDLE_CUDA_CALL_HANDLERS_H\n#define HEDDLE_CUDA_CALL_HANDLERS_H\n\n"
           "#include <stdint.h>\n\nstruct call;\n\n");
    struct param params[MAX_PARAMS];
    for (int i = 0; i < NUM_CALLS; i++) {
        if (!is_handled(&calls[i])) continue;
        int n = parse_wire(&calls[i], params);
        printf("int do_%s(struct call *call", calls[i].name);
        for (int j = 0; j < n; j++)
            printf(", uint64_t %s%s", params[j].is_out ? "*" : "", params[j].name);
        printf(");\n");
    }
    printf("\n#endif\n");
}

/* The server's table of calls, with a function for each handler that unpacks the message. */
static void print_dispatch(void) {
    print_head("Dispatch of the CUDA calls");
    printf("#include \"cuda/calls/call_table.h\"\n\n#include \"cuda_call_handlers.h\"\n\n");
    struct param params[MAX_PARAMS];
    for (int i = 0; i < NUM_CALLS; i++) {
        if (!is_handled(&calls[i])) continue;
        int n = parse_wire(&calls[i], params);
        printf("static int take_%s(struct call *call) {\n    return do_%s(call", calls[i].name,
               calls[i].name);
        for (int j = 0, in = 0, out = 0; j < n; j++)
            if (params[j].is_out)
                printf(", &call->out[%d]", out++);
            else
                printf(", call->in[%d]", in++);
        printf(");\n}\n");
    }
    printf("\nconst struct call_row call_table[CUDA_NUM_CALLS] = {\n");
    for (int i = 0; i < NUM_CALLS; i++) {
        const struct call *c = &calls[i];
        const struct call *like = origin(c);
        int sched = strcmp(like->reaches, "NONE") != 0;
        int handled = is_handled(like) && (c->like || like == c);
        printf("    {\"%s\", %s%s, %d, %d, %d, %d, %d, \"%s\"},\n", c->name,
               handled ? "take_" : "NULL", handled ? like->name : "", sched,
               !strcmp(like->reaches, "BOTH"), !strcmp(like->waits, "WAITS"), is_kind(c, "REFUSED"),
               is_cuda(c), handled ? like->wire : "");
    }
    printf("};\n");
}

static const char *yes(int x) {
    return x ? "yes" : "no";
}

/* The page's table of implemented calls, of libcuda (driver) or libcudart. */
static void print_rows(int driver) {
    printf("\n| call | %sscheduler | SM | waits |\n|---|---|---|---%s|\n",
           driver ? "" : "libcudart | ", driver ? "" : "|---");
    for (int i = 0; i < NUM_CALLS; i++) {
        const struct call *c = &calls[i], *like = origin(c);
        if (is_kind(c, "REFUSED") || in_version(c, DRIVER) != driver || !is_cuda(c)) continue;
        printf("| `%s` | %s%s%s | %s | %s |\n", c->name, driver ? "" : c->versions,
               driver ? "" : " | ", yes(strcmp(like->reaches, "NONE")),
               yes(!strcmp(like->reaches, "BOTH")), yes(!strcmp(like->waits, "WAITS")));
    }
}

/* The page's tables of refused calls, by group. */
static void print_refused(int driver) {
    const char *group = "";
    for (int i = 0; i < NUM_CALLS; i++) {
        const struct call *c = &calls[i];
        if (!is_kind(c, "REFUSED") || in_version(c, DRIVER) != driver) continue;
        if (strcmp(group, c->group)) {
            group = c->group;
            const char *title = driver ? strchr(group, ' ') + 1 : group;
            printf("\n### %s%c%s\n\n| call |%s\n|---|%s\n", driver ? "libcuda: " : "",
                   driver ? *title : toupper(*title), title + 1, driver ? "" : " libcudart |",
                   driver ? "" : "---|");
        }
        printf(driver ? "| `%s` |\n" : "| `%s` | %s |\n", c->name, c->versions);
    }
}

/* Prints docs/cuda-calls.md: counts, implemented calls of both libraries, refused calls. */
static void print_page(void) {
    int count[2] = {0, 0}, refused[2] = {0, 0};
    for (int i = 0; i < NUM_CALLS; i++) {
        if (!is_cuda(&calls[i])) continue;
        count[in_version(&calls[i], DRIVER)]++;
        refused[in_version(&calls[i], DRIVER)] += is_kind(&calls[i], "REFUSED");
    }
    printf("# CUDA calls\n\n"
           "Made from `host/tables/cuda_calls.def`; a test fails when page and table differ.\n\n"
           "Heddle's `libcudart.so.11.0`, `.12` and `.13` export %d calls, of which %d are\n"
           "implemented, its `libcuda.so.1` %d, of which %d are. The others return\n"
           "`cudaErrorNotSupported` or `CUDA_ERROR_NOT_SUPPORTED`, are named once on the terminal "
           "and\n"
           "are listed in the report.\n\n"
           "\"Scheduler\" and \"SM\" say which component of the GPU a call reaches, \"waits\" "
           "whether\n"
           "the calling host thread waits for work of the GPU.\n\n"
           "## The runtime API: implemented\n",
           count[0], count[0] - refused[0], count[1], count[1] - refused[1]);
    print_rows(0);
    printf("\n## The driver API: implemented\n");
    print_rows(1);
    printf("\n## Refused by name\n");
    print_refused(0);
    print_refused(1);
}

/* True if headers declare the call. They do not declare the calls of start-up code, and reach
 * per-thread forms by macros. */
static int is_public(const struct call *c) {
    const char *last = strrchr(c->name, '_');
    return c->name[0] != '_' && !is_kind(c, "REFUSED") &&
           !(last && (!strcmp(last, "_ptsz") || !strcmp(last, "_ptds")));
}

/* CUDA_PUBLIC(name) for the calls of one library that headers declare. */
static void print_public(int version) {
    print_head("Calls that headers declare");
    for (int i = 0; i < NUM_CALLS; i++)
        if (is_public(&calls[i]) && in_version(&calls[i], version))
            printf("CUDA_PUBLIC(%s)\n", calls[i].name);
}

/* PER_THREAD(name, per-thread form) for the calls of one library. */
static void print_per_thread_names(int version) {
    print_head("Calls that have a form for default streams per thread");
    for (int i = 0; i < NUM_CALLS; i++) {
        const char *name = calls[i].name, *last = strrchr(name, '_');
        if (name[0] == '_' || is_kind(&calls[i], "REFUSED") || !in_version(&calls[i], version))
            continue;
        if (last && (!strcmp(last, "_ptsz") || !strcmp(last, "_ptds")))
            printf("PER_THREAD(%.*s, %s)\n", (int)(last - name), name, name);
    }
}

/* Every symbol of libcuda: the name for which programs ask, the version since which it exists,
 * whether it is a per-thread form. */
static void print_symbols(void) {
    static const struct {
        const char *name;
        int version;
    } since[] = {
#define CUDA_SINCE(name, version) {#name, version},
#include "tables/cuda_calls.def"
    };
    print_head("Symbols of the driver API");
    for (int i = 0; i < NUM_CALLS; i++) {
        const char *name = calls[i].name, *suffix = strrchr(name, '_');
        int version = 2000, per_thread = 0, length = (int)strlen(name);
        if (!in_version(&calls[i], DRIVER)) continue;
        if (suffix && (!strcmp(suffix, "_ptsz") || !strcmp(suffix, "_ptds"))) {
            per_thread = 1;
            length = (int)(suffix - name);
        }
        char form[80];
        snprintf(form, sizeof form, "%.*s", length, name);
        suffix = strrchr(form, '_');
        if (suffix && suffix[1] == 'v' && isdigit((unsigned char)suffix[2])) {
            version = 3020;
            length = (int)(suffix - form);
        }
        for (size_t k = 0; k < sizeof since / sizeof since[0]; k++)
            if (!strcmp(since[k].name, form)) version = since[k].version;
        printf("SYMBOL(%s, \"%.*s\", %d, %d)\n", name, length, name, version, per_thread);
    }
}

/* The order of qsort() in print_bind(): calls by name. */
static int by_name(const void *a, const void *b) {
    return strcmp((*(const struct call *const *)a)->name, (*(const struct call *const *)b)->name);
}

/* The runtime's calls sorted by name, with a mask of the versions that export each. */
static void print_bind(void) {
    const struct call *sorted[NUM_CALLS] = {NULL};
    int count = 0;
    for (int i = 0; i < NUM_CALLS; i++)
        if (!in_version(&calls[i], DRIVER) && is_cuda(&calls[i])) sorted[count++] = &calls[i];
    qsort(sorted, (size_t)count, sizeof sorted[0], by_name);
    print_head("Calls of the runtime by name");
    printf("enum { BIND_NUM_ROWS = %d };\n#define BIND_NUM_STUBS %d\n\n"
           "static const struct bind_row bind_rows[BIND_NUM_ROWS] = {\n",
           count, 3 * count);
    for (int i = 0; i < count; i++) {
        int versions = 0;
        for (int v = 0; v < 3; v++) versions |= in_version(sorted[i], 11 + v) << v;
        printf("    {\"%s\", %d},\n", sorted[i]->name, versions);
    }
    printf("};\n");
}

/* Functions that end the program: no program calls them once it is bound. */
static void print_runtime(int version) {
    print_head("A runtime that is linked into programs");
    printf("#include <stdlib.h>\n\n");
    for (int i = 0; i < NUM_CALLS; i++)
        if (in_version(&calls[i], version))
            printf("int %s(void) __attribute__((aligned(16)));\nint %s(void) { abort(); }\n",
                   calls[i].name, calls[i].name);
}

/* Checks the table, then prints what the first argument names. */
int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    int version = argc <= 2 ? 0 : strcmp(argv[2], "driver") ? atoi(argv[2]) : DRIVER;
    check_table();
    if (!strcmp(what, "ids"))
        print_ids();
    else if (!strcmp(what, "names"))
        print_names();
    else if (!strcmp(what, "stubs") && version)
        print_stubs(version);
    else if (!strcmp(what, "map") && version)
        print_map(version);
    else if (!strcmp(what, "dispatch"))
        print_dispatch();
    else if (!strcmp(what, "handlers"))
        print_handlers();
    else if (!strcmp(what, "public") && version)
        print_public(version);
    else if (!strcmp(what, "per_thread") && version)
        print_per_thread_names(version);
    else if (!strcmp(what, "bind"))
        print_bind();
    else if (!strcmp(what, "symbols"))
        print_symbols();
    else if (!strcmp(what, "runtime") && version)
        print_runtime(version);
    else if (!strcmp(what, "page"))
        print_page();
    else if ((!strcmp(what, "refused") || !strcmp(what, "implemented")) && version) {
        for (int i = 0; i < NUM_CALLS; i++)
            if (is_kind(&calls[i], "REFUSED") == !strcmp(what, "refused") &&
                in_version(&calls[i], version))
                printf("%s\n", calls[i].name);
    } else {
        fprintf(stderr,
                "usage: gen_cuda_calls ids|names|dispatch|handlers|page|bind|symbols|stubs V|map V|"
                "refused V|implemented V|public V|per_thread V|runtime V\n");
        return 1;
    }
    return 0;
}
