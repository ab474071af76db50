/* trace.c - formats calls as lines of api.txt and objects of api.json (heddle run --trace-api); see
 * trace.h.
 *
 * `heddle run` opens and closes the trace on its main thread, and session.c writes calls to it on
 * the same thread, the server's. Every function that takes a trace writes to both files; write
 * errors show when trace_close() looks. api.json is in the Trace Event format,
 * which Perfetto opens: an event is a line. Times in both files: microseconds of target time, in
 * JSON with all digits. */
#include "cuda/server/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/crc32c.h"
#include "common/memory.h"
#include "common/output_file.h"
#include "cuda/calls/call_table.h"
#include "cuda/protocol/cuda_result.h"
#include "cuda/object/module.h"

/* The two files of a trace. */
struct trace {
    struct output_file text_file, json_file;
    FILE *text, *json; /* of these */
    uint64_t calls;
    bool first; /* no object is in the JSON file yet */
};

/* Begins a file of the directory, which replaces an old one when it is closed. @return
 * HEDDLE_ERR_IO, with the reason in *diag. */
static heddle_err open_in(struct output_file *o, const char *directory, const char *name,
                          struct heddle_diag *diag) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return output_file_open(o, path, OUTPUT_OWN, diag);
}

/* Begins DIRECTORY/api.txt and api.json and writes their heads. trace_close() frees *out. @return
 * HEDDLE_ERR_IO with the reason in *diag; *out is not set then. */
heddle_err trace_open(struct trace **out, const char *directory, struct heddle_diag *diag) {
    struct trace *t = heddle_alloc(sizeof *t, "the trace of calls");
    t->first = true;
    heddle_err e = open_in(&t->text_file, directory, "api.txt", diag);
    if (!e) e = open_in(&t->json_file, directory, "api.json", diag);
    if (e) {
        output_file_abandon(&t->text_file);
        free(t);
        return e;
    }
    t->text = t->text_file.f;
    t->json = t->json_file.f;
    fprintf(t->text, "#   begin us      us  program.thread  call\n");
    fprintf(t->json, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
    *out = t;
    return HEDDLE_OK;
}

/* Writes the last line of the text: the number of calls, and the checksum of the file up to it. */
static void end_text(struct trace *t) {
    char block[4096];
    uint32_t sum = 0;
    size_t n;
    /* rewind() would forget a failure, which output_file_commit() is to see */
    if (ferror(t->text) || fseek(t->text, 0, SEEK_SET) != 0) return;
    while ((n = fread(block, 1, sizeof block, t->text)) > 0) sum = crc32c(sum, block, n);
    fseek(t->text, 0, SEEK_END);
    fprintf(t->text, "# %llu calls; crc32c %08x of all lines before this one\n",
            (unsigned long long)t->calls, sum);
}

/* Ends and closes the files, which get their names now, and frees t. Accepts NULL. @return
 * HEDDLE_ERR_IO, with text in *diag: a write failed; the file that it was of is then not there. */
heddle_err trace_close(struct trace *t, struct heddle_diag *diag) {
    struct heddle_diag other = {0};
    if (!t) return HEDDLE_OK;
    fprintf(t->json, "\n]}\n");
    end_text(t);
    output_file_commit(&t->json_file, false, &other);
    heddle_err e = output_file_commit(&t->text_file, false, diag);
    free(t);
    if (!e && other.err) *diag = other;
    return e ? e : other.err;
}

/* ---- one call: a line and an object */

/* Writes a time or duration of an event, ps, as microseconds. */
static void put_us(FILE *f, const char *member, uint64_t ps) {
    fprintf(f, ",\"%s\":%" PRIu64 ".%06u", member, ps / 1000000, (unsigned)(ps % 1000000));
}

/* Begins the line and the event of a call of the thread; the caller writes the rest, of the event
 * its arguments. Times are picoseconds of target time. Clears t->first. */
static void begin(struct trace *t, const struct host_thread *thread, const char *name,
                  uint64_t begin_ps, uint64_t end_ps) {
    fprintf(t->text, "%12.3f %7.3f  %d.%u  %s(", (double)begin_ps * 1e-6,
            (double)(end_ps - begin_ps) * 1e-6, thread->program->number, thread->number, name);
    fprintf(t->json, "%s\n{\"ph\":\"X\",\"pid\":%d,\"tid\":%u", t->first ? "" : ",",
            thread->program->number, thread->number);
    put_us(t->json, "ts", begin_ps);
    put_us(t->json, "dur", end_ps - begin_ps);
    fprintf(t->json, ",\"name\":\"%s\",\"args\":{", name);
    t->first = false;
    t->calls++;
}

/* Writes s as a JSON string, without its control characters. */
static void put_string(FILE *f, const char *s) {
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"' || *s == '\\') fputc('\\', f);
        if ((unsigned char)*s >= ' ') fputc(*s, f);
    }
    fputc('"', f);
}

/* A parameter of the call's signature. */
struct parameter {
    char type[64], name[64];
    bool is_out;
};

/* Takes the next parameter of a signature like "void **out_pointer, size_t bytes" into *p, with
 * types and names cut to 63 bytes, and moves *signature behind it. A name that begins with out_ is
 * a result, shown without it. @return false: none is left. */
static bool next_parameter(const char **signature, struct parameter *p) {
    const char *s = *signature;
    while (*s == ' ' || *s == ',') s++;
    if (!*s || strcmp(s, "void") == 0) return false;
    const char *end = s + strcspn(s, ","), *name = end;
    while (name > s && name[-1] != ' ' && name[-1] != '*') name--;
    p->is_out = strncmp(name, "out_", 4) == 0;
    const char *shown = p->is_out ? name + 4 : name;
    snprintf(p->type, sizeof p->type, "%.*s", (int)(name - s), s);
    snprintf(p->name, sizeof p->name, "%.*s", (int)(end - shown), shown);
    *signature = end;
    return true;
}

/* Formats a value for readers in `out`: addresses and handles in hexadecimal, extents of grids as
 * pairs, kernels by name, floats as such. *quoted: the text is a string in JSON. */
static void show(const struct call *call, const struct parameter *p, uint64_t v, char *out,
                 size_t size, bool *quoted) {
    const size_t length = strlen(p->name);
    const struct function *f = !p->is_out && strcmp(p->name, "function") == 0
                                   ? function_find(call->program, v)
                                   : NULL;
    float real;
    memcpy(&real, &v, sizeof real);
    *quoted = true;
    if (f)
        snprintf(out, size, "%s", f->title);
    else if (length > 3 && strcmp(p->name + length - 3, "_xy") == 0)
        snprintf(out, size, "%ux%u", (unsigned)v, (unsigned)(v >> 32));
    else if (v >> 32 && (int64_t)v > 0)
        snprintf(out, size, "0x%llx", (unsigned long long)v);
    else if (strncmp(p->type, "float", 5) == 0)
        *quoted = false, snprintf(out, size, "%g", (double)real);
    else if (strncmp(p->type, "int", 3) == 0)
        *quoted = false, snprintf(out, size, "%d", (int)v);
    else
        *quoted = false, snprintf(out, size, "%lld", (long long)v);
}

/* Writes the call's arguments (out: its results) with their names from the table, separated by
 * commas, between what the caller writes around them. */
static void put_values(struct trace *t, const struct call *call, bool out) {
    const char *signature = call->row->wire;
    struct parameter p;
    unsigned in_number = 0, out_number = 0, shown = 0;
    char text[256];
    bool quoted;
    while (next_parameter(&signature, &p)) {
        uint64_t v = p.is_out ? call->out[out_number++] : call->in[in_number++];
        if (p.is_out != out) continue;
        show(call, &p, v, text, sizeof text, &quoted);
        fprintf(t->text, "%s%s=%s", shown ? ", " : "", p.name, text);
        fprintf(t->json, "%s\"%s\":", shown ? "," : "", p.name);
        if (quoted)
            put_string(t->json, text);
        else
            fputs(text, t->json);
        shown++;
    }
}

/* Name of the result, as the program sees it: a cudaError_t or, for a driver call, a CUresult. A
 * constant. */
static const char *result_of(const struct call *call, int error) {
    if (call->row - call_table < CUDA_FIRST_DRIVER_CALL) return cuda_error_name(error);
    const char *name = cuda_result_name(cuda_result(error));
    return name ? name : "unrecognized error code";
}

/* Writes a served call with arguments, result and, after success, results, from begin_ps to the
 * clock of its thread. t NULL: nothing. */
void trace_call(struct trace *t, const struct call *call, uint64_t begin_ps, int error) {
    if (!t) return;
    const char *result = result_of(call, error);
    begin(t, call->thread, call->row->name, begin_ps, call->thread->now_ps);
    fprintf(t->json, "\"arguments\":{");
    put_values(t, call, false);
    fprintf(t->text, ")%s = %s", call->per_thread ? " per thread" : "", result);
    fprintf(t->json, "},\"per_thread\":%s,\"result\":\"%s\",\"results\":{",
            call->per_thread ? "true" : "false", result);
    if (error == CUDA_SUCCESS && strstr(call->row->wire, "out_")) {
        fprintf(t->text, ", ");
        put_values(t, call, true);
    }
    fprintf(t->text, "\n");
    fprintf(t->json, "}}}");
}

/* Writes the calls, answered in the program, that the request names, at the clock of the thread,
 * and the number of those that it could not name. Ignores numbers that name no call. t NULL:
 * nothing. */
void trace_local_calls(struct trace *t, const struct host_thread *thread,
                       const struct wire_request *request) {
    if (!t) return;
    uint32_t listed = request->local_calls < WIRE_LOCAL_CALLS ? request->local_calls
                                                              : WIRE_LOCAL_CALLS;
    for (uint32_t i = 0; i < listed; i++) {
        if (request->local_call[i] >= CUDA_NUM_CALLS) continue;
        begin(t, thread, call_table[request->local_call[i]].name, thread->now_ps, thread->now_ps);
        fprintf(t->text, "...) answered in the program\n");
        fprintf(t->json, "\"answered_in_program\":true}}");
    }
    if (request->local_calls > listed) {
        fprintf(t->text, "#   and %u calls answered in the program\n",
                request->local_calls - listed);
        fprintf(t->json, "%s\n{\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":%u", t->first ? "" : ",",
                thread->program->number, thread->number);
        put_us(t->json, "ts", thread->now_ps);
        fprintf(t->json, ",\"name\":\"more calls\",\"args\":{\"more_answered_in_program\":%u}}",
                request->local_calls - listed);
        t->calls += request->local_calls - listed;
        t->first = false;
    }
}

/* ---- who else hears of calls */

static struct server_call call_of(const struct host_thread *thread, uint64_t begin_ps) {
    return (struct server_call){.program_name = thread->program->name,
                                .program = thread->program->number,
                                .thread = thread->number,
                                .begin_ps = begin_ps,
                                .end_ps = thread->now_ps};
}

void trace_tell_call(const struct call *call, uint64_t begin_ps, int error) {
    const struct server_options *o = &call->server->o;
    if (!o->called) return;
    struct server_call c = call_of(call->thread, begin_ps);
    c.name = call->row->name;
    c.result = result_of(call, error);
    o->called(o->called_user, &c);
}

void trace_tell_local_calls(const struct server *s, const struct host_thread *thread,
                            uint64_t begin_ps, uint64_t calls) {
    if (!s->o.called || !calls) return;
    struct server_call c = call_of(thread, begin_ps);
    c.local = calls;
    s->o.called(s->o.called_user, &c);
}
