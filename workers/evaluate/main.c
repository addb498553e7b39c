/* rink-evaluate: who is stronger, by how much, and how sure that is. Finds the command and runs it.
 */
#include "workers/evaluate/command.h"

#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *argp_program_version = "rink-evaluate " RINKD_VERSION;

static const struct {
    const char *name, *about;
    command_function *run;
} commands[] = {
    {"match", "pairs of games between two players", command_match},
    {"tournament", "everyone against everyone, and a ladder of Elo ratings", command_tournament},
    {"exploitability", "what responders win from a player who does not change",
     command_exploitability},
    {"tendencies", "how often a player plays which kind of shot", command_tendencies},
    {"worker", "one job for the daemon", command_worker},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

atomic_bool command_cancel;

void command_complain(const char *command, const char *what)
{
    fprintf(stderr, "%s: %s\n", command, what);
}

static void on_signal(int number)
{
    atomic_store(&command_cancel, true);
    signal(number, SIG_DFL);
}

static void say_commands(FILE *out)
{
    for (size_t k = 0; k < COMMANDS; k++)
        fprintf(out, "  %-15s %s\n", commands[k].name, commands[k].about);
}

static void help(void)
{
    printf("Usage: %s COMMAND [OPTION...]\n"
           "Find out who is stronger, by how much, and how sure that is.\n\n"
           "Commands:\n",
           program_invocation_short_name);
    say_commands(stdout);
    puts("\n"
         "COMMAND --help lists the options of a command. A player is written\n"
         "NAME or NAME:SETTING=VALUE,SETTING=VALUE.\n"
         "  -?, --help                 Give this help list\n"
         "  -V, --version              Print program version");
}

int main(int argc, char **argv)
{
    const char *word = argc > 1 ? argv[1] : "";

    if (strcmp(word, "--help") == 0 || strcmp(word, "-?") == 0) {
        help();
        return EXIT_GOOD;
    }
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        puts(argp_program_version);
        return EXIT_GOOD;
    }
    for (size_t k = 0; k < COMMANDS; k++) {
        char name[256];
        if (strcmp(word, commands[k].name) != 0)
            continue;
        const struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
        sigaction(SIGINT, &action, NULL);
        sigaction(SIGTERM, &action, NULL);
        signal(SIGPIPE, SIG_IGN);
        argp_err_exit_status = EXIT_TROUBLE;
        snprintf(name, sizeof name, "%s %s", program_invocation_short_name, word);
        argv[1] = name;
        int status = commands[k].run(argc - 1, argv + 1);
        if (fclose(stdout) == EOF && status == EXIT_GOOD) {
            command_complain(name, strerror(errno));
            status = EXIT_TROUBLE;
        }
        return status;
    }
    if (*word)
        fprintf(stderr, "%s: there is no command '%s'; there are:\n", program_invocation_short_name,
                word);
    else
        fprintf(stderr, "%s: a command is missing; there are:\n", program_invocation_short_name);
    say_commands(stderr);
    return EXIT_TROUBLE;
}
