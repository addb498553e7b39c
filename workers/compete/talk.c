/* Helpers of all protocols. See talk.h. */
#include "workers/compete/talk.h"

#include "api/base/load_json.h"
#include "api/base/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool talk_begin(struct talk *talk, const struct protocol *protocol,
                const struct talk_setting *setting)
{
    *talk = (struct talk){.protocol = protocol,
                          .setting = setting,
                          .own = calloc(1, protocol->own_size),
                          .team = -1,
                          .outcome = {.winner = -1}};
    if (talk->own && protocol->begin)
        protocol->begin(talk);
    return talk->own != NULL;
}

void talk_end(struct talk *talk)
{
    for (int k = 0; k < talk->sayings; k++)
        free(talk->say[k].text);
    if (talk->own && talk->protocol->end)
        talk->protocol->end(talk);
    free(talk->own);
}

/* Takes ownership of the text. */
static struct saying *add(struct talk *talk, char *text)
{
    if (talk->sayings == TALK_SAYINGS_MAX) {
        free(text);
        return NULL;
    }
    struct saying *saying = &talk->say[talk->sayings++];
    *saying = (struct saying){.text = text};
    return saying;
}

/* Numbers have nine digits: the servers read float32. */
static char *text_of(json_t *document)
{
    char *text = document
                     ? json_dumps(document, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9))
                     : NULL;

    json_decref(document);
    return text;
}

void talk_say(struct talk *talk, json_t *document)
{
    char *text = text_of(document);

    if (text)
        add(talk, text);
}

void talk_say_text(struct talk *talk, const char *text)
{
    char *copy = strdup(text);

    if (copy)
        add(talk, copy);
}

void talk_request(struct talk *talk, const char *tag, double delay_s, json_t *body,
                  const char *format, ...)
{
    struct saying *saying = add(talk, text_of(body));
    va_list arguments;

    if (!saying)
        return;
    saying->tag = tag;
    saying->delay_s = delay_s;
    va_start(arguments, format);
    vsnprintf(saying->head, sizeof saying->head, format, arguments);
    va_end(arguments);
}

enum talk_next talk_because(struct talk *talk, enum talk_next next, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(talk->why, sizeof talk->why, format, arguments);
    va_end(arguments);
    utf8_make_line(talk->why);
    return next;
}

void talk_note(struct talk *talk, const char *format, ...)
{
    va_list arguments;

    size_t used = strlen(talk->note);

    if (used > 0 && used + 2 < sizeof talk->note)
        used += (size_t)snprintf(talk->note + used, sizeof talk->note - used, "; ");
    va_start(arguments, format);
    vsnprintf(talk->note + used, sizeof talk->note - used, format, arguments);
    va_end(arguments);
    utf8_make_line(talk->note);
}

void talk_name(struct talk *talk, int team, const char *name)
{
    if (!utf8_read_name(name ? name : "", TALK_NAME_MAX, talk->names[team]))
        talk->no_memory = true;
}

void talk_warn(struct talk *talk, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(talk->warning, sizeof talk->warning, format, arguments);
    va_end(arguments);
    utf8_make_line(talk->warning);
}

/* Those of a kind as a list: ".game.simulator.version, .game.players … and 3 more". */
static void list_notes(const struct strict_notes *notes, bool assumed, char ret_list[TALK_WHY_MAX])
{
    int told = 0, all = assumed ? notes->assumed : notes->unknown;
    size_t used = 0;

    ret_list[0] = '\0';
    for (int k = 0; k < notes->kept && used < TALK_WHY_MAX / 2; k++) {
        const struct strict_note *note = &notes->note[k];
        char path[STRICT_POINTER_MAX + 1];
        if (note->is_assumed != assumed)
            continue;
        talk_path(note->pointer, path);
        used +=
            (size_t)snprintf(ret_list + used, TALK_WHY_MAX - used, "%s%.80s%s%s",
                             told++ > 0 ? ", " : "", path, note->text[0] ? " = " : "", note->text);
    }
    if (told < all)
        snprintf(ret_list + used, TALK_WHY_MAX - used, " and %d more", all - told);
}

void talk_note_reading(struct talk *talk, const char *message, const struct strict_notes *notes)
{
    char list[TALK_WHY_MAX];

    if (notes->unknown > 0) {
        list_notes(notes, false, list);
        if (strcmp(list, talk->unknown) != 0)
            talk_note(talk, "%.40s: unknown, so ignored: %.250s", message, list);
        memcpy(talk->unknown, list, sizeof list);
    }
    if (notes->assumed > 0) {
        list_notes(notes, true, list);
        talk_warn(talk, "%.40s does not tell all; it is taken for said: %.230s", message, list);
    }
}

/* Keeps the throw between two states if the other team threw it. The last stone of an end is known
 * by its shot or by the final stones, if at all. */
static void see_throw(struct talk *talk, const struct game *now)
{
    const struct seen *seen = &talk->seen;
    const struct game *before = &seen->game;
    const struct position *after = NULL;
    struct throw_seen throw;

    if (!seen->has_game || talk->team < 0 || seen->conceded || game_next_team(before) == talk->team)
        return;
    if (now && now->end == before->end && now->shot == before->shot)
        return; /* told again */
    if (now && now->rules == before->rules && now->end == before->end &&
        now->shot == before->shot + 1) {
        after = &now->position;
    } else if (before->shot != before->rules->shots - 1) {
        return; /* a state is missing */
    } else if (seen->has_final) {
        after = &seen->final;
    }
    throw_seen_set(&throw, before, after, seen->has_thrown ? &seen->thrown : NULL);
    if (throw.has_after || throw.has_thrown)
        opponent_see(&talk->theirs, before->rules, profile_of(before->rules)->ice, &throw);
}

void talk_see(struct talk *talk, const struct game *game)
{
    see_throw(talk, game);
    talk->seen.states++;
    talk->seen.has_game = game != NULL;
    if (game)
        talk->seen.game = *game;
}

json_t *talk_parse(struct talk *talk, const struct heard *heard)
{
    json_error_t wrong;

    if (heard->is_too_long) {
        talk_because(talk, TALK_BROKEN, "a message is too long");
        return NULL;
    }
    json_t *document = load_json(heard->text, heard->length, 0, &wrong);
    talk->no_memory = !document && json_error_code(&wrong) == json_error_out_of_memory;
    if (!json_is_object(document)) {
        talk_because(talk, TALK_BROKEN, "a message is not a JSON object: %s",
                     document ? "another value" : wrong.text);
        json_decref(document);
        return NULL;
    }
    return strict_make_whole(document);
}

void talk_path(const char *pointer, char ret_path[STRICT_POINTER_MAX + 1])
{
    snprintf(ret_path, STRICT_POINTER_MAX + 1, "%s", pointer);
    for (char *c = ret_path; *c; c++)
        *c = *c == '/' ? '.' : *c;
}

enum talk_next talk_blame(struct talk *talk, const char *what, const struct strict_errors *errors)
{
    char path[STRICT_POINTER_MAX + 1];

    talk_path(errors->error[0].pointer, path);
    return talk_because(talk, TALK_BROKEN, "%s%s: %s", what, path, errors->error[0].message);
}
