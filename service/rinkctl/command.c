/* The list of all commands. */
#include "service/rinkctl/command.h"

#include <string.h>

static const struct command *const groups[] = {
    shot_commands, skill_commands,   submit_commands, watch_commands,   job_commands,
    move_commands, run_commands,     result_commands, library_commands, webhook_commands,
    node_commands, service_commands, import_commands, export_commands};

const struct command *command_at(int index)
{
    for (size_t k = 0; k < sizeof groups / sizeof groups[0]; k++)
        for (const struct command *command = groups[k]; command->name; command++)
            if (index-- == 0)
                return command;
    return NULL;
}

const struct command *command_find(const char *name)
{
    const struct command *command;
    int k = 0;

    while ((command = command_at(k)) != NULL && strcmp(command->name, name) != 0)
        k++;
    return command;
}

void command_print_list(FILE *out)
{
    const struct command *command;

    for (int k = 0; (command = command_at(k)) != NULL; k++)
        fprintf(out, "  %-14s %.*s\n", command->name, (int)strcspn(command->about, ".\v"),
                command->about);
}
