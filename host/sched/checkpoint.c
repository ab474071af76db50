/* checkpoint.c - see checkpoint.h: the log of launches and answers, and the checkpoints' files.
 *
 * `heddle run` opens it, gpu_checkpoint.c calls it at boundaries, launch_way.c at launches, the
 * server for each answer. A run replays (c->replays) from its begin to the image from which it
 * resumes: it reads the logs; after that, and in a run that does not resume, it writes them. The
 * static functions read and write the files of c->directory and keep the first failure in
 * c->failed. */
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

/* Keeps the first failure, with errno's text (0: the file is too short). @return it. */
static heddle_err fail(struct checkpoint *c, const char *what, const char *name) {
    if (!c->failed.err)
        heddle_fail(&c->failed, HEDDLE_ERR_IO, "checkpoint: cannot %s %s/%s: %s", what,
                    c->directory, name, errno ? strerror(errno) : "it is too short");
    return c->failed.err;
}

/* Opens a log: an existing one to resume, else a new file, which must not exist. NULL: failed. */
static FILE *open_log(struct checkpoint *c, const char *name, bool resume) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", c->directory, name);
    errno = 0;
    FILE *f = fopen(path, resume ? "r+e" : "w+xe");
    if (!f && resume && errno == ENOENT && !c->resumed) f = fopen(path, "w+xe");
    if (!f) fail(c, resume ? "open" : "make", name);
    return f;
}

/* Truncates the logs to what the image covers; the run writes the rest again. */
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

/* Finds the two newest images of the directory and opens the newest one that is whole: sets
 * c->image, c->latest, c->resumed and c->replays. */
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

/* Opens or creates the logs; to resume it also opens the newest image and truncates the logs. */
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

void checkpoint_free(struct checkpoint *c) {
    if (!c) return;
    if (c->launches) fclose(c->launches);
    if (c->answers) fclose(c->answers);
    checkpoint_image_close(&c->image);
    free(c->directory);
    free(c);
}

/* Adds a memory file to those that images hold. */
heddle_err checkpoint_add_memory(struct checkpoint *c, int fd, void *mapping, uint64_t bytes) {
    if (c->memory.count == CHECKPOINT_MAX_REGIONS) return HEDDLE_ERR_ARGUMENT;
    c->memory.region[c->memory.count++] = (struct checkpoint_region){fd, mapping, bytes};
    return HEDDLE_OK;
}

/* ---- boundaries */

/* False once anything has failed. */
bool checkpoint_is_due(const struct checkpoint *c, uint64_t launch) {
    return launch >= c->due && !c->failed.err;
}

/* The replaying run has reached its image: loads memory and *b from it, checks that the program got
 * as many bytes of answers as before, and sets the logs to append. */
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

/* Writes a checkpoint: appends the launches to their log, forces both logs to the disk, writes the
 * image, and deletes the image before the last two. */
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

/* Passes a boundary: writes a checkpoint, or while the run replays, does nothing or reaches the
 * image. Schedules the next one. */
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

/* Reads a launch's record from the log, into c->past. */
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

/* FNV-1a of a kernel's name. */
uint64_t checkpoint_name_sum(const char *name) {
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++) sum = (sum ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
    return sum;
}

/* Logs an answer, or replaces it by the logged one; counts its bytes. */
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
/* The first failure; at the end of a run that still replays, that failure. */
const char *checkpoint_failed(const struct checkpoint *c) {
    if (c->failed.err) return c->failed.text;
    return c->replays
               ? "--resume: the program ended before the checkpoint: it does not do what it did"
               : NULL;
}
