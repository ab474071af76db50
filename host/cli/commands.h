/* commands.h - the subcommands of `heddle`, one function each, in cmd_NAME.c. main.c lists them.
 *
 * argv[0] is the subcommand. @return the exit status. */
#ifndef HEDDLE_CLI_COMMANDS_H
#define HEDDLE_CLI_COMMANDS_H

int cli_run(int argc, char **argv);
int cli_ptx(int argc, char **argv);
int cli_doctor(int argc, char **argv);
int cli_config(int argc, char **argv);
int cli_dram(int argc, char **argv);
int cli_import(int argc, char **argv); /* `heddle config import` */
int cli_sweep(int argc, char **argv);

#endif
