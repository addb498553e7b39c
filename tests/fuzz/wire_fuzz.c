/* Any bytes as a line from a worker. A readable line is complete: every text and number in it can
 * be accessed, and it reads the same when written again. A broken promise aborts. */
#include "api/jobs/wire.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_rows(const struct wire_message *message, const struct wire_message *again)
{
    for (size_t k = 0; k < json_array_size(message->metrics.rows); k++) {
        struct wire_metric a = wire_metric(message, k), b = wire_metric(again, k);
        require(strcmp(a.run, b.run) == 0 && strcmp(a.name, b.name) == 0 && a.step == b.step);
        require(a.value == b.value || (isnan(a.value) && isnan(b.value)));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct wire_message message, again;
    struct strict_errors errors;

    if (!wire_read((const char *)data, size, &message, &errors)) {
        require(errors.count > 0);
        return 0;
    }
    char *line = wire_line(json_incref(message.document));
    if (line) { /* NULL: escapes made it too long */
        require(wire_read(line, strlen(line) - 1, &again, &errors));
        require(again.type == message.type);
        if (message.type == WIRE_METRICS)
            check_rows(&message, &again);
        if (message.type == WIRE_CHECKPOINT)
            require(!strchr(message.checkpoint.path, '/') &&
                    strcmp(message.checkpoint.path, again.checkpoint.path) == 0);
        if (message.type == WIRE_MODEL)
            require(!strchr(message.model.path, '/') && !strchr(message.model.name, '.') &&
                    strlen(message.model.name) < WIRE_POLICY_MAX &&
                    strcmp(message.model.name, again.model.name) == 0);
        wire_free(&again);
    }
    free(line);
    wire_free(&message);
    return 0;
}
