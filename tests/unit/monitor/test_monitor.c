/* test_monitor.c - a monitor between a simulation that only counts and clients that ask at once:
 * what they get, and that it pauses, steps and goes on. Under ThreadSanitizer, that they share
 * nothing without a lock.
 *
 * The views of the GPU are this file's own, in place of those of sched/gpu_view.c. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/wall_time.h"
#include "monitor/monitor.h"
#include "sched/gpu_view.h"

enum { SMS = 4 };

/* The simulation. Its thread alone writes `cycle`, without a lock. */
struct simulation {
    struct monitor *monitor;
    uint64_t cycle, ended;
    atomic_bool stop, ends;
    atomic_uint held;
};
static struct simulation *simulated; /* for the views */

void gpu_view_look(const struct gpu *gpu, struct gpu_view *out) {
    (void)gpu;
    *out = (struct gpu_view){.timed = true, .cycle = simulated->cycle, .launches = 3};
}
void gpu_view_sms(const struct gpu *gpu, struct timing_sm_view *sm) {
    (void)gpu;
    for (uint32_t i = 0; i < SMS; i++)
        sm[i] = (struct timing_sm_view){.ctas = i, .warp_inst = i * simulated->cycle};
}
unsigned gpu_view_warps(const struct gpu *gpu, uint32_t sm,
                        struct timing_warp_view out[TIMING_VIEW_WARPS]) {
    (void)gpu;
    out[0] = (struct timing_warp_view){.slot = sm, .executed = simulated->cycle, .op = "FADD"};
    return 1;
}

static bool ends(void *user) {
    return atomic_load(&((struct simulation *)user)->ends);
}
static void on_held(void *user, bool held) {
    struct simulation *s = user;
    if (held) atomic_fetch_add(&s->held, 1);
}
static uint64_t launches_ended(void *user) {
    return ((struct simulation *)user)->ended;
}
static bool snapshot(void *user, char *said, size_t size) {
    snprintf(said, size, "cycle %llu", (unsigned long long)((struct simulation *)user)->cycle);
    return true;
}

/* The thread that simulates: a kernel ends every ten moments. */
static void *simulate(void *user) {
    struct simulation *s = user;
    struct run_status status = {.launches_ended = 0};
    while (!atomic_load(&s->stop)) {
        s->cycle++;
        const bool ended = s->cycle % 10 == 0;
        s->ended += ended;
        run_status_take(&status, &(struct gpu_progress){.kernel = "k", .cycles = s->cycle}, -1);
        monitor_tell(s->monitor, &status);
        monitor_moment(s->monitor, 0, ended ? GPU_MOMENT_ENDED : GPU_MOMENT_BETWEEN);
        usleep(200);
    }
    return NULL;
}

static pthread_t begin(struct simulation *s) {
    static struct gpu *const gpu[1];
    struct heddle_diag diag = {0};
    pthread_t thread;
    const struct monitor_options options = {.begin = wall_seconds(),
                                            .program = "p",
                                            .gpu_name = "g",
                                            .timing = "rtl",
                                            .gpu = gpu,
                                            .gpus = 1,
                                            .sms = SMS,
                                            .sub_cores = 4,
                                            .timed = true,
                                            .ends = ends,
                                            .held = on_held,
                                            .launches_ended = launches_ended,
                                            .snapshot = snapshot,
                                            .user = s};
    simulated = s;
    cr_assert_eq(monitor_create(&s->monitor, &options, &diag), HEDDLE_OK, "%s", diag.text);
    cr_assert_eq(pthread_create(&thread, NULL, simulate, s), 0);
    return thread;
}

static void end(struct simulation *s, pthread_t thread) {
    atomic_store(&s->stop, true);
    monitor_end(s->monitor);
    pthread_join(thread, NULL);
    monitor_free(s->monitor);
}

/* Sends a request for a resource, "GET status.json"; `out` gets the answer. @return its status. */
static int request(const struct monitor *m, const char *what, char *out, size_t size) {
    unsigned port = 0;
    char token[40] = "", method[8], name[80] = "", text[400];
    size_t used = 0;
    cr_assert_eq(sscanf(monitor_address(m), "http://127.0.0.1:%u/%32[0-9a-f]/", &port, token), 2);
    cr_assert_geq(sscanf(what, "%7s %79s", method, name), 1);
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
    const int n = snprintf(text, sizeof text,
                           "%s /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nContent-Length: 0\r\n"
                           "Connection: close\r\n\r\n",
                           method, token, name, port);
    cr_assert_eq(write(fd, text, (size_t)n), n);
    for (ssize_t got; used + 1 < size && (got = read(fd, out + used, size - 1 - used)) > 0;)
        used += (size_t)got;
    out[used] = 0;
    close(fd);
    return used > 12 ? atoi(out + 9) : 0;
}

/* Asks until the answer has the text. */
static void until(const struct monitor *m, const char *what, const char *text) {
    static const int TRIES = 500;
    char out[8192];
    for (int i = 0; i < TRIES; i++) {
        request(m, what, out, sizeof out);
        if (strstr(out, text)) return;
        usleep(10000);
    }
    cr_assert_fail("%s never had %s: %s", what, text, out);
}

/* A client that asks for everything. */
static void *client(void *user) {
    static const char *const what[] = {"GET status.json", "GET sms.json", "GET warps.json?sm=2",
                                       "POST snapshot", "POST continue"};
    char out[8192];
    for (int i = 0; i < 40; i++)
        cr_expect(request(user, what[i % 5], out, sizeof out) == 200, "%s: %s", what[i % 5], out);
    return NULL;
}

Test(monitor, clients_at_once) {
    struct simulation s = {.cycle = 0};
    pthread_t thread = begin(&s), clients[3];
    for (int i = 0; i < 3; i++) pthread_create(&clients[i], NULL, client, s.monitor);
    for (int i = 0; i < 3; i++) pthread_join(clients[i], NULL);
    end(&s, thread);
    cr_assert_gt(s.cycle, 0);
}

Test(monitor, rates_of_an_interval) {
    struct simulation s = {.cycle = 0};
    const pthread_t thread = begin(&s);
    until(s.monitor, "GET sms.json", "\"ipc\":[0.0,1.0,2.0,3.0]");
    until(s.monitor, "GET sms.json", "\"ctas\":[0,1,2,3]");
    end(&s, thread);
}

Test(monitor, pause_step_and_go_on) {
    struct simulation s = {.cycle = 0};
    const pthread_t thread = begin(&s);
    char out[8192], again[8192];
    cr_assert_eq(request(s.monitor, "POST step", out, sizeof out), 200);
    until(s.monitor, "GET status.json", "\"paused\"");
    cr_assert_eq(request(s.monitor, "POST snapshot", out, sizeof out), 200);
    cr_assert(strstr(out, "0\"}"), "a kernel ends at whole tens: %s", out);
    usleep(20000);
    request(s.monitor, "POST snapshot", again, sizeof again);
    cr_assert_str_eq(strstr(out, "cycle"), strstr(again, "cycle"), "a paused run goes on");
    request(s.monitor, "POST continue", out, sizeof out);
    until(s.monitor, "GET status.json", "\"running\"");
    cr_assert_eq(atomic_load(&s.held), 1);
    end(&s, thread);
}

Test(monitor, a_run_that_is_to_end_is_not_held) {
    struct simulation s = {.cycle = 0};
    const pthread_t thread = begin(&s);
    char out[8192];
    request(s.monitor, "POST pause", out, sizeof out);
    until(s.monitor, "GET status.json", "\"paused\"");
    atomic_store(&s.ends, true);
    until(s.monitor, "GET status.json", "\"ending\"");
    request(s.monitor, "POST pause", out, sizeof out);
    cr_assert(strstr(out, "\"done\":false"), "%s", out);
    end(&s, thread);
}

Test(monitor, a_pause_ends_with_the_run) {
    struct simulation s = {.cycle = 0};
    const pthread_t thread = begin(&s);
    char out[8192];
    request(s.monitor, "POST pause", out, sizeof out);
    until(s.monitor, "GET status.json", "\"paused\"");
    end(&s, thread);
}

Test(monitor, methods_and_names) {
    struct simulation s = {.cycle = 0};
    const pthread_t thread = begin(&s);
    char out[70000];
    cr_assert_eq(request(s.monitor, "GET", out, sizeof out), 200);
    cr_assert(strstr(out, "connect-src 'self'"), "the page may ask its server");
    cr_assert_eq(request(s.monitor, "GET pause", out, sizeof out), 405);
    cr_assert_eq(request(s.monitor, "POST status.json", out, sizeof out), 405);
    cr_assert_eq(request(s.monitor, "GET other", out, sizeof out), 404);
    cr_assert_eq(request(s.monitor, "GET warps.json?sm=4", out, sizeof out), 400);
    cr_assert_eq(request(s.monitor, "GET warps.json?sm=x", out, sizeof out), 400);
    end(&s, thread);
}
