/* help_shell.c - completions for bash and zsh, from the tables of commands and their options;
 * contracts in help.h. Names of GPUs come from `heddle gpus --names` when the shell needs them, so
 * that a GPU added later is among them. */
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"

/* ---- what both shells have */

/* The shell command that lists the names in a folder of share/heddle. */
static const char *folder_of(enum cli_words words) {
    switch (words) {
    case CLI_CAPABILITY: return "capabilities";
    case CLI_MEMORY: return "memory";
    case CLI_NETWORK: return "networks";
    case CLI_NODE: return "nodes";
    default: return "gpus";
    }
}

static bool is_named_file(enum cli_words words) {
    return words == CLI_GPU || words == CLI_CAPABILITY || words == CLI_MEMORY ||
           words == CLI_NETWORK || words == CLI_NODE;
}

/* A function that prints the names of files in a folder beside the `heddle` that is completed. */
static void print_names_function(FILE *out) {
    fputs(
        "_heddle_names() { # FOLDER\n"
        "    local heddle file\n"
        "    heddle=$(readlink -f \"$(command -v -- \"${1}\")\" 2>/dev/null) || return 0\n"
        "    for file in \"${heddle%/bin/*}/share/heddle/$2\"/*.ini; do\n"
        "        file=${file##*/}\n"
        "        printf '%s\\n' \"${file%.ini}\"\n"
        "    done\n"
        "}\n"
        "_heddle_keys() { \"$1\" config 2>/dev/null | sed -n 's/^\\([a-z0-9_.]*\\) *= .*/\\1=/p'; "
        "}\n",
        out);
}

/* ---- bash */

/* The case of an option: how its value is completed. */
static void bash_value(const struct cli_command *c, const struct cli_option *o, FILE *out) {
    fprintf(out, "        '%s:--%s'", c->name, o->name);
    if (o->letter) fprintf(out, " | '%s:-%c'", c->name, o->letter);
    fputs(") ", out);
    gchar *words = help_words(o, " ");
    if (words)
        fprintf(out, "words='%s'", words);
    else if (is_named_file(o->words))
        fprintf(out, "words=$(_heddle_names \"$1\" %s); kind=file", folder_of(o->words));
    else if (o->words == CLI_KEY)
        fputs("words=$(_heddle_keys \"$1\"); compopt -o nospace", out);
    else if (o->words == CLI_FILE)
        fputs("kind=file", out);
    else if (o->words == CLI_DIRECTORY)
        fputs("kind=directory", out);
    else
        fputs("kind=any", out);
    fputs(" ;;\n", out);
    g_free(words);
}

/* The case of a command: its options, and what its arguments are. */
static void bash_command(const struct cli_command *c, FILE *out) {
    fprintf(out, "        '%s') options='", c->name);
    for (const struct cli_option *o = c->options; o->name; o++)
        if (o->level != CLI_HIDDEN && *o->name) fprintf(out, "--%s ", o->name);
    fprintf(out, "--help --help-all' ;;\n");
}

void help_print_bash(FILE *out) {
    fputs("# bash completion for heddle; made from its tables of commands and options.\n", out);
    print_names_function(out);
    fputs("_heddle() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}\n"
          "    local command='' words='' options='' kind='' i first=2\n"
          "    if [ \"$cur\" = = ]; then # bash splits --option=value there\n"
          "        cur=''\n"
          "    elif [ \"$prev\" = = ]; then\n"
          "        prev=${COMP_WORDS[COMP_CWORD - 2]}\n"
          "    fi\n"
          "    case \"${COMP_WORDS[1]-} ${COMP_WORDS[2]-}\" in\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++)
        if (strchr(cli_commands[i].name, ' '))
            fprintf(out, "        '%s') command='%s' first=3 ;;\n", cli_commands[i].name,
                    cli_commands[i].name);
    fputs("        *) command=${COMP_WORDS[1]-} ;;\n"
          "    esac\n"
          "    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++)
        if (!strchr(cli_commands[i].name, ' ')) fprintf(out, "%s ", cli_commands[i].name);
    fputs("card --help --version' -- \"$cur\")\n"
          "        return\n"
          "    fi\n"
          "    if [ \"$COMP_CWORD\" -lt \"$first\" ] || [ \"$COMP_CWORD\" -eq 2 ]; then\n"
          "        case \"$command\" in\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) {
        const char *name = cli_commands[i].name, *blank = strchr(name, ' ');
        if (!blank) continue;
        fprintf(out, "            '%.*s' | '%s') words+=' %s' ;;\n", (int)(blank - name), name,
                name, blank + 1);
    }
    fputs("        esac\n"
          "    fi\n"
          "    for ((i = first; i < COMP_CWORD; i++)); do\n"
          "        [ \"${COMP_WORDS[i]}\" = -- ] && {\n"
          "            compopt -o filenames\n"
          "            mapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
          "            return\n"
          "        }\n"
          "    done\n"
          "    case \"$command:$prev\" in\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++)
        for (const struct cli_option *o = cli_commands[i].options; o->name; o++)
            if (o->level != CLI_HIDDEN && *o->value && o->type != CLI_OPTIONAL)
                bash_value(&cli_commands[i], o, out);
    fputs("        *) kind=option ;;\n"
          "    esac\n"
          "    if [ \"$kind\" = option ]; then\n"
          "        kind=file\n"
          "        case \"$command\" in\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) bash_command(&cli_commands[i], out);
    fputs("        esac\n"
          "        words+=\" $options\"\n"
          "    fi\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
          "    [ \"${#COMPREPLY[@]}\" -eq 0 ] || return\n"
          "    compopt -o filenames\n"
          "    case \"$kind\" in\n"
          "        file) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\") ;;\n"
          "        directory) mapfile -t COMPREPLY < <(compgen -d -- \"$cur\") ;;\n"
          "    esac\n"
          "}\n"
          "complete -F _heddle heddle\n",
          out);
}

/* ---- zsh */

/* A text inside a specification of _arguments, in single quotes. */
static void zsh_text(const char *text, FILE *out) {
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else if (strchr("[]:\\", *text))
            fprintf(out, "\\%c", *text);
        else
            fputc(*text, out);
    }
}

/* The action that completes an option's value. */
static void zsh_action(const struct cli_option *o, FILE *out) {
    gchar *words = help_words(o, " ");
    if (words)
        fprintf(out, "(%s)", words);
    else if (is_named_file(o->words))
        fprintf(out, "_heddle_file %s", folder_of(o->words));
    else if (o->words == CLI_KEY)
        fputs("_heddle_key", out);
    else if (o->words == CLI_DIRECTORY)
        fputs("_files -/", out);
    else if (o->words == CLI_FILE)
        fputs("_files", out);
    else
        fputc(' ', out);
    g_free(words);
}

static void zsh_option(const struct cli_option *o, FILE *out) {
    fprintf(out, " \\\n                '%s", o->type == CLI_LIST ? "*" : "");
    fprintf(out, "--%s%s[", o->name, o->type == CLI_OPTIONAL ? "=-" : *o->value ? "=" : "");
    zsh_text(o->text, out);
    fputc(']', out);
    if (*o->value) {
        fputs(o->type == CLI_OPTIONAL ? "::" : ":", out);
        zsh_text(o->value, out);
        fputc(':', out);
        zsh_action(o, out);
    }
    fputc('\'', out);
}

void help_print_zsh(FILE *out) {
    fputs("#compdef heddle\n# zsh completion for heddle; made from its tables of commands and "
          "options.\n",
          out);
    print_names_function(out);
    fputs("_heddle_file() {\n"
          "    local -a names\n"
          "    names=(${(f)\"$(_heddle_names ${words_of_heddle:-heddle} $1)\"})\n"
          "    _alternative 'names:name:compadd -a names' 'files:file:_files -g \"*.ini\"'\n"
          "}\n"
          "_heddle_key() {\n"
          "    local -a keys\n"
          "    keys=(${(f)\"$(_heddle_keys ${words_of_heddle:-heddle})\"})\n"
          "    compadd -S '' -a keys\n"
          "}\n"
          "_heddle() {\n"
          "    local command words_of_heddle=$words[1]\n"
          "    local -a commands\n"
          "    if (( CURRENT == 2 )); then\n"
          "        commands=(\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) {
        if (strchr(cli_commands[i].name, ' ')) continue;
        fprintf(out, "            '%s:", cli_commands[i].name);
        zsh_text(cli_commands[i].summary, out);
        fputs("'\n", out);
    }
    fputs("            'card:check an FPGA card'\n"
          "        )\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    command=$words[2]\n"
          "    case \"$words[2] $words[3]\" in\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++)
        if (strchr(cli_commands[i].name, ' '))
            fprintf(out, "        '%s') command='%s'; shift words; (( CURRENT-- )) ;;\n",
                    cli_commands[i].name, cli_commands[i].name);
    fputs("    esac\n"
          "    shift words\n"
          "    (( CURRENT-- ))\n"
          "    case \"$command\" in\n",
          out);
    for (unsigned i = 0; i < CLI_NUM_COMMANDS; i++) {
        const struct cli_command *c = &cli_commands[i];
        fprintf(out, "        '%s')\n            _arguments -S", c->name);
        for (const struct cli_option *o = c->options; o->name; o++)
            if (o->level != CLI_HIDDEN && *o->name) zsh_option(o, out);
        fputs(" \\\n                '--help[print a help that fits the screen]'"
              " \\\n                '--help-all[print all of it]'"
              " \\\n                '*:argument:_files' ;;\n",
              out);
    }
    fputs("        card) compadd check ;;\n"
          "    esac\n"
          "}\n"
          "_heddle \"$@\"\n",
          out);
}
