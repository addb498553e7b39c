/* Shows any list of the server as a table. */
#include "service/rinkctl/list.h"

#include "service/rinkctl/client.h"

#include <stdlib.h>

enum { LIMIT_DEFAULT = 50, LIMIT_MAX = 1000000 };

static enum exit_status show(const struct list *list, const char *command, bool json, json_t *items,
                             bool more)
{
    if (json) {
        json_t *document = json_pack("{s:O, s:b}", "items", items, "more", more);
        enum exit_status status = print_json(command, document);
        json_decref(document);
        return status;
    }
    if (json_array_size(items) == 0)
        fprintf(stderr, "%s: %s\n", command, list->empty);
    else
        print_table(stdout, list->columns, items);
    if (more) {
        fflush(stdout);
        fprintf(stderr, "%s: there are more; --limit=N shows up to N\n", command);
    }
    return EXIT_GOOD;
}

enum exit_status list_command(const struct list *list, int argc, char **argv, struct common *common)
{
    struct option_row known[LIST_FILTERS_MAX + 2] = {{0}};
    const struct command_line line = {.about = list->about, .options = known};
    struct client_call call = {.path = list->path};
    struct arguments arguments;
    int filters = 0, limit = 0;
    json_t *items;
    bool more;

    for (; filters < LIST_FILTERS_MAX && list->filters[filters].name; filters++)
        known[filters] = list->filters[filters];
    if (!list->is_whole)
        known[filters] =
            (struct option_row){"limit", "N", "items at most (default 50)", 2, 1, LIMIT_MAX};
    options_read(&line, argc, argv, common, &arguments);
    for (int k = 0; k < filters; k++) {
        call.parameter[k].name = known[k].name;
        call.parameter[k].value = arguments.option[k];
    }
    if (!list->is_whole)
        limit = arguments.option[filters] ? atoi(arguments.option[filters]) : LIMIT_DEFAULT;
    struct client *client = client_open(argv[0], common);
    if (!client)
        return EXIT_TROUBLE;
    enum exit_status status = client_list(client, &call, limit, &items, &more);
    if (status == EXIT_GOOD) {
        status = show(list, argv[0], common->json, items, more);
        json_decref(items);
    }
    client_free(client);
    return status;
}
