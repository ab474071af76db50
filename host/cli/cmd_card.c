/* cmd_card.c - `heddle card check`: first light for a person with a card. It goes from the library
 * to whole streams and stops at the first thing that does not work, with a line for each. main()
 * calls cli_card_check() on the main thread. Results go to standard output. */
#include <glib.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "cli/cards.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "timing/first_light.h"

enum {
    MEMORY_BYTES = 1 << 20, /* of each pattern */
    SHORT_STREAM = 50,      /* instructions of a warp in the first stream that measures speed; */
    LONGEST_STREAM = SHORT_STREAM * 512, /* each is eight times the one before, until one takes */
};

#define LONG_ENOUGH 0.25 /* seconds */

/* The streams on record. */
static const struct stream {
    uint32_t sub_cores, seed;
    struct first_light result;
} streams[] = {
#define STREAM(sub_cores, seed, issued, cycles, issue_hash, slice_hash) \
    {sub_cores, seed, {issued, issue_hash, slice_hash, cycles, 0}},
#include "tables/card_streams.def"
};

/* The command line. */
struct card_options {
#define OPTION CLI_MEMBER
#include "tables/options/card_check.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct card_options, __VA_ARGS__)
#include "tables/options/card_check.def"
};

/* Prints one line of the result, or with --json adds it to `steps`. @return `good`. */
static bool line(json_t *steps, bool good, const char *what, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static bool line(json_t *steps, bool good, const char *what, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    gchar *text = g_strdup_vprintf(format, arguments);
    va_end(arguments);
    if (steps) {
        json_array_append_new(steps,
                              json_pack("{s:s, s:b, s:s}", "step", what, "ok", good, "text", text));
    } else {
        printf("%-8s %-10s %s\n", good ? "ok" : "FAILED", what, text);
        fflush(stdout); /* the next step may take long */
    }
    g_free(text);
    return good;
}

/* ---------------------------------------------------------------------------- the steps */

/* Opens and closes the core; *info: what it says of itself. */
static bool check_identity(json_t *steps, const struct core_options *o, struct core_info *info) {
    struct core *core;
    struct heddle_diag diag;
    if (core_create(&core, o, &diag)) return line(steps, false, "identity", "%s", diag.text);
    *info = *core_info(core);
    core_free(core);
    return line(steps, true, "identity",
                "version %u, build id 0x%08x: %u SMs of %u sub-cores, %u L2 slices, %u sets, %u "
                "requests, %u bits of time",
                info->version, info->build_id, info->max_sms, info->sub_cores, info->max_slices,
                info->max_sets, info->max_requests, info->time_bits);
}

/* Copies patterns to the card and back, where the rings need that. */
static bool check_memory(json_t *steps, const struct core_options *o,
                         const struct core_info *info) {
    struct heddle_diag diag;
    if (!info->rings_on_card)
        return line(steps, true, "memory",
                    "rings lie in the host's memory: there is nothing to copy");
    if (first_light_memory(o, MEMORY_BYTES, &diag))
        return line(steps, false, "memory", "%s", diag.text);
    return line(steps, true, "memory",
                "rings lie on the card; 3 patterns of %u KiB went there and back",
                MEMORY_BYTES / 1024);
}

/* Runs the streams on record and compares. */
static bool check_streams(json_t *steps, const struct core_options *o,
                          const struct core_info *info) {
    uint64_t issued = 0;
    unsigned count = 0;
    for (unsigned i = 0; i < G_N_ELEMENTS(streams); i++) {
        const struct stream *s = &streams[i];
        if (s->sub_cores != info->sub_cores) continue;
        count++;
        struct first_light r;
        struct heddle_diag diag;
        if (first_light_stream(o, s->seed, &r, &diag))
            return line(steps, false, "streams", "stream %u: %s", s->seed, diag.text);
        if (r.issued != s->result.issued || r.cycles != s->result.cycles ||
            r.issue_hash != s->result.issue_hash || r.slice_hash != s->result.slice_hash)
            return line(steps, false, "streams",
                        "stream %u: %lu warp instructions, %u cycles, hashes %016lx %016lx; on "
                        "record: %lu, %u, %016lx %016lx",
                        s->seed, r.issued, r.cycles, r.issue_hash, r.slice_hash, s->result.issued,
                        s->result.cycles, s->result.issue_hash, s->result.slice_hash);
        issued += r.issued;
    }
    return line(steps, count, "streams", "%u of %u as on record, %lu warp instructions", count,
                count, issued);
}

/* Measures the core's clock and rate with a stream that takes long enough. */
static bool check_speed(json_t *steps, const struct core_options *o) {
    struct first_light r = {0};
    struct heddle_diag diag;
    double seconds = 0;
    for (unsigned n = SHORT_STREAM; n <= LONGEST_STREAM && seconds < LONG_ENOUGH; n *= 8)
        if (first_light_speed(o, n, &r, &seconds, &diag))
            return line(steps, false, "rate", "%s", diag.text);
    line(steps, true, "clock", "at least %.1f MHz: %lu clocks of the core in %.2f s",
         (double)r.clocks / seconds / 1e6, r.clocks, seconds);
    return line(steps, true, "rate", "%.2f million warp instructions/s: FFMA, %.2f clocks each",
                (double)r.issued / seconds / 1e6, (double)r.clocks / (double)r.issued);
}

/* All steps for one card, printed or added to `cards`. @return false: one failed. */
static bool check_card(json_t *cards, const struct core_options *o) {
    struct core_info info = {0};
    json_t *steps = cards ? json_array() : NULL;
    if (!cards) printf("card %u, %s\n", o->device, o->library);
    bool good = check_identity(steps, o, &info) && check_memory(steps, o, &info) &&
                check_streams(steps, o, &info) && check_speed(steps, o);
    if (cards)
        json_array_append_new(cards, json_pack("{s:i, s:s, s:b, s:o}", "card", (int)o->device,
                                               "library", o->library, "ok", good, "steps", steps));
    else if (!good)
        printf("\nThe steps behind it were not tried. docs/card.md says what to look at.\n");
    return good;
}

/* Prints the core's rows of tables/card_streams.def. @return false after an error. */
static bool record(const struct core_options *o) {
    struct core_info info = {0};
    if (!check_identity(NULL, o, &info)) return false;
    for (uint32_t seed = 1; seed <= 20; seed++) {
        struct first_light r;
        struct heddle_diag diag;
        if (first_light_stream(o, seed, &r, &diag)) {
            cli_error("stream %u: %s", seed, diag.text);
            return false;
        }
        printf("STREAM(%u, %2u, %4lu, %5u, 0x%016lx, 0x%016lx)\n", info.sub_cores, seed, r.issued,
               r.cycles, r.issue_hash, r.slice_hash);
    }
    return true;
}

/* ---------------------------------------------------------------------------- the command */

/* Checks the cards of the list one after the other. @return the exit status. */
static int check(const struct card_options *o, const char *emulation) {
    unsigned cards[CARDS_MAX], count;
    if (!cards_read(o->card ? o->card : "0", cards, &count)) return EXIT_HEDDLE;
    int status = 0;
    json_t *all = o->json ? json_array() : NULL;
    for (unsigned i = 0; i < count; i++) {
        const struct core_cards c = cards_cores(cards, o->emulation ? emulation : o->backend,
                                                o->image);
        const struct core_options core = {.library = c.library,
                                          .image = c.image,
                                          .device = cards[i],
                                          .rings = c.rings,
                                          .run_timeout_ms = c.run_timeout_ms};
        if (i && !all) printf("\n");
        if (o->record ? !record(&core) : !check_card(all, &core)) status = EXIT_HEDDLE;
    }
    if (all) {
        json_dumpf(all, stdout, JSON_INDENT(2));
        printf("\n");
    }
    json_decref(all);
    return status;
}

int cli_card_check(int argc, char **argv) {
    struct card_options o = {0};
    struct cli_paths paths;
    int status;
    gchar *emulation = NULL;
    if (!cli_options(CLI(card_check), places, &o, &argc, &argv, &status))
        ; /* an error or --help, already printed */
    else if (argc > 1)
        status = cli_error("heddle card check takes no argument such as '%s'", argv[1]);
    else if (o.emulation && (o.backend || o.image))
        status = cli_error("--emulation excludes %s", o.backend ? "--backend" : "--image");
    else if (o.json && o.record)
        status = cli_error("--record excludes --json");
    else if (!cli_find_paths(&paths))
        status = cli_error("cannot find out where Heddle is installed");
    else {
        emulation = g_build_filename(paths.lib, core_emulation(4), NULL);
        status = check(&o, emulation);
    }
    g_free(emulation);
    cli_options_free(CLI(card_check), places, &o);
    return status;
}
