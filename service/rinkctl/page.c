/* Shows one document with one call. */
#include "service/rinkctl/page.h"

#include "service/rinkctl/watch.h"

enum exit_status page_show(const char *command, const struct common *common,
                           const struct client_call *call, show_function *show, const void *context)
{
    struct client *client = client_open(command, common);
    struct client_answer answer;

    if (!client)
        return EXIT_TROUBLE;
    enum exit_status status = client_call(client, call, &answer);
    if (status == EXIT_GOOD && common->json)
        status = print_raw(command, answer.text);
    else if (status == EXIT_GOOD)
        show(command, &answer, context);
    client_answer_free(&answer);
    client_free(client);
    return status;
}

static void show_page(const char *command, const struct client_answer *answer, const void *context)
{
    const struct page *page = context;
    const json_t *result = json_object_get(answer->json, "result");

    (void)command;
    print_fields(stdout, page->fields, answer->json);
    if (json_is_object(result)) {
        putchar('\n');
        print_result(stdout, text_of(answer->json, "kind"), result);
    }
}

enum exit_status page_command(const struct page *page, int argc, char **argv, struct common *common)
{
    struct client_call call = page->call;
    struct arguments arguments;

    options_read(&page->line, argc, argv, common, &arguments);
    call.id = arguments.word[0];
    return page_show(argv[0], common, &call, show_page, page);
}
