// cc_command.h - command lines that heddle-cc builds up and runs: a growing list of words, and one
// child process.
#ifndef HEDDLE_CC_COMMAND_H
#define HEDDLE_CC_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

// A list of words that ends with NULL, as exec requires it. The words are borrowed.
// Zero-initialise; free with cc_words_free.
struct cc_words {
    const char **word;
    size_t count; // words, without the NULL
    size_t room;  // allocated pointers
};

void cc_words_add(struct cc_words *words, const char *word);
void cc_words_append(struct cc_words *words, const struct cc_words *more);
void cc_words_free(struct cc_words *words);

// Formats into a new string that the caller frees; ends the program when memory runs out.
char *cc_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints one line to stderr, "heddle-cc: ..." with a newline.
void cc_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

// Prints the words to stderr, quoted for a shell.
void cc_words_print(const struct cc_words *words);

// Runs the command and waits for it. On failure prints "heddle-cc: STEP failed (why)" and the
// command. An interrupt reaches the child; this program lives on to clean up.
// @return true if it exited with status 0
bool cc_run(const struct cc_words *words, const char *step, bool verbose);

// As cc_run, but the child's stderr goes to the file `said` (NULL: to this program's), and a
// failure is not reported, so that the caller can read the file first and then call cc_report.
// @return the child's wait status, 0 for success, or -errno if it could not be started
int cc_run_quietly(const struct cc_words *words, const char *said, bool verbose);

// Names the failed step, why it failed (a result of cc_run_quietly) and the command.
void cc_report(const struct cc_words *words, const char *step, int result);

#endif
