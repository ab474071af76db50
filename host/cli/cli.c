/* cli.c - error messages, installation paths and out-of-memory handling of the command `heddle`;
 * contracts in cli.h.
 *
 * All of host/cli runs on the main thread of the process `heddle`, except where a comment says
 * otherwise (launcher.c, callbacks of run_setup.c). */
#include "cli/cli.h"

#include <glib.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* Prints "heddle: error: ", the message and a newline on standard error. @return EXIT_HEDDLE. */
int cli_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("heddle: error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_HEDDLE;
}

/* Fills *out from the path of the executable PREFIX/bin/heddle (/proc/self/exe). @return false: the
 * path is unknown or too long. The directories need not exist. */
bool cli_find_paths(struct cli_paths *out) {
    char exe[400];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0 || n == sizeof exe - 1) return false; /* no link, or cut off */
    exe[n] = '\0';
    for (int up = 0; up < 2; up++) { /* strips bin/heddle */
        char *slash = strrchr(exe, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    snprintf(out->lib, sizeof out->lib, "%s/lib", exe);
    snprintf(out->gpus, sizeof out->gpus, "%s/share/heddle/gpus", exe);
    snprintf(out->capabilities, sizeof out->capabilities, "%s/share/heddle/capabilities", exe);
    snprintf(out->networks, sizeof out->networks, "%s/share/heddle/networks", exe);
    snprintf(out->nodes, sizeof out->nodes, "%s/share/heddle/nodes", exe);
    snprintf(out->policies, sizeof out->policies, "%s/share/heddle/policies", exe);
    snprintf(out->include, sizeof out->include, "%s/include", exe);
    return true;
}

unsigned cli_width(void) {
    enum { USUAL = 80 };
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_col)
        return size.ws_col;
    const int n = columns ? atoi(columns) : 0;
    return n > 0 && n < 10000 ? (unsigned)n : USUAL;
}

/* Jansson's allocator, called on any thread that makes JSON: zeroed memory; ends the process when
 * there is none. */
static void *json_block(size_t bytes) {
    return heddle_alloc(bytes, "a report");
}

/* GLib's log handler, called on the thread that logs. g_malloc() logs "FILE:LINE: failed to
 * allocate N bytes" when out of memory: then the process ends as heddle_out_of_memory() does. Other
 * messages go to GLib's own handler. */
static void on_glib_message(const gchar *domain, GLogLevelFlags level, const gchar *message,
                            gpointer user) {
    const char *failed = message ? strstr(message, "failed to allocate ") : NULL;
    if (failed || !message)
        heddle_out_of_memory("GLib", failed ? strtoul(failed + 19, NULL, 10) : 0);
    g_log_default_handler(domain, level, message, user);
}

/* Installs the two functions above in Jansson and GLib, for the whole process. */
void cli_begin(void) {
    json_set_alloc_funcs(json_block, free);
    g_log_set_default_handler(on_glib_message, NULL);
}
