/* monitor_http.c - the HTTP server of a monitor, over libmicrohttpd: which requests are answered,
 * and with what.
 *
 * A thread for each connection, since a request may wait for the simulation. All run handle(),
 * which refuses before it looks at anything: another host's name (DNS rebinding), then a wrong
 * token, then an unknown resource, a wrong method, and a POST that another site's page sends. */
#include <jansson.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#include "common/wall_time.h"
#include "monitor/monitor_internal.h"

enum {
    CONNECTIONS = 32, /* at a time */
    IDLE_S = 30,      /* after which a silent connection ends */
    PICTURE_MS = 300, /* a moment comes five times a second while a kernel runs */
    WARPS_MS = 1000,
    SNAPSHOT_MS = 5000,
    FRESH_MS = 50, /* a picture so young is not taken again */
};

/* A request whose address and method are right. */
struct request {
    struct monitor *m;
    struct MHD_Connection *connection;
};

/* ---- answers */

/* Heads of every answer: nothing of it is kept, framed or guessed at. */
static struct MHD_Response *with_heads(struct MHD_Response *r, const char *type) {
    static const char *const heads[][2] = {{"Cache-Control", "no-store"},
                                           {"X-Content-Type-Options", "nosniff"},
                                           {"X-Frame-Options", "DENY"},
                                           {"Referrer-Policy", "no-referrer"},
                                           {"Cross-Origin-Resource-Policy", "same-origin"}};
    MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        MHD_add_response_header(r, heads[i][0], heads[i][1]);
    return r;
}

static enum MHD_Result answer(const struct request *q, unsigned status, struct MHD_Response *r) {
    const enum MHD_Result sent = MHD_queue_response(q->connection, status, r);
    MHD_destroy_response(r);
    return sent;
}

/* Answers with a line of text, which lasts. `allow`: the method that is allowed, or NULL. */
static enum MHD_Result refuse(const struct request *q, unsigned status, const char *text,
                              const char *allow) {
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                             MHD_RESPMEM_PERSISTENT);
    if (!r) return MHD_NO;
    if (allow) MHD_add_response_header(r, MHD_HTTP_HEADER_ALLOW, allow);
    return answer(q, status, with_heads(r, "text/plain; charset=utf-8"));
}

/* Answers with JSON, which it frees. */
static enum MHD_Result send_json(const struct request *q, json_t *o) {
    char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(6));
    json_decref(o);
    if (!text) return MHD_NO;
    struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), text,
                                                             MHD_RESPMEM_MUST_FREE);
    if (!r) {
        free(text);
        return MHD_NO;
    }
    return answer(q, MHD_HTTP_OK, with_heads(r, "application/json"));
}

/* ---- resources */

static enum MHD_Result get_page(const struct request *q) {
    struct MHD_Response *r = MHD_create_response_from_buffer(q->m->page_bytes, q->m->page,
                                                             MHD_RESPMEM_PERSISTENT);
    if (!r) return MHD_NO;
    return answer(q, MHD_HTTP_OK, with_heads(r, "text/html; charset=utf-8"));
}

/* Sees to it that the picture is of now, if anything is simulated. */
static void renew_picture(struct monitor *m) {
    struct monitor_wish w = {.kind = WISH_PICTURE};
    pthread_mutex_lock(&m->lock);
    const bool fresh = m->taken > 0 && wall_seconds() - m->taken < FRESH_MS * 1e-3;
    pthread_mutex_unlock(&m->lock);
    if (!fresh) monitor_wish(m, &w, PICTURE_MS);
}

static enum MHD_Result get_status(const struct request *q) {
    renew_picture(q->m);
    return send_json(q, monitor_status_json(q->m));
}

static enum MHD_Result get_sms(const struct request *q) {
    renew_picture(q->m);
    return send_json(q, monitor_sms_json(q->m));
}

/* A number of the query; `missing` without it. @return UINT32_MAX: it is none below `end`. */
static uint32_t number_of(const struct request *q, const char *name, uint32_t missing,
                          uint32_t end) {
    const char *text = MHD_lookup_connection_value(q->connection, MHD_GET_ARGUMENT_KIND, name);
    char *rest;
    if (!text) return missing;
    const unsigned long n = strtoul(text, &rest, 10);
    return *text >= '0' && *text <= '9' && !*rest && n < end ? (uint32_t)n : UINT32_MAX;
}

static enum MHD_Result get_warps(const struct request *q) {
    struct timing_warp_view warps[TIMING_VIEW_WARPS];
    struct monitor_wish w = {.kind = WISH_WARPS, .warps = warps};
    w.device = number_of(q, "gpu", 0, q->m->o.gpus);
    w.sm = number_of(q, "sm", UINT32_MAX, q->m->o.sms);
    if (w.device == UINT32_MAX || w.sm == UINT32_MAX)
        return refuse(q, MHD_HTTP_BAD_REQUEST,
                      "warps.json?sm=N[&gpu=N]: numbers of an SM and of a GPU of this run\n", NULL);
    if (q->m->o.timed) monitor_wish(q->m, &w, WARPS_MS);
    return send_json(q, monitor_warps_json(q->m, &w));
}

/* Sets what is wanted, and answers with the state that follows. */
static enum MHD_Result want(const struct request *q, enum monitor_mode mode) {
    if (!monitor_want(q->m, mode))
        return send_json(q, json_pack("{s:b, s:s}", "done", 0, "why", "the run is about to end"));
    pthread_mutex_lock(&q->m->lock);
    json_t *o = json_pack("{s:b, s:s}", "done", 1, "state", monitor_state(q->m));
    pthread_mutex_unlock(&q->m->lock);
    return send_json(q, o);
}

static enum MHD_Result post_pause(const struct request *q) {
    return want(q, MONITOR_PAUSE);
}
static enum MHD_Result post_continue(const struct request *q) {
    return want(q, MONITOR_RUN);
}
static enum MHD_Result post_step(const struct request *q) {
    return want(q, MONITOR_STEP);
}

static enum MHD_Result post_snapshot(const struct request *q) {
    struct monitor_wish w = {.kind = WISH_SNAPSHOT};
    if (!monitor_wish(q->m, &w, SNAPSHOT_MS))
        return send_json(
            q, json_pack("{s:b, s:s}", "done", 0, "why", "nothing is simulated at present"));
    return send_json(q,
                     json_pack("{s:b, s:s}", "done", (int)w.good, w.good ? "file" : "why", w.said));
}

static const struct resource {
    const char *name, *method;
    enum MHD_Result (*answer)(const struct request *q);
} resources[] = {
    {"", MHD_HTTP_METHOD_GET, get_page},         {"status.json", MHD_HTTP_METHOD_GET, get_status},
    {"sms.json", MHD_HTTP_METHOD_GET, get_sms},  {"warps.json", MHD_HTTP_METHOD_GET, get_warps},
    {"pause", MHD_HTTP_METHOD_POST, post_pause}, {"continue", MHD_HTTP_METHOD_POST, post_continue},
    {"step", MHD_HTTP_METHOD_POST, post_step},   {"snapshot", MHD_HTTP_METHOD_POST, post_snapshot}};

/* ---- requests */

/* The part of the path behind the token; NULL: it has another one, or none. Takes as long for a
 * token that is nearly right. */
static const char *behind_token(const struct monitor *m, const char *path) {
    const size_t length = sizeof m->token - 1;
    unsigned char different = 0;
    if (strlen(path) < length + 2 || path[0] != '/' || path[length + 1] != '/') return NULL;
    for (size_t i = 0; i < length; i++) different |= (unsigned char)(path[1 + i] ^ m->token[i]);
    return different ? NULL : path + length + 2;
}

/* Whether a head of the request names this server; `scheme`: stands before the name. */
static bool names_us(const struct monitor *m, const char *value, const char *scheme) {
    const size_t length = strlen(scheme);
    if (!value || strncmp(value, scheme, length)) return false;
    return !strcmp(value + length, m->hosts[0]) || !strcmp(value + length, m->hosts[1]);
}

/* MHD_AccessHandlerCallback. libmicrohttpd calls it once with the heads, then for each piece of a
 * body, which is dropped, and once more at the end. */
static enum MHD_Result handle(void *user, struct MHD_Connection *c, const char *path,
                              const char *method, const char *version, const char *body,
                              size_t *bytes, void **seen) {
    static int heads;
    const struct request q = {user, c};
    (void)version;
    (void)body;
    if (!*seen) {
        *seen = &heads;
        return MHD_YES;
    }
    if (*bytes) {
        *bytes = 0;
        return MHD_YES;
    }
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);
    if (!names_us(q.m, host, ""))
        return refuse(&q, MHD_HTTP_FORBIDDEN, "The monitor answers to 127.0.0.1 alone.\n", NULL);
    const char *name = behind_token(q.m, path);
    const struct resource *r = NULL;
    for (size_t i = 0; name && i < sizeof resources / sizeof *resources && !r; i++)
        if (!strcmp(resources[i].name, name)) r = &resources[i];
    if (!r) return refuse(&q, MHD_HTTP_NOT_FOUND, "There is nothing here.\n", NULL);
    if (strcmp(method, r->method))
        return refuse(&q, MHD_HTTP_METHOD_NOT_ALLOWED, "Another method is needed.\n", r->method);
    const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, MHD_HTTP_HEADER_ORIGIN);
    if (origin && !names_us(q.m, origin, "http://"))
        return refuse(&q, MHD_HTTP_FORBIDDEN, "The request comes from another site.\n", NULL);
    return r->answer(&q);
}

heddle_err monitor_http_begin(struct monitor *m, struct heddle_diag *diag) {
    m->daemon = MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL,
        NULL, handle, m, MHD_OPTION_LISTEN_SOCKET, m->socket, MHD_OPTION_CONNECTION_LIMIT,
        (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S, MHD_OPTION_END);
    if (!m->daemon)
        return heddle_fail(diag, HEDDLE_ERR_IO,
                           "--monitor: the system gives no thread for the HTTP server");
    m->socket = -1; /* the server closes it */
    return HEDDLE_OK;
}

void monitor_http_end(struct monitor *m) {
    if (m->daemon) MHD_stop_daemon(m->daemon);
    m->daemon = NULL;
}
