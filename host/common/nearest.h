/* nearest.h - the name that a misspelt word may stand for. */
#ifndef HEDDLE_COMMON_NEAREST_H
#define HEDDLE_COMMON_NEAREST_H

/* Name i of the table `user`; an empty text is no name. */
typedef const char *(*nearest_name_fn)(const void *user, unsigned i);

/* The name, of count >= 1, that is nearest to the word by letters to change, add or remove; the
 * first of equals. */
const char *nearest_name(const char *word, nearest_name_fn name, const void *user, unsigned count);

/* The same, if it is so near that it may be meant: at most half of the word's letters differ, or it
 * begins with the word. NULL: none is. */
const char *nearest_close(const char *word, nearest_name_fn name, const void *user, unsigned count);

#endif
