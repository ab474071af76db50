/* program_lifetime.c - creates, resets, ends and frees programs with all their objects; see
 * program_lifetime.h.
 *
 * Runs in the server, on its thread, for session.c, server.c and cudaDeviceReset. No operation is
 * being performed meanwhile. */
#include "cuda/object/program_lifetime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/memory.h"
#include "cuda/object/array.h"
#include "cuda/object/capture.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/event.h"
#include "cuda/object/graph.h"
#include "cuda/object/ipc.h"
#include "cuda/object/module.h"
#include "cuda/object/pool.h"
#include "cuda/object/program_death.h"
#include "cuda/object/program_memory.h"
#include "cuda/base/shared_file.h"
#include "cuda/object/stream_op.h"
#include "cuda/object/mpi_remote.h"
#include "cuda/object/mpi_world.h"
#include "cuda/object/symmetric_heap.h"
#include "cuda/object/texture_object.h"
#include "cuda/object/value_wait.h"

/* Creates the program's empty lists; program_free() frees them with their entries. */
static void make_lists(struct program *p) {
    p->modules = g_ptr_array_new_with_free_func(module_free);
    p->functions = g_ptr_array_new_with_free_func(function_free);
    p->symbols = g_ptr_array_new_with_free_func(symbol_free);
    p->streams = g_ptr_array_new_with_free_func(stream_free);
    p->events = g_ptr_array_new_with_free_func(event_free);
    p->arrays = g_ptr_array_new_with_free_func(free);
    p->textures = g_ptr_array_new_with_free_func(g_free);
    p->pools = g_array_new(FALSE, FALSE, sizeof(struct pool));
    p->imported = g_array_new(FALSE, FALSE, sizeof(uint64_t));
}

/* Finds the living program with the token of the hello, in the same process, or appends a new one,
 * with empty lists and a page for its counts, to server.programs, which owns it. `pid`: from the
 * kernel. @return NULL: no memory for the page. */
struct program *program_enter(struct server *s, const struct wire_hello *hello, int pid) {
    struct program **end = &s->programs;
    for (; *end; end = &(*end)->next)
        if ((*end)->token == hello->token && (*end)->pid == pid && !(*end)->gone) return *end;
    struct program *p = heddle_alloc(sizeof *p, "a program");
    p->control = shared_file_create("heddle counts", sizeof *p->control, &p->control_fd);
    if (!p->control) {
        free(p);
        return NULL;
    }
    make_lists(p);
    p->space = s->o.space;
    p->token = hello->token;
    p->pid = pid;
    p->number = (int)++s->num_programs;
    p->node = s->o.nodes ? hello->pe : 0;
    p->first_device = p->node * server_node_devices(s);
    p->cudart_version = hello->cudart_version;
    snprintf(p->name, sizeof p->name, "%.*s", (int)sizeof hello->program - 1, hello->program);
    *end = p;
    return p;
}

/* Gives the page of counts back, shared or not, and has `kept` in its place. */
static void leave_control(struct program *p, struct wire_control *kept) {
    if (p->control_fd >= 0) {
        munmap(p->control, sizeof *p->control);
        close(p->control_fd);
    } else {
        free(p->control);
    }
    p->control = kept;
    p->control_fd = -1;
}

/* Frees all objects and the memory of a program, and the program; the caller removes it from
 * server.programs. No work of it may be in flight. */
void program_free(struct server *s, struct program *p) {
    if (p->space) address_space_release_owner(p->space, p);
    g_ptr_array_unref(p->textures);
    g_ptr_array_unref(p->arrays);
    g_ptr_array_unref(p->symbols);
    g_ptr_array_unref(p->functions);
    g_ptr_array_unref(p->modules);
    leave_control(p, NULL);
    captures_free(p);
    graphs_destroy(p);
    g_ptr_array_unref(p->streams);
    for (size_t i = 0; i < p->events->len; i++) event_end(s, g_ptr_array_index(p->events, i));
    g_ptr_array_unref(p->events);
    g_array_unref(p->pools);
    g_array_unref(p->imported);
    free(p);
}

/* Visitor of stream_each(): the stream is no longer captured. Its set of nodes stays; the next
 * capture empties it. */
static void leave_capture(struct stream *stream, void *user) {
    (void)user;
    stream->capture = NULL;
}

/* Destroys the calling program's objects and frees its memory at once, on all devices. The caller
 * sees to it that no work uses them: cudaDeviceReset waits for its current device. Memory that
 * another program has open passes to it. The program itself, its connections, its registered
 * kernels and variables and the default streams of its threads stay. */
void program_reset(struct call *call) {
    struct server *s = call->server;
    struct program *p = call->program;
    texture_objects_end(s, p);
    modules_unload(p);
    for (size_t i = 0; i < p->streams->len; i++) {
        struct stream *stream = g_ptr_array_index(p->streams, i);
        if (stream->live) stream_destroy(stream);
    }
    for (size_t i = 0; i < p->events->len; i++) event_end(s, g_ptr_array_index(p->events, i));
    ipc_bequeath(s, p);
    ipc_leave(s, p);
    g_array_set_size(p->imported, 0);
    captures_free(p);
    stream_each(s, p, leave_capture, NULL); /* per-thread streams outlive a reset */
    graphs_destroy(p);
    g_ptr_array_set_size(p->textures, 0);
    g_ptr_array_set_size(p->arrays, 0);
    g_array_set_size(p->pools, 0);
    address_space_release_owner(s->o.space, p);
}

/* Writes a notice about the memory that the program has not freed, with the first allocations. */
static void tell_leaks(struct server *s, const struct program *p) {
    enum { SHOWN = 3 };
    char list[160] = "";
    size_t n = 0;
    uint64_t count = 0, bytes = 0;
    const struct memory_block *b = NULL;
    while (s->o.leaks && (b = address_space_leaked(s->o.space, p, b))) {
        if (count++ < SHOWN)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s number %llu, %llu bytes",
                                  count == 1 ? "" : ";", (unsigned long long)b->number,
                                  (unsigned long long)b->bytes);
        bytes += b->bytes;
    }
    if (count)
        server_notice(s, "memcheck: %s ended without freeing %llu allocation%s, %llu bytes:%s%s",
                      p->name, (unsigned long long)count, count == 1 ? "" : "s",
                      (unsigned long long)bytes, list, count > SHOWN ? "; ..." : "");
}

/* Called when a program's last thread has gone. Marks the program as gone and ends its textures and
 * its waits for values. If it did not say goodbye, cancels the work left undone, counts it in
 * s->dropped and s->ended_abruptly and writes a notice. Frees memory of ended programs without
 * pending work. The record stays, for the report. */
void program_end(struct server *s, struct program *p) {
    p->gone = true;
    texture_objects_end(s, p);
    symmetric_heap_leave(s, p);
    mpi_remote_leave(s, p);
    mpi_world_leave(s, p);
    if (p->sticky) p->control->sticky = p->sticky;
    /* the program's record keeps its counts, for the report */
    struct wire_control *kept = heddle_alloc(sizeof *kept, "counts of a program that has ended");
    memcpy(kept, p->control, sizeof *kept);
    leave_control(p, kept);
    tell_leaks(s, p);
    if (p->goodbye) {
        program_collect_memory(s);
        return;
    }
    program_cancel(s, p);
    for (unsigned i = 0; i < server_devices(s); i++) gpu_end_cancelled(server_gpu(s, i));
    const uint64_t kernels = p->dropped, copies = stream_op_count(s, p);
    s->ended_abruptly++;
    s->dropped += kernels + copies;
    if (kernels + copies)
        server_notice(s,
                      "%s (process %d) ended without leaving the CUDA library in order; not "
                      "carried out to the end: %llu kernel%s, %llu cop%s or fill%s",
                      p->name, p->pid, (unsigned long long)kernels, kernels == 1 ? "" : "s",
                      (unsigned long long)copies, copies == 1 ? "y" : "ies",
                      copies == 1 ? "" : "s");
    else
        server_notice(s, "%s (process %d) ended without leaving the CUDA library in order", p->name,
                      p->pid);
    program_collect_memory(s);
}

/* Resets every dead GPU, and drops its operations and waits of all programs; clears
 * s->fault_reported, so that a new fault is reported. Does
 * nothing while all GPUs live. @return cudaErrorDevicesUnavailable after a failed reset, which it
 * reports on standard error. */
int program_revive_gpus(struct server *s) {
    for (unsigned i = 0; i < server_devices(s); i++) {
        struct gpu *gpu = server_gpu(s, i);
        if (!gpu_is_dead(gpu)) continue;
        struct heddle_diag diag = {0};
        heddle_err e = gpu_reset(gpu, &diag);
        stream_op_drop_all(s, gpu);
        value_wait_drop(s, gpu);
        s->fault_reported = false;
        if (!e) continue;
        server_note_failure(s, e);
        server_error(s, "the GPU cannot be reset: %s", *diag.text ? diag.text : heddle_err_text(e));
        return HEDDLE_cudaErrorDevicesUnavailable;
    }
    return CUDA_SUCCESS;
}
