/* application.h - the whole application on the targets: its kernels, copies and gaps in the order
 * of the source's timeline. */
#ifndef HEDDLE_PROJECT_APPLICATION_H
#define HEDDLE_PROJECT_APPLICATION_H

#include "project/project.h"

/* Begin of the first step to end of the last one, us; 0: the profile has no timeline. */
double application_span(const struct project_kernels *kernels);

/* Fills r->application_us and r->application[] from the kernels' projections and the timeline.
 * Without a timeline, or when a kernel was refused, both stay 0. Allocates memory while it runs. */
void application_project(struct project_results *r);

#endif
