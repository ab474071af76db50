/* checkpoint.c - the log of launches and answers and the images of memory of a run that can be
 * interrupted, in one directory; file formats and contracts in checkpoint.h.
 *
 * `heddle run` opens and frees it, gpu_checkpoint.c calls it at boundaries, the server for each
 * answer, all on the server's thread. launch_way.c calls checkpoint_past() at launches on the
 * scheduler's worker thread during a window, in which the server's thread handles no call; so there
 * is no lock.
 *
 * A run replays (c->replays) from its begin to the image from which it resumes: it reads the logs.
 * After that, and in a run that does not resume, it writes them. The first failure is sticky:
 * fail(), or whoever finds another one, records it in c->failed, and later calls do nothing. The
 * static functions read and write the files of c->directory. */
#define _GNU_SOURCE
#include "sched/checkpoint.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "sched/checkpoint_image.h"

enum { VERSION = 8 }; /* of the records of both logs */

/* The checkpoints of a run. Owns its texts and files; memory is borrowed. */
struct checkpoint {
    char *directory;
    uint64_t every, due; /* launches between checkpoints; launch before which the next one is due */
    struct sealed_identity identity;                  /* of the run, without a kind */
    struct sealed_writer launches, answers;           /* the two logs, while the run writes them, */
    struct sealed_reader past_launches, past_answers; /* and while it replays */
    uint64_t answered; /* bytes of answers, with 4 for each, written or read */
    uint64_t resumed;  /* launches before the image from which the run resumes; 0: none */
    uint64_t written;  /* checkpoints */
    bool replays;      /* the run has not reached that image yet */
    struct checkpoint_image image; /* from which it resumes */
    struct checkpoint_memory memory;
    struct checkpoint_launch past; /* result of checkpoint_past() */
    uint64_t latest[2]; /* launches of the images in the directory, newest last; 0: none */
    struct heddle_diag failed;
};

/* Records the first failure in c->failed as HEDDLE_ERR_IO, with errno's text. @return the first
 * failure's error. */
static heddle_err fail(struct checkpoint *c, const char *what, const char *name) {
    if (!c->failed.err)
        heddle_fail(&c->failed, HEDDLE_ERR_IO, "checkpoint: cannot %s %s/%s: %s%s", what,
                    c->directory, name, strerror(errno), heddle_advice(errno));
    return c->failed.err;
}

/* Writes DIRECTORY/name. */
static void path_of(const struct checkpoint *c, const char *name, char *out, size_t size) {
    snprintf(out, size, "%s/%s", c->directory, name);
}

/* The identity of the log `name`. */
static struct sealed_identity log_of(const struct checkpoint *c, const char *name) {
    struct sealed_identity i = c->identity;
    memcpy(i.kind, name, strlen(name));
    i.version = VERSION;
    return i;
}

/* ---- opening */

/* Looks for the two newest images in the directory: sets c->latest. Removes images that a killed
 * run has not finished. @return HEDDLE_ERR_IO, with text in c->failed: the directory cannot be
 * read. */
static heddle_err find_images(struct checkpoint *c) {
    struct dirent *entry;
    DIR *d = opendir(c->directory);
    if (!d)
        return heddle_fail(&c->failed, HEDDLE_ERR_IO, "--resume: cannot read %s: %s", c->directory,
                           strerror(errno));
    while ((entry = readdir(d))) {
        char *end;
        if (strncmp(entry->d_name, "image-", 6)) continue;
        uint64_t n = strtoull(entry->d_name + 6, &end, 10);
        size_t rest = strlen(end);
        if (rest > 5 && !strcmp(end + rest - 5, ".part")) unlinkat(dirfd(d), entry->d_name, 0);
        if (*end || !n) continue;
        if (n > c->latest[1]) {
            c->latest[0] = c->latest[1];
            c->latest[1] = n;
        } else if (n > c->latest[0]) {
            c->latest[0] = n;
        }
    }
    closedir(d);
    return HEDDLE_OK;
}

/* What the user can do about damage of a file that the newest image needs. */
static void get_remedy(const struct checkpoint *c, char *out, size_t size) {
    if (c->latest[0])
        snprintf(out, size,
                 "remove %s/image-%llu to resume from the checkpoint before it, image-%llu",
                 c->directory, (unsigned long long)c->latest[1], (unsigned long long)c->latest[0]);
    else
        snprintf(out, size,
                 "there is no other checkpoint: remove %s and begin again with --checkpoint",
                 c->directory);
}

/* Opens and checks the newest image and both logs up to it. @return an error, with text in
 * c->failed. */
static heddle_err open_past(struct checkpoint *c) {
    char path[4096], remedy[400];
    const struct sealed_identity launches = log_of(c, "launches"), answers = log_of(c, "answers");
    get_remedy(c, remedy, sizeof remedy);
    heddle_err e = checkpoint_image_open(&c->image, c->directory, c->latest[1], &c->identity,
                                         remedy, &c->failed);
    path_of(c, "launches", path, sizeof path);
    if (!e)
        e = sealed_reader_open(&c->past_launches, path, &launches, &c->image.launches, remedy,
                               &c->failed);
    path_of(c, "answers", path, sizeof path);
    if (!e)
        e = sealed_reader_open(&c->past_answers, path, &answers, &c->image.answers, remedy,
                               &c->failed);
    c->resumed = c->latest[1];
    c->replays = true;
    return e;
}

/* Begins the log `name`. `anew`: a run that was killed before its first checkpoint may have left
 * one, which holds nothing of use. @return the error of fail(). */
static heddle_err begin_log(struct checkpoint *c, struct sealed_writer *w, const char *name,
                            bool anew) {
    char path[4096];
    const struct sealed_identity identity = log_of(c, name);
    path_of(c, name, path, sizeof path);
    if (anew) unlink(path);
    return sealed_log_begin(w, path, &identity) ? HEDDLE_OK : fail(c, "make", name);
}

/* Opens the files of the directory: creates new logs or, to resume, opens and checks the newest
 * image and the logs up to it. @return HEDDLE_ERR_IO, with text in diag (may be NULL) and *out
 * NULL; without `resume` also when a log exists. */
heddle_err checkpoint_open(struct checkpoint **out, const struct checkpoint_run *run,
                           struct heddle_diag *diag) {
    struct checkpoint *c = heddle_alloc(sizeof *c, "checkpoints");
    *out = NULL;
    c->directory = heddle_copy_text(run->directory, "checkpoints");
    c->every = c->due = run->every;
    c->identity = (struct sealed_identity){.run = {run->number[0], run->number[1]},
                                           .inputs = run->inputs};
    heddle_err e = run->resume ? find_images(c) : HEDDLE_OK;
    if (!e && c->latest[1]) {
        e = open_past(c);
    } else if (!e) {
        e = begin_log(c, &c->launches, "launches", run->resume);
        if (!e) e = begin_log(c, &c->answers, "answers", run->resume);
    }
    if (!e) {
        *out = c;
        return HEDDLE_OK;
    }
    if (diag) *diag = c->failed;
    checkpoint_free(c);
    return e;
}

/* Closes the logs and the image; the files stay. Accepts NULL. */
void checkpoint_free(struct checkpoint *c) {
    if (!c) return;
    sealed_writer_close(&c->launches);
    sealed_writer_close(&c->answers);
    sealed_reader_close(&c->past_launches);
    sealed_reader_close(&c->past_answers);
    checkpoint_image_close(&c->image);
    free(c->directory);
    free(c);
}

/* Adds a memory file and its mapping of `bytes` bytes, both borrowed, to what images hold. To be
 * called before the first launch. @return HEDDLE_ERR_ARGUMENT beyond CHECKPOINT_MAX_REGIONS. */
heddle_err checkpoint_add_memory(struct checkpoint *c, int fd, void *mapping, uint64_t bytes) {
    if (c->memory.count == CHECKPOINT_MAX_REGIONS) return HEDDLE_ERR_ARGUMENT;
    c->memory.region[c->memory.count++] = (struct checkpoint_region){fd, mapping, bytes};
    return HEDDLE_OK;
}

/* ---- boundaries */

/* True if a checkpoint must be taken before launch number `launch`; false once anything has
 * failed. */
bool checkpoint_is_due(const struct checkpoint *c, uint64_t launch) {
    return launch >= c->due && !c->failed.err;
}

/* Goes on with the log `name` behind `extent`, which drops what a killed run wrote after its last
 * checkpoint. @return the error of fail(). */
static heddle_err continue_log(struct checkpoint *c, struct sealed_writer *w,
                               struct sealed_reader *past, const char *name,
                               const struct sealed_extent *extent) {
    char path[4096];
    path_of(c, name, path, sizeof path);
    sealed_reader_close(past);
    return sealed_log_continue(w, path, extent) ? HEDDLE_OK : fail(c, "write", name);
}

/* The replaying run has reached its image: loads memory and *b from it, closes it, and goes on with
 * the logs. @return HEDDLE_ERR_STOPPED if the program got another number of bytes of answers
 * than before, HEDDLE_ERR_IO if a file cannot be read; c->failed has the text. Memory may then be
 * partly loaded. */
static heddle_err reach(struct checkpoint *c, struct checkpoint_boundary *b) {
    if (c->answered != c->image.answered)
        return heddle_fail(
            &c->failed, HEDDLE_ERR_STOPPED,
            "--resume: calls have brought %llu bytes to the program up to launch %llu, "
            "%llu when the checkpoint was written: the program does not do what it did",
            (unsigned long long)c->answered, (unsigned long long)c->resumed,
            (unsigned long long)c->image.answered);
    heddle_err e = checkpoint_image_load(&c->image, &c->memory, &c->failed);
    if (!e) e = continue_log(c, &c->launches, &c->past_launches, "launches", &c->image.launches);
    if (!e) e = continue_log(c, &c->answers, &c->past_answers, "answers", &c->image.answers);
    if (e) return e;
    *b = c->image.boundary;
    checkpoint_image_close(&c->image);
    c->replays = false;
    return HEDDLE_OK;
}

/* Writes a checkpoint: appends `count` launches to their log, forces both logs to the disk, writes
 * the image, and deletes the image before the last two. @return the error of fail(), after which
 * the log may hold part of the launches. */
static heddle_err write_all(struct checkpoint *c, const struct checkpoint_boundary *b,
                            const struct checkpoint_launch *launches, size_t count) {
    for (size_t i = 0; i < count; i++)
        sealed_writer_put(&c->launches, &launches[i], sizeof launches[i], NULL, 0);
    if (!sealed_log_sync(&c->launches)) return fail(c, "write", "launches");
    if (!sealed_log_sync(&c->answers)) return fail(c, "write", "answers");
    const struct checkpoint_image image = {.boundary = *b,
                                           .answered = c->answered,
                                           .launches = c->launches.extent,
                                           .answers = c->answers.extent};
    heddle_err e = checkpoint_image_write(&image, c->directory, &c->identity, &c->memory,
                                          &c->failed);
    if (e) return e;
    if (c->latest[0]) checkpoint_image_remove(c->directory, c->latest[0]);
    c->latest[0] = c->latest[1];
    c->latest[1] = b->launches;
    c->written++;
    return HEDDLE_OK;
}

/* gpu_checkpoint.c calls it at a boundary, when everything issued has ended. *b: the boundary;
 * `launches`: the `count` launches since the last one, by number. A run that does not replay writes
 * a checkpoint. A replaying run does nothing, or at its own image loads memory and *b from it. Sets
 * when the next checkpoint is due. @return HEDDLE_ERR_IO or STOPPED, with text in diag (may be
 * NULL); the failure is sticky. */
heddle_err checkpoint_pass(struct checkpoint *c, struct checkpoint_boundary *b,
                           const struct checkpoint_launch *launches, size_t count,
                           struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    c->due = b->launches + c->every;
    if (!c->replays)
        e = write_all(c, b, launches, count);
    else if (b->launches == c->resumed)
        e = reach(c, b);
    if (e && diag) *diag = c->failed;
    return e;
}

/* ---- the past */

/* @return whether a byte of the file is a truth value. */
static bool is_flag(const bool *flag) {
    uint8_t byte;
    memcpy(&byte, flag, 1);
    return byte <= 1;
}

/* @return whether the record can be one of a launch: flags are 0 or 1, and times are in order and
 * far from overflow. The fabric relies on them. */
static bool is_possible(const struct checkpoint_launch *l) {
    return is_flag(&l->record.untimed) && is_flag(&l->record.estimated) &&
           l->record.start_ps <= l->record.end_ps && l->first_cycle <= l->last_cycle &&
           l->last_cycle <= l->end_cycle && l->end_cycle <= l->heard_cycle &&
           l->heard_cycle < UINT64_C(1) << 50;
}

/* The record of launch `launch` while the run replays, read from the log into c->past; valid until
 * the next call. @return NULL: the launch is not before the image, or the run does not replay (*err
 * HEDDLE_OK), or anything has failed (*err: the sticky error). */
const struct checkpoint_launch *checkpoint_past(struct checkpoint *c, uint64_t launch,
                                                heddle_err *err) {
    *err = c->failed.err;
    if (!c->replays || launch >= c->resumed || *err) return NULL;
    *err = sealed_reader_at(&c->past_launches, launch, &c->past, sizeof c->past, &c->failed);
    if (!*err && !is_possible(&c->past))
        *err = sealed_reader_refuse(&c->past_launches, "it holds what no launch has", &c->failed);
    return *err ? NULL : &c->past;
}

/* @return the FNV-1a hash (64 bits) of a kernel's name, which stands for it in the log. */
uint64_t checkpoint_name_sum(const char *name) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++) sum = (sum ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return sum;
}

/* Replaces `count` bytes of an answer by those of the log. @return the error, with text in
 * c->failed: HEDDLE_ERR_STOPPED if the log has another number of bytes, or no more answers. */
static heddle_err replay_answer(struct checkpoint *c, void *bytes, uint32_t count) {
    uint32_t before;
    if (c->past_answers.next == c->image.answers.records)
        return heddle_fail(&c->failed, HEDDLE_ERR_STOPPED,
                           "--resume: a call brings %u bytes to the program, but fewer calls did "
                           "when the checkpoint was written: the program does not do what it did",
                           count);
    heddle_err e = sealed_reader_size(&c->past_answers, &before, &c->failed);
    if (!e && before != count)
        e = heddle_fail(&c->failed, HEDDLE_ERR_STOPPED,
                        "--resume: a call brings %u bytes to the program where it brought %u when "
                        "the checkpoint was written: the program does not do what it did",
                        count, before);
    return e ? e : sealed_reader_get(&c->past_answers, bytes, count, &c->failed);
}

/* server_options.answer (`user`: the struct checkpoint): the server calls it before it returns
 * `count` bytes to the program, on its own thread or, in a copy, on the simulation's; never on both
 * at once. Appends them to the log or, while the run replays,
 * replaces them in place by the logged ones. Counts them in c->answered. Fails, silently until
 * checkpoint_failed(). */
void checkpoint_answer(void *user, void *bytes, uint32_t count) {
    struct checkpoint *c = user;
    if (c->failed.err) return;
    if (!c->replays)
        sealed_writer_put(&c->answers, bytes, count, NULL, 0);
    else
        replay_answer(c, bytes, count);
    c->answered += sizeof count + count;
}

uint64_t checkpoint_resumed(const struct checkpoint *c) {
    return c->resumed;
}
uint64_t checkpoint_written(const struct checkpoint *c) {
    return c->written;
}
bool checkpoint_replays(const struct checkpoint *c) {
    return c->replays && !c->failed.err;
}
/* @return the text of the first failure, or NULL. A run that still replays when this is asked at
 * its end has failed, too. */
const char *checkpoint_failed(const struct checkpoint *c) {
    if (c->failed.err) return c->failed.text;
    return c->replays
               ? "--resume: the program ended before the checkpoint: it does not do what it did"
               : NULL;
}
