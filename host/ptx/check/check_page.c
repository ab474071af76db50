/* check_page.c - prints the tables of the check as a page. `heddle config --page ptx` calls it. */
#include "ptx/check/check_page.h"

#include <stddef.h>
#include <string.h>

static const char head[] =
    "# PTX: forms, versions and targets\n"
    "\n"
    "Generated from `host/tables/ptx_forms.def` and `host/tables/ptx_gates.def` by `heddle config\n"
    "--page ptx`.\n"
    "\n"
    "Heddle checks PTX as NVIDIA's `ptxas` does before it compiles it (`host/ptx/check`): every "
    "name\n"
    "is declared, once in a block; an operand is what the instruction takes there; modifiers go\n"
    "together; numbers fit into 64 bits or a double; the module's `.version` and `.target` have "
    "the\n"
    "instruction. An instruction of no row below is refused by its name.\n"
    "\n"
    "The rules of types, as `ptxas` applies them: a register of untyped bits agrees with every "
    "type\n"
    "of its size; signed and unsigned agree with each other; a float agrees with itself and with\n"
    "bits. A wider register may stand in `ld`, `st` and `cvt`, but no wider float for a float. An\n"
    "integer constant is cut to the size of its operand, as by `ptxas`. `.f16x2` stands for "
    "`.b32`;\n"
    "`.bf16`, `.tf32` and 8-bit floats are held in registers of bits.\n"
    "\n"
    "`ptx_mutants` (`tests/ptxas`) puts faults into statements and declarations, and compares\n"
    "Heddle's verdicts with those of `ptxas`. The test `full.ptxas` asks about 20,600 of them;\n"
    "`ptxas.list` needs no `ptxas`. Heddle refuses some PTX that `ptxas` accepts, with a message:\n"
    "`ld`, `st` and `mov` of one register in braces; the name of a function or variable with an\n"
    "offset as an operand of arithmetic; a special register in place of an address; modifiers\n"
    "written twice; addresses in 8 and 16-bit registers; a floating-point number for a function's\n"
    "parameter of bits of another size; and what [limits.md](limits.md) lists.\n"
    "\n"
    "Newer versions and targets than the tables have are let pass, because programs of a newer\n"
    "toolkit may use nothing else that is new. `ptxas` refuses them.\n"
    "\n"
    "## Locked stores\n"
    "\n"
    "Heddle adds one form to PTX, a pragma that `ptxas` ignores with a warning. Right before a "
    "store\n"
    "(`st`) to global memory it makes that a *locked* store:\n"
    "\n"
    "    .pragma \"heddle_locked\";\n"
    "    st.release.sys.global.u32 [%rd1], %r1;\n"
    "\n"
    "or in CUDA C++:\n"
    "\n"
    "    asm volatile(\".pragma \\\"heddle_locked\\\";\\n\\t\"\n"
    "                 \"st.release.sys.global.u32 [%0], %1;\" : : \"l\"(p), \"r\"(value) : "
    "\"memory\");\n"
    "\n"
    "It stores what the same store without it does. Its lines are *pinned*: L2 replaces none of "
    "them\n"
    "until a core of the command processor reads or writes it, or until no kernel runs any more\n"
    "([timing-model.md](timing-model.md), rule 9). The GPU's parameter `l2.max_pinned_ways` bounds "
    "the\n"
    "pinned ways of a set; with 0, or beyond it, a locked store is a plain one. The statistics\n"
    "`l2_pins`, `l2_pins_refused`, `l2_pins_dropped` and `l2_pin_cycles` count. The pragma before\n"
    "anything else is an error.\n";

static const char forms_head[] =
    "\n## Forms\n"
    "\n"
    "Modifiers in brackets may be missing; `a|b`: one of them; a leading dot: at this place "
    "behind\n"
    "the operation; `$name`: the words of a set. Operands: `d` register written, `s` register or\n"
    "number read, `D` and `S` the same or wider, `r` register read, `p` and `q` predicate read, "
    "`P`\n"
    "predicate written, `m` and `n` what `mov` copies and writes, `c` as `S` or a special "
    "register,\n"
    "`k` count, `V W X Y` a value or vector in memory, `a` address, `T U` texture with "
    "coordinates,\n"
    "`e E g` of video instructions, `v` value or variable, `x y z` as the table's head says, `h`\n"
    "cache policy, `i` integer, `l` label, `t` list of labels. Behind the letter: the number of "
    "the\n"
    "type suffix, `x` for twice its size, or `:type`; `_`: may be `_`; `/`, `|`, `&`: a second\n"
    "result may or must follow; `=0..15`: bounds; `%`: multiple. `?`: may be missing, with all\n"
    "behind it. `4*`: a vector of four.\n"
    "\n"
    "| set | words |\n|---|---|\n";

/* Writes a text with its bars escaped, for a table. */
static void put(FILE *out, const char *text) {
    for (; *text; text++) fprintf(out, *text == '|' ? "\\|" : "%c", *text);
}

/* Writes the name of an operation: without the _ that makes it an identifier. */
static void put_word(FILE *out, const char *word) {
    size_t n = strlen(word);
    fprintf(out, "| %.*s | ", (int)(word[n - 1] == '_' ? n - 1 : n), word);
}

static void put_version(FILE *out, unsigned version) {
    if (version)
        fprintf(out, " %u.%u |", version / 10, version % 10);
    else
        fprintf(out, " |");
}

static void put_gate(FILE *out, const char *word, const char *what, unsigned version,
                     unsigned target) {
    put_word(out, word);
    put(out, what);
    fprintf(out, " |");
    put_version(out, version);
    if (target)
        fprintf(out, " sm_%u |\n", target);
    else
        fprintf(out, " |\n");
}

static void put_ended(FILE *out, const char *word, const char *what, const char *but,
                      unsigned version, unsigned target) {
    put_word(out, word);
    fprintf(out, "%s | %s |", what, but);
    put_version(out, version);
    if (target)
        fprintf(out, " sm_%u |\n", target);
    else
        fprintf(out, " |\n");
}

static void put_forms(FILE *out) {
    fputs(forms_head, out);
#define SET(name, words)             \
    fprintf(out, "| $" #name " | "); \
    put(out, words);                 \
    fprintf(out, " |\n");
#define FORM(word, modifiers, operands)
#include "tables/ptx_forms.def"
#undef FORM
#undef SET
    fputs("\n| operation | modifiers | operands |\n|---|---|---|\n", out);
#define SET(name, words)
#define FORM(word, modifiers, operands) \
    put_word(out, #word);               \
    put(out, modifiers);                \
    fprintf(out, " | ");                \
    put(out, operands);                 \
    fprintf(out, " |\n");
#include "tables/ptx_forms.def"
#undef FORM
#undef SET
}

void check_print_page(FILE *out) {
    fputs(head, out);
    fputs("\n## Versions and targets\n\nWhat needs at least this `.version` and `.target`:\n\n"
          "| operation | modifiers | version | target |\n|---|---|---|---|\n",
          out);
#define GATE(word, modifiers, version, target) put_gate(out, #word, modifiers, version, target);
#define OPERANDS(word, number, version, target) \
    put_gate(out, #word, "with " #number " operands", version, target);
#define REGISTER(name, version, target) put_gate(out, "special register", name, version, target);
#define TYPE(word, version, target) put_gate(out, "type", #word, version, target);
#include "tables/ptx_gates.def"
    fputs("\nWhat ended, with this `.version` and from this `.target` on:\n\n"
          "| operation | modifiers | without | version | target |\n|---|---|---|---|---|\n",
          out);
#define UNTIL(word, modifiers, but, version, target) \
    put_ended(out, #word, modifiers, but, version, target);
#include "tables/ptx_gates.def"
    fputs("\nThe first version that has a target:\n\n| target | version |\n|---|---|\n", out);
#define TARGET(target, version)        \
    fprintf(out, "| sm_%d |", target); \
    put_version(out, version);         \
    fprintf(out, "\n");
#include "tables/ptx_gates.def"
    put_forms(out);
}
