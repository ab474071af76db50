/* shim_helper.c - host functions of streams. They run in the program, on a helper thread with its
 * own connection. The server sends it a message when a stream reaches a host function, and when it
 * reads or writes memory of the program that makes no call (windows of MPI).
 *
 * Runs in the program's process, in libheddle_shim.so. The shim_ functions run on the thread of
 * the program that adds a host function, for both interfaces; shim.h has their contracts.
 * shim.helper_lock guards the start of the helper thread, which lives as long as the process or
 * the connection. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "cuda/shim/shim.h"

typedef void (*host_function)(void *argument);
typedef void (*stream_callback)(void *stream, int status, void *argument);

/* How the thread that starts the helper waits for it. It lives on that thread's stack; `lock`
 * guards `socket`. */
struct start {
    pthread_mutex_t lock;
    pthread_cond_t done;
    int socket; /* the helper's; -1: it cannot connect, -2: not yet known */
};

/* The helper thread's body (pthread_create() in shim_start_helper). Connects, reports its socket to
 * the starting thread, and then runs each function that the server names, or moves bytes, and
 * answers, until the connection ends. The program's functions run here one after the other, with no
 * lock held; CUDA calls in them fail (shim_thread.is_helper). */
static void *serve(void *user) {
    struct start *start = user;
    int s = shim_connect_helper();
    pthread_mutex_lock(&start->lock);
    start->socket = s;
    pthread_cond_signal(&start->done);
    pthread_mutex_unlock(&start->lock); /* the waiting thread may now free *start */
    while (s >= 0) {
        struct wire_reply run;
        ssize_t n = recv(s, &run, sizeof run, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n != (ssize_t)sizeof run) break;
        void *argument = (void *)(uintptr_t)run.bytes, *place = (void *)(uintptr_t)run.offset;
        const bool moves = run.kind == WIRE_PULL_AT || run.kind == WIRE_PUSH_AT;
        if (moves && run.bytes <= WIRE_STAGING_BYTES) {
            uint8_t *staging = shim_self()->staging;
            if (run.kind == WIRE_PULL_AT)
                memcpy(staging, place, run.bytes);
            else
                memcpy(place, staging, run.bytes);
        } else if (run.kind != WIRE_RUN) {
            break;
        } else if (run.result[0])
            ((stream_callback)(uintptr_t)run.offset)((void *)(uintptr_t)run.result[1], run.error,
                                                     argument);
        else
            ((host_function)(uintptr_t)run.offset)(argument);
        struct wire_request ready = {.kind = WIRE_READY};
        if (send(s, &ready, sizeof ready, MSG_NOSIGNAL) != (ssize_t)sizeof ready) break;
    }
    return NULL;
}

/* Starts the helper thread, once per process, and waits until it is connected; a later call tries
 * again if it could not connect. Connects the calling thread, too. Holds shim.helper_lock
 * meanwhile. @return CUDA_SUCCESS; an error of shim_ready(); cudaErrorSystemNotReady if there is no
 * thread or it cannot connect. Leaves the last error alone. */
int shim_start_helper(void) {
    struct start start = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, -2};
    int error = shim_ready();
    if (error) return error;
    pthread_mutex_lock(&shim.helper_lock);
    pthread_t thread;
    if (!shim.helper_started && pthread_create(&thread, NULL, serve, &start) == 0) {
        pthread_detach(thread);
        pthread_mutex_lock(&start.lock);
        while (start.socket == -2) pthread_cond_wait(&start.done, &start.lock);
        pthread_mutex_unlock(&start.lock);
        shim.helper_started = start.socket >= 0;
    }
    bool good = shim.helper_started;
    pthread_mutex_unlock(&shim.helper_lock);
    return good ? CUDA_SUCCESS : HEDDLE_cudaErrorSystemNotReady;
}

/* Makes the call `id`, one message, which adds a host function to a stream; starts the helper
 * thread if necessary. No function, or flags, is cudaErrorInvalidValue. @return cudaError_t, also
 * the last error. */
int shim_add_host_function(enum cuda_call_id id, void *stream, const void *function, void *argument,
                           unsigned flags) {
    int error = function && !flags ? shim_start_helper() : HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(id, error);
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)stream, (uintptr_t)function, (uintptr_t)argument, flags}};
    return shim_call(&call);
}
