/* commands.h - the subcommands of `heddle`: one function for each, in cmd_NAME.c.
 *
 * main() calls one of them, with the subcommand as argv[0]. Each reads its options, does the work,
 * prints results on standard output and errors on standard error, and frees what it made.
 * @return the exit status of the process: EXIT_HEDDLE (cli.h) for an error of Heddle's own. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

int cli_run(int argc, char **argv);
int cli_annotate(int argc, char **argv);
int cli_ptx(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_dram(int argc, char **argv);
int cli_import(int argc, char **argv); /* `heddle config import` */
int cli_card(int argc, char **argv);
int cli_sweep(int argc, char **argv);
int cli_project(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_compnet(int argc, char **argv);

#endif
