/* frames.h - frames and their statements, from the forms of tests/unit/ptx and from PTX files. */
#ifndef TESTS_PTXAS_FRAMES_H
#define TESTS_PTXAS_FRAMES_H

#include "ptxas/judge.h"

/* A frame and statements that are valid in it. */
struct source {
    char *name;
    struct frame frame;
    GPtrArray *statement; /* char * */
};

/* Appends the source of all forms in the folder `forms`. Stops the process where there are none. */
void sources_of_forms(GPtrArray *all, const char *forms);
/* The frame of the forms alone, for the file of mutants. The caller frees its texts. */
struct frame forms_frame(void);
/* Appends a source for each kernel of a PTX file. Statements in nested braces are one statement.
 * sm_70 becomes sm_75, which today's ptxas still assembles. */
void sources_of_file(GPtrArray *all, const char *file);

#endif
