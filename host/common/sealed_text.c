/* sealed_text.c - writes and checks the checksum of a JSON file; see sealed_text.h. cli/resume.c
 * and sweep/sweep_record.c call it. */
#define _GNU_SOURCE
#include "common/sealed_text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/crc32c.h"
#include "common/memory.h"
#include "common/output_file.h"

enum { MOST = 64 << 20, END = 80 }; /* bytes of a file that are read; room for its end */

/* Formats the end of a file whose other bytes have the checksum. @return its length. */
static size_t end_of(char out[END], uint32_t sum) {
    return (size_t)snprintf(
        out, END, " \"checksum\": \"crc32c %08x of all bytes before this line\"\n}\n", sum);
}

heddle_err sealed_text_write(const char *path, const char *text, struct heddle_diag *diag) {
    struct output_file o;
    char end[END];
    size_t n = strlen(text);
    assert(n > 2 && !strcmp(text + n - 2, "\n}"));
    heddle_err e = output_file_open(&o, path, OUTPUT_OWN, diag);
    if (e) return e;
    uint32_t sum = crc32c(crc32c(0, text, n - 2), ",\n", 2);
    fwrite(text, 1, n - 2, o.f);
    fputs(",\n", o.f);
    end_of(end, sum);
    fputs(end, o.f);
    return output_file_commit(&o, true, diag);
}

/* Reads all bytes of a regular file, with a 0 behind them, which the caller frees. @return NULL,
 * with errno; EFBIG beyond MOST bytes. */
static char *read_all(const char *path, size_t *size) {
    struct stat st;
    char *text = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    int error = errno;
    if (f && (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > MOST)) {
        error = EFBIG;
    } else if (f && (text = malloc((size_t)st.st_size + 1))) {
        *size = fread(text, 1, (size_t)st.st_size, f);
        text[*size] = '\0';
        error = ferror(f) ? EIO : 0;
    } else if (f) {
        error = ENOMEM;
    }
    if (error) {
        free(text);
        text = NULL;
    }
    if (f)
        fclose(f);
    else if (fd >= 0)
        close(fd);
    errno = error;
    return text;
}

heddle_err sealed_text_read(const char *path, const char *remedy, char **text, size_t *size,
                            struct heddle_diag *diag) {
    char end[END];
    *text = read_all(path, size);
    if (!*text) {
        int error = errno;
        heddle_fail(diag, HEDDLE_ERR_IO, "cannot read %s: %s", path, strerror(error));
        errno = error;
        return HEDDLE_ERR_IO;
    }
    size_t length = end_of(end, 0);
    if (*size >= length) {
        end_of(end, crc32c(0, *text, *size - length));
        if (memcmp(*text + *size - length, end, length) == 0 && strlen(*text) == *size)
            return HEDDLE_OK;
    }
    free(*text);
    *text = NULL;
    errno = 0;
    return heddle_fail(diag, HEDDLE_ERR_IO, "%s is damaged: its checksum is wrong; %s", path,
                       remedy);
}
