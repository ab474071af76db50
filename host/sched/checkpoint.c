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
#include <sys/stat.h>
#include <unistd.h>

#include "common/memory.h"
#include "sched/checkpoint_image.h"

/* The checkpoints of a run. Owns its texts and files; memory is borrowed. */
struct checkpoint {
    char *directory;
    uint64_t every, due; /* launches between checkpoints; launch before which the next one is due */
    FILE *launches, *answers; /* the two logs */
    uint64_t answered;        /* bytes of `answers` written, or read */
    uint64_t resumed;         /* launches before the image from which the run resumes; 0: none */
    uint64_t written;         /* checkpoints */
    bool replays;             /* the run has not reached that image yet */
    struct checkpoint_image image; /* from which it resumes */
    struct checkpoint_memory memory;
    struct checkpoint_launch past; /* result of checkpoint_past() */
    uint64_t latest[2]; /* launches of the images in the directory, newest last; 0: none */
    struct heddle_diag failed;
};

/* Records the first failure in c->failed as HEDDLE_ERR_IO, with errno's text (errno 0: the file is
 * too short). @return the first failure's error. */
static heddle_err fail(struct checkpoint *c, const char *what, const char *name) {
    if (!c->failed.err)
        heddle_fail(&c->failed, HEDDLE_ERR_IO, "checkpoint: cannot %s %s/%s: %s", what,
                    c->directory, name, errno ? strerror(errno) : "it is too short");
    return c->failed.err;
}

/* Opens the log `name`: an existing one to resume, else a new file, which must not exist. A run
 * that resumes without an image may also begin a log that is missing. @return NULL after fail(). */
static FILE *open_log(struct checkpoint *c, const char *name, bool resume) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", c->directory, name);
    errno = 0;
    FILE *f = fopen(path, resume ? "r+e" : "w+xe");
    if (!f && resume && errno == ENOENT && !c->resumed) f = fopen(path, "w+xe");
    if (!f) fail(c, resume ? "open" : "make", name);
    return f;
}

/* Truncates the logs to what the image covers; the run writes the rest again. @return the error of
 * fail(): a log is shorter than that. */
static heddle_err cut_logs(struct checkpoint *c) {
    uint64_t bytes = c->resumed * sizeof(struct checkpoint_launch);
    struct stat launches, answers;
    errno = 0;
    if (fstat(fileno(c->launches), &launches) || (uint64_t)launches.st_size < bytes ||
        ftruncate(fileno(c->launches), (off_t)bytes))
        return fail(c, "resume from", "launches");
    errno = 0;
    if (fstat(fileno(c->answers), &answers) || (uint64_t)answers.st_size < c->image.answered ||
        ftruncate(fileno(c->answers), (off_t)c->image.answered))
        return fail(c, "resume from", "answers");
    return HEDDLE_OK;
}

/* Looks for the two newest images in the directory and opens the newest that is whole: sets
 * c->image, c->latest, c->resumed and c->replays. Without a whole image c->resumed stays 0, and the
 * run begins afresh. @return HEDDLE_ERR_IO, with text in diag, if the directory cannot be read. */
static heddle_err find_image(struct checkpoint *c, struct heddle_diag *diag) {
    struct dirent *entry;
    DIR *d = opendir(c->directory);
    if (!d)
        return heddle_fail(diag, HEDDLE_ERR_IO, "--resume: cannot read %s: %s", c->directory,
                           strerror(errno));
    while ((entry = readdir(d))) {
        char *end;
        if (strncmp(entry->d_name, "image-", 6)) continue;
        uint64_t n = strtoull(entry->d_name + 6, &end, 10);
        if (*end || !n) continue;
        if (n > c->latest[1]) {
            c->latest[0] = c->latest[1];
            c->latest[1] = n;
        } else if (n > c->latest[0]) {
            c->latest[0] = n;
        }
    }
    closedir(d);
    for (unsigned i = 2; i-- > 0;) {
        if (!c->latest[i]) continue;
        if (checkpoint_image_open(&c->image, c->directory, c->latest[i])) {
            c->resumed = c->latest[i];
            break;
        }
        c->latest[i] = 0; /* damaged: the one before it */
    }
    if (!c->latest[1]) {
        c->latest[1] = c->latest[0];
        c->latest[0] = 0;
    }
    c->replays = c->resumed != 0;
    return HEDDLE_OK;
}

/* Opens the files of `directory`: creates new logs or, with `resume`, opens the newest whole image
 * and truncates the logs to it. `every`: launches from one checkpoint to the next. @return
 * HEDDLE_ERR_IO, with text in diag (may be NULL) and *out NULL; without `resume` also when a log
 * exists. */
heddle_err checkpoint_open(struct checkpoint **out, const char *directory, uint64_t every,
                           bool resume, struct heddle_diag *diag) {
    struct checkpoint *c = heddle_alloc(sizeof *c, "checkpoints");
    *out = NULL;
    c->directory = heddle_copy_text(directory, "checkpoints");
    c->every = c->due = every;
    heddle_err e = resume ? find_image(c, diag) : HEDDLE_OK;
    if (!e) c->launches = open_log(c, "launches", resume);
    if (!e && c->launches) c->answers = open_log(c, "answers", resume);
    if (!e && resume && c->answers) cut_logs(c);
    if (!e && c->failed.err) {
        e = c->failed.err;
        if (diag) *diag = c->failed;
    }
    if (e)
        checkpoint_free(c);
    else
        *out = c;
    return e;
}

/* Closes the logs and the image; the files stay. Accepts NULL. */
void checkpoint_free(struct checkpoint *c) {
    if (!c) return;
    if (c->launches) fclose(c->launches);
    if (c->answers) fclose(c->answers);
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

/* The replaying run has reached its image: loads memory and *b from it, closes it, and sets the
 * logs to append. @return HEDDLE_ERR_STOPPED if the program got another number of bytes of answers
 * than before, HEDDLE_ERR_IO if a file cannot be read; c->failed has the text. Memory may then be
 * partly loaded. */
static heddle_err reach(struct checkpoint *c, struct checkpoint_boundary *b) {
    if (!checkpoint_image_load(&c->image, &c->memory)) return fail(c, "read", c->image.name);
    if (c->answered != c->image.answered) {
        heddle_fail(&c->failed, HEDDLE_ERR_STOPPED,
                    "--resume: calls have brought %llu bytes to the program up to launch %llu, "
                    "%llu when the checkpoint was written: the program does not do what it did",
                    (unsigned long long)c->answered, (unsigned long long)c->resumed,
                    (unsigned long long)c->image.answered);
        return c->failed.err;
    }
    *b = c->image.boundary;
    checkpoint_image_close(&c->image);
    c->replays = false;
    if (fseek(c->launches, 0, SEEK_END) || fseek(c->answers, 0, SEEK_END))
        return fail(c, "write", "launches");
    return HEDDLE_OK;
}

/* Forces a file's contents to the disk. */
static bool to_disk(FILE *f) {
    return fflush(f) == 0 && fdatasync(fileno(f)) == 0;
}

/* Writes a checkpoint: appends `count` launches to their log, forces both logs to the disk, writes
 * the image, and deletes the image before the last two. @return the error of fail(), after which
 * the log may hold part of the launches. */
static heddle_err write_all(struct checkpoint *c, const struct checkpoint_boundary *b,
                            const struct checkpoint_launch *launches, size_t count) {
    errno = 0;
    if (fwrite(launches, sizeof *launches, count, c->launches) != count || !to_disk(c->launches))
        return fail(c, "write", "launches");
    if (!to_disk(c->answers)) return fail(c, "write", "answers");
    const struct checkpoint_image image = {.boundary = *b, .answered = c->answered};
    if (!checkpoint_image_write(&image, c->directory, &c->memory))
        return fail(c, "write an image into", "");
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

/* The record of launch `launch` while the run replays, read from the log into c->past; valid until
 * the next call. @return NULL: the launch is not before the image, or the run does not replay (*err
 * HEDDLE_OK), or anything has failed (*err: the sticky error). */
const struct checkpoint_launch *checkpoint_past(struct checkpoint *c, uint64_t launch,
                                                heddle_err *err) {
    *err = c->failed.err;
    if (!c->replays || launch >= c->resumed || *err) return NULL;
    errno = 0;
    if (fseek(c->launches, (long)(launch * sizeof c->past), SEEK_SET) ||
        fread(&c->past, sizeof c->past, 1, c->launches) != 1) {
        *err = fail(c, "read", "launches");
        return NULL;
    }
    return &c->past;
}

/* @return the FNV-1a hash (64 bits) of a kernel's name, which stands for it in the log. */
uint64_t checkpoint_name_sum(const char *name) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++) sum = (sum ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return sum;
}

/* server_options.answer (`user`: the struct checkpoint): the server calls it before it returns
 * `count` bytes to the program, on its own thread or, in a copy, on the simulation's; never on both
 * at once. Appends them to the log or, while the run replays,
 * replaces them in place by the logged ones. Counts them in c->answered. Fails, silently until
 * checkpoint_failed(): HEDDLE_ERR_IO, or STOPPED if the log has another number of bytes. */
void checkpoint_answer(void *user, void *bytes, uint32_t count) {
    struct checkpoint *c = user;
    uint32_t before = count;
    if (c->failed.err) return;
    errno = 0;
    if (!c->replays) {
        if (fwrite(&count, sizeof count, 1, c->answers) != 1 ||
            fwrite(bytes, 1, count, c->answers) != count)
            fail(c, "write", "answers");
    } else if (fread(&before, sizeof before, 1, c->answers) != 1 || before != count ||
               fread(bytes, 1, count, c->answers) != count) {
        heddle_fail(&c->failed, HEDDLE_ERR_STOPPED,
                    "--resume: a call brings %u bytes to the program where it brought %u when the "
                    "checkpoint was written: the program does not do what it did",
                    count, before);
    }
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
