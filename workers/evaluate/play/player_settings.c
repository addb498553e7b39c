/* A player's settings as JSON. */
#include "workers/evaluate/play/record.h"

static json_t *value_json(const struct player_setting *setting, double value)
{
    switch (setting->kind) {
    case SETTING_WHOLE:
        return json_integer((json_int_t)value);
    case SETTING_BOOL:
        return json_boolean(value != 0.0);
    case SETTING_CHOICE:
        return json_string(setting->choices[(int)value]);
    case SETTING_NUMBER:
    case SETTING_MODEL:
        break;
    }
    return json_real(value);
}

json_t *player_settings_json(const struct player *player)
{
    const struct player_setting *setting = player->class->settings;
    json_t *root = json_object();
    int failed = root ? 0 : -1;

    for (int k = 0; setting && setting[k].name; k++)
        if (setting[k].kind != SETTING_MODEL)
            failed |= json_object_set_new(root, setting[k].name,
                                          value_json(&setting[k], player->setting[k]));
    if (player->weights_sha256[0])
        failed |= json_object_set_new(root, "weights_sha256", json_string(player->weights_sha256));
    if (failed) {
        json_decref(root);
        return NULL;
    }
    return root;
}
