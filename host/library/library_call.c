/* library_call.c - what every call of the library goes through: it guards against GPUs that are
 * gone and against two calls at once, and gives the inner code the surroundings that it relies on,
 * whatever the program around it has set.
 *
 * The list of GPUs that live is the only state of the process; it has a lock, and any thread may
 * call the functions here. */
#define _GNU_SOURCE
#include <fenv.h>
#include <locale.h>
#include <pthread.h>
#include <string.h>

#include "common/rescue.h"
#include "library/library.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct heddle_gpu *living;

/* The link in the list to a GPU, which may be any pointer; NULL: it does not live. Locked. */
static struct heddle_gpu **find(const struct heddle_gpu *g) {
    for (struct heddle_gpu **link = &living; *link; link = &(*link)->next)
        if (*link == g) return link;
    return NULL;
}

void library_begin_life(struct heddle_gpu *g) {
    pthread_mutex_lock(&lock);
    g->next = living;
    living = g;
    pthread_mutex_unlock(&lock);
}

bool library_end_life(struct heddle_gpu *g) {
    pthread_mutex_lock(&lock);
    struct heddle_gpu **link = find(g);
    bool ends = link && !g->busy;
    if (ends) *link = g->next;
    pthread_mutex_unlock(&lock);
    return ends;
}

/* Begins a call on a GPU. @return an error: it is not possible. */
static heddle_err claim(struct heddle_gpu *g, struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    pthread_mutex_lock(&lock);
    if (!find(g))
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s",
                        g ? "this is no GPU: it was destroyed, or never created" : "GPU is NULL");
    else if (g->busy)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "another call on this GPU is under way: its calls must not overlap, nor "
                        "may its progress function make any");
    else if (g->broken)
        e = heddle_fail(diag, HEDDLE_ERR_NOMEM,
                        "an earlier call on this GPU ran out of host memory: destroy it");
    else
        g->busy = true;
    pthread_mutex_unlock(&lock);
    return e;
}

static void end_claim(struct heddle_gpu *g) {
    pthread_mutex_lock(&lock);
    g->busy = false;
    pthread_mutex_unlock(&lock);
}

/* Runs the function with a way back when memory is out, which leaves the GPU broken. */
static heddle_err run(struct heddle_gpu *g, library_fn fn, void *arguments,
                      struct heddle_diag *diag) {
    struct heddle_rescue rescue = {.what = NULL};
    struct heddle_rescue *const before = heddle_rescue_set(&rescue);
    heddle_err e;
    if (setjmp(rescue.back)) {
        if (g) g->broken = true;
        e = heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of host memory (%zu bytes for %s)",
                        rescue.bytes, rescue.what);
    } else {
        e = fn(g, arguments, diag);
    }
    heddle_rescue_set(before);
    return e;
}

heddle_err library_call(struct heddle_gpu *g, library_fn fn, void *arguments,
                        struct heddle_diag *diag) {
    struct heddle_diag own;
    if (!diag) diag = &own;
    *diag = (struct heddle_diag){.err = HEDDLE_OK};
    heddle_err e = claim(g, diag);
    if (e) return e;
    /* numbers in files and texts have a point; sums are rounded as the GPU rounds them */
    fenv_t rounding;
    fegetenv(&rounding);
    fesetenv(FE_DFL_ENV);
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    e = run(g, fn, arguments, diag);
    uselocale(before);
    freelocale(c);
    fesetenv(&rounding);
    end_claim(g);
    if (e && diag->err != e) heddle_fail(diag, e, "%s", heddle_err_text(e));
    return e;
}

/* ---- errors in words */

const char *heddle_err_name(int e) {
    switch (e) {
#define X(name, value, sentence) \
    case value: return #name;
        HEDDLE_ERR_MAP(X)
#undef X
    }
    return NULL;
}
