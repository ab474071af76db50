/* run_text.h - directories with reports of runs that tests write, and what is read from them. */
#ifndef HEDDLE_TESTS_RUNS_RUN_TEXT_H
#define HEDDLE_TESTS_RUNS_RUN_TEXT_H

#include "runs/run_load.h"

/* A launch or sum of launches as JSON, without the outer braces: a kernel of name and grid, with
 * `launches` launches of `cycles` cycles each, of which 100 are launch overhead; half of the
 * execution issued, `memory` of 1000 waited for memory, and the rest had no warp. `more`: further
 * members, with a comma in front, or "". The text is static and valid until the next call but
 * seven. */
const char *run_text_group(const char *name, unsigned grid, unsigned launches, unsigned cycles,
                           unsigned memory, const char *more);

/* Makes a new directory with a report: `run` has further members of the run, and `more` further
 * members of the report, each with a comma in front, or "". `groups` are objects with commas
 * between them. @return its path: static, valid until the next call but three. */
const char *run_text_write(const char *run, const char *groups, const char *more);
/* Writes a file into a directory. */
void run_text_put(const char *directory, const char *name, const char *text);
/* Loads a run that must be good. */
struct run_file run_text_load(const char *directory);
/* Removes a directory with its files. */
void run_text_remove(const char *directory);

#endif
