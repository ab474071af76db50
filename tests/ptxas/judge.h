/* judge.h - what ptxas and Heddle say of a statement in a frame, or of a module.
 *
 * A frame is a kernel without its statements; a statement is accepted if the frame with it in
 * braces is. ptxas reports all errors of a file with their lines, so one start of it judges many
 * statements. Messages are GLib's texts, NULL where accepted; the caller frees them. */
#ifndef TESTS_PTXAS_JUDGE_H
#define TESTS_PTXAS_JUDGE_H

#include <glib.h>

/* A kernel without statements: `before` ends behind its declarations, `after` begins behind its
 * statements. `target` is what ptxas assembles for: "sm_90a". */
struct frame {
    char *before, *after, *target;
};

/* In the message of a statement by which ptxas was ended (a signal): no verdict. */
#define PTXAS_CRASHED "ptxas crashed"

/* Asks ptxas about n statements in one frame: message[i] becomes its message. Stops the process
 * where ptxas cannot be run. */
void judge_ptxas(const char *ptxas, const struct frame *f, char *const *statement, unsigned n,
                 char **message);

/* Asks ptxas about a whole module. */
char *judge_ptxas_module(const char *ptxas, const char *text, const char *target);

/* Asks Heddle. */
char *judge_heddle(const struct frame *f, const char *statement);
char *judge_heddle_module(const char *text);

#endif
