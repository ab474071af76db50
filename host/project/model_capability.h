/* model_capability.h - what projection wants to know of a simulated GPU and no program can ask:
 * from the model's parameters. */
#ifndef HEDDLE_PROJECT_MODEL_CAPABILITY_H
#define HEDDLE_PROJECT_MODEL_CAPABILITY_H

#include "common/config.h"
#include "project/capability.h"

/* Sets the properties of *c that are not known yet and that the model has, and the peaks that
 * follow from its pipes and widths. Their status is "derived". `file`: the model's file, for the
 * sources. Peaks of matrix instructions and of device memory stay as they are: the model has no
 * parameter for them but what it reaches. */
void model_capability_add(struct capability *c, const struct config *model, const char *file);

#endif
