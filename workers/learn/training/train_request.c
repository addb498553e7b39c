/* Specs from files. */
#include "workers/learn/training/train_request.h"

#include "api/job_json.h"
#include "workers/search/player/player.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES_MOST = 1 << 20, DEPTH_MOST = 32 };

static bool read_player(void *context, const char *text, char *ret_spec, char *ret_error)
{
    struct player player;

    (void)context;
    if (!player_read(text, &player, PLAYER_ERROR_MAX, ret_error))
        return false;
    player_write(&player, PLAYER_SPEC_MAX, ret_spec);
    return true;
}

static json_t *complain(const char *command, const struct strict_errors *errors)
{
    for (int k = 0; k < errors->count; k++)
        fprintf(stderr, "%s: %s: %s\n", command, errors->error[k].pointer,
                errors->error[k].message);
    return NULL;
}

/* Reads a whole file; the caller frees the text. NULL, with a message printed, on failure. */
static char *read_all(const char *command, const char *path, size_t *ret_size)
{
    FILE *file = path ? fopen(path, "re") : stdin;
    char *text = malloc(BYTES_MOST + 1);
    bool good = file && text;

    if (good) {
        *ret_size = fread(text, 1, BYTES_MOST + 1, file);
        good = !ferror(file);
    }
    if (!good) {
        fprintf(stderr, "%s: %s: %s\n", command, path ? path : "standard input", strerror(errno));
        free(text);
    }
    if (file && file != stdin)
        fclose(file);
    return good ? text : NULL;
}

json_t *train_request_read(const char *command, const char *path)
{
    struct strict_errors errors = {.count = 0};
    struct job_request request;
    size_t size = 0;
    char *text = read_all(command, path, &size);

    if (!text)
        return NULL;
    json_t *document = strict_parse(text, size, BYTES_MOST, DEPTH_MOST, &errors);
    free(text);
    if (!document)
        return complain(command, &errors);
    if (!json_object_get(document, "kind"))
        document = json_pack("{s:s, s:o}", "kind", "train", "spec", document);
    enum api_error error = job_request_read(document, read_player, NULL, &request, &errors);
    json_decref(document);
    if (error != API_OK)
        return complain(command, &errors);
    if (request.kind->makes_models)
        return request.spec;
    fprintf(stderr, "%s: /kind: must be train, not %s\n", command, request.kind->name);
    json_decref(request.spec);
    return NULL;
}
