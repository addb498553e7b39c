/* Players from specs. */
#include "workers/holdem/poker_players.h"

#include "models/networks/weights.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Static_assert((int)POKER_RULES == (int)POKER_STYLES, "api and workers know the same rule players");
_Static_assert((int)POKER_PARTS_MAX <= (int)SWITCH_PLAYERS_MAX, "a switch has room for all parts");

static bool open_model(const char *model, const char *models, struct poker_network *ret_network,
                       char *error)
{
    const char *folder = models ? models : getenv("RINKD_MODELS");
    char path[PLAYER_ERROR_MAX / 2], why[POKER_FILE_ERROR_MAX] = "";
    struct weights file;
    bool is_hash = player_model_kind(model) == PLAYER_MODEL_HASH;

    if (is_hash && !folder) {
        snprintf(error, PLAYER_ERROR_MAX, "model %s: RINKD_MODELS names no folder", model);
        return false;
    }
    snprintf(path, sizeof path, is_hash ? "%s/%s.safetensors" : "%.0s%s", is_hash ? folder : "",
             model);
    if (!weights_map(path, &file, why)) {
        snprintf(error, PLAYER_ERROR_MAX, "%.1000s", why);
        return false;
    }
    bool good = network_file_read(file.bytes, file.size, ret_network, why);
    weights_unmap(&file);
    if (!good)
        snprintf(error, PLAYER_ERROR_MAX, "model %.300s: %.600s", model, why);
    return good;
}

static bool open_shipped(const struct poker_part *part, struct poker_opened *opened, int number,
                         char *error)
{
    static const enum ensemble_kind kinds[] = {[POKER_ENSEMBLE] = ENSEMBLE_FULL,
                                               [POKER_NO_BASE] = ENSEMBLE_NO_BASE,
                                               [POKER_EQUAL] = ENSEMBLE_EQUAL};
    char why[POKER_FILE_ERROR_MAX] = "";
    const struct ensemble *shipped = ensemble_shipped(why);
    struct poker_player *player = &opened->order.player[number];

    if (!shipped) {
        snprintf(error, PLAYER_ERROR_MAX, "%.1000s", why);
        return false;
    }
    if (part->kind == POKER_BASE || part->kind == POKER_COUNTER) {
        *player = poker_network_player(
            &shipped->network[part->kind == POKER_BASE ? 0 : 1 + part->number]);
        return true;
    }
    opened->ensemble[number] = *shipped;
    opened->ensemble[number].kind = kinds[part->kind];
    *player = poker_ensemble_player(&opened->ensemble[number]);
    return true;
}

static bool open_part(const struct poker_part *part, const char *models,
                      struct poker_opened *opened, int number, char *error)
{
    struct poker_network *network = &opened->network[number];

    if (part->kind == POKER_RULE) {
        opened->order.player[number] = poker_rule_player(part->number);
        return true;
    }
    if (part->kind != POKER_MODEL)
        return open_shipped(part, opened, number, error);
    if (!open_model(part->model, models, network, error))
        return false;
    opened->order.player[number] = poker_network_player(network);
    return true;
}

bool poker_open(const char *text, const char *models, struct poker_opened *ret_opened,
                char ret_error[PLAYER_ERROR_MAX])
{
    struct poker_spec spec;

    memset(ret_opened, 0, sizeof *ret_opened);
    if (!poker_spec_read(text, &spec, ret_error))
        return false;
    for (int k = 0; k < spec.parts; k++)
        if (!open_part(&spec.part[k], models, ret_opened, k, ret_error)) {
            poker_close(ret_opened);
            return false;
        }
    ret_opened->every = spec.every;
    ret_opened->order.count = spec.parts;
    ret_opened->order.every = spec.every;
    ret_opened->order.shuffled = spec.shuffled;
    ret_opened->player =
        spec.parts == 1 ? ret_opened->order.player[0] : poker_switch_player(&ret_opened->order);
    return true;
}

void poker_close(struct poker_opened *opened)
{
    for (int k = 0; k < POKER_PARTS_MAX; k++)
        free((float *)opened->network[k].weights);
    memset(opened, 0, sizeof *opened);
}
