/* revision.h - which Heddle this is. */
#ifndef HEDDLE_CLI_REVISION_H
#define HEDDLE_CLI_REVISION_H

/* The revision of the source that was built: git's short hash, with "-changed" if files differed
 * from it; "no revision" for a source without git. */
extern const char heddle_revision[];

#endif
