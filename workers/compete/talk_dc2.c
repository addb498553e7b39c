/* Digital Curling 2: words separated by blanks, each message ended by a 0 byte.
 *
 *   CONNECTED -> LOGIN USER PASSWORD NAME, ISREADY -> READYOK, NEWGAME FIRST SECOND
 *   POSITION x0 y0 … x15 y15   in order of delivery, "0 0" is out of play; the server's frame
 *   SETSTATE shot end ends who the next shot; who is 0 or 1 for the team to move
 *   GO ms0 ms1 -> BESTSHOT vx vy spin (or CONCEDE)    to the team to move; 0: no limit
 *   SCORE n                    of the end, from the side of the team that `who` = 0 stands for
 *   GAMEOVER WIN|LOSE|DRAW     then NEWGAME again, or DISCONNECT
 *
 * Before the first shot of an end POSITION still shows the end before. Servers differ in the team
 * that `who` = 0 stands for, so the first SETSTATE of a game tells: its team throws first. */
#include "workers/compete/talk.h"

#include "api/base/utf8.h"
#include "models/game/frame.h"
#include "models/tables/profiles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 2 + 2 * POSITION_STONES, TEXT_MAX = 4096 };

struct dc2 {
    bool has_login, has_game, has_state, has_position;
    int first; /* `who` of the team that throws first in the game, team 0 */
    int shot, end, ends, who;
    int scores[2][RULES_ENDS_MAX];
    struct vec2 at[POSITION_STONES]; /* the server's frame */
};

struct words {
    int count;
    char *word[WORDS_MAX];
    char text[TEXT_MAX];
};

/* Splits a message into words; the first one is the command. What is more than any command has is
 * left out. */
static void split(const struct heard *heard, struct words *ret_words)
{
    size_t length = heard->length < TEXT_MAX ? heard->length : TEXT_MAX - 1;
    char *rest = ret_words->text, *word;

    ret_words->count = 0;
    if (length > 0)
        memcpy(ret_words->text, heard->text, length);
    ret_words->text[length] = '\0';
    for (char *save;
         ret_words->count < WORDS_MAX && (word = strtok_r(rest, " \t\r", &save)) != NULL;
         rest = NULL)
        ret_words->word[ret_words->count++] = word;
}

static bool whole_of(const char *word, int least, int most, int *ret_number)
{
    char *end;
    long number = strtol(word, &end, 10);

    if (end == word || *end || number < least || number > most)
        return false;
    *ret_number = (int)number;
    return true;
}

static bool real_of(const char *word, double *ret_number)
{
    char *end;

    *ret_number = strtod(word, &end);
    return end != word && !*end && isfinite(*ret_number);
}

static enum talk_next hear_connected(struct talk *talk, const struct words *words)
{
    const struct talk_setting *setting = talk->setting;
    struct dc2 *own = talk->own;
    char text[512];

    (void)words;
    if (own->has_login)
        return talk_because(talk, TALK_BROKEN, "CONNECTED twice");
    own->has_login = true;
    snprintf(text, sizeof text, "LOGIN %s %s %s", setting->user ? setting->user : setting->name,
             setting->password ? setting->password : "none", setting->name);
    talk_say_text(talk, text);
    if (talk->sayings > 0)
        talk->say[talk->sayings - 1].is_secret = true;
    return TALK_LISTEN;
}

static enum talk_next hear_login(struct talk *talk, const struct words *words)
{
    if (words->count >= 2 && strcmp(words->word[1], "NG") == 0)
        return talk_because(talk, TALK_REFUSE, "the server does not admit us: LOGIN NG");
    return TALK_LISTEN;
}

static enum talk_next hear_isready(struct talk *talk, const struct words *words)
{
    (void)words;
    talk_say_text(talk, "READYOK");
    return TALK_LISTEN;
}

static enum talk_next hear_newgame(struct talk *talk, const struct words *words)
{
    struct dc2 *own = talk->own;

    *own = (struct dc2){.has_login = true, .has_game = true};
    talk->team = -1;
    for (int team = 0; team < 2; team++)
        talk_name(talk, team, words->count > team + 1 ? words->word[team + 1] : NULL);
    return TALK_LISTEN;
}

static enum talk_next hear_position(struct talk *talk, const struct words *words)
{
    struct dc2 *own = talk->own;

    if (words->count < 1 + 2 * POSITION_STONES)
        return talk_because(talk, TALK_BROKEN, "POSITION with %d numbers instead of %d",
                            words->count - 1, 2 * POSITION_STONES);
    for (int k = 0; k < POSITION_STONES; k++)
        if (!real_of(words->word[1 + 2 * k], &own->at[k].x) ||
            !real_of(words->word[2 + 2 * k], &own->at[k].y))
            return talk_because(talk, TALK_BROKEN, "POSITION: stone %d is not two numbers", k);
    own->has_position = true;
    return TALK_LISTEN;
}

static bool read_game(const struct dc2 *own, struct game *ret_game, char ret_note[TALK_WHY_MAX]);

/* Tells those who keep the games. At the end of an end POSITION has its last board. */
static void see_state(struct talk *talk)
{
    const struct dc2 *own = talk->own;
    struct seen *seen = &talk->seen;
    char note[TALK_WHY_MAX];
    struct game game;

    seen->has_final = own->has_position && own->shot == 0 && own->end > 0;
    seen->final = (struct position){.in_play = 0};
    for (int stone = 0; seen->has_final && stone < POSITION_STONES; stone++)
        if (own->at[stone].x != 0.0 || own->at[stone].y != 0.0)
            position_put(&seen->final, stone, frame_dc2_point(own->at[stone]));
    talk_see(talk, read_game(own, &game, note) ? &game : NULL);
    seen->has_thrown = seen->has_thrown && seen->states > 1;
}

static enum talk_next hear_setstate(struct talk *talk, const struct words *words)
{
    struct dc2 *own = talk->own;

    if (words->count < 5 || !whole_of(words->word[1], 0, POSITION_STONES - 1, &own->shot) ||
        !whole_of(words->word[2], 0, RULES_ENDS_MAX, &own->end) ||
        !whole_of(words->word[3], 1, RULES_ENDS_MAX, &own->ends) ||
        !whole_of(words->word[4], 0, 1, &own->who))
        return talk_because(talk, TALK_BROKEN, "SETSTATE is not: shot end ends who");
    if (!own->has_state)
        own->first = own->who;
    own->has_state = true;
    see_state(talk);
    return TALK_LISTEN;
}

/* RUNSHOT vx vy spin: the shot as it left the hand. */
static enum talk_next hear_runshot(struct talk *talk, const struct words *words)
{
    struct seen *seen = &talk->seen;
    struct vec2 velocity;
    int spin;

    seen->has_thrown = words->count >= 4 && real_of(words->word[1], &velocity.x) &&
                       real_of(words->word[2], &velocity.y) &&
                       whole_of(words->word[3], 0, 1, &spin);
    if (seen->has_thrown)
        seen->thrown = (struct shot){frame_dc2_velocity(velocity),
                                     spin == 1 ? -SHOT_TURN_DC2_RADPS : SHOT_TURN_DC2_RADPS};
    return TALK_LISTEN;
}

static enum talk_next hear_score(struct talk *talk, const struct words *words)
{
    struct dc2 *own = talk->own;
    int score;

    if (words->count < 2 || !whole_of(words->word[1], -8, 8, &score))
        return talk_because(talk, TALK_BROKEN, "SCORE is not a score");
    int end = own->end - 1; /* the state is already that of the next end */
    score = own->first == 0 ? score : -score;
    if (end < 0 || end >= RULES_ENDS_MAX)
        return talk_because(talk, TALK_BROKEN, "SCORE before an end was played");
    own->scores[0][end] = score > 0 ? score : 0;
    own->scores[1][end] = score < 0 ? -score : 0;
    return TALK_LISTEN;
}

/* The game of the messages so far; false with a sentence why it cannot be played, which is also set
 * if stones were taken off. */
static bool read_game(const struct dc2 *own, struct game *ret_game, char ret_note[TALK_WHY_MAX])
{
    const struct rules *rules = rules_find("dc2");
    int mover = own->who == own->first ? 0 : 1;

    *ret_game = (struct game){.rules = rules,
                              .ends = own->ends,
                              .end = own->end,
                              .shot = own->shot,
                              /* The team that throws an even shot does not have the hammer. */
                              .hammer_team = own->shot % 2 == 0 ? 1 - mover : mover,
                              .result = {GAME_RUNNING, -1}};
    for (int end = 0; end < own->end && end < RULES_ENDS_MAX; end++)
        for (int team = 0; team < 2; team++)
            ret_game->scores[team][end] = (int8_t)own->scores[team][end];
    for (int stone = 0; stone < own->shot; stone++)
        if (own->at[stone].x != 0.0 || own->at[stone].y != 0.0)
            position_put(&ret_game->position, stone, frame_dc2_point(own->at[stone]));
    return situation_settle(ret_game, TALK_WHY_MAX, ret_note);
}

static enum talk_next hear_go(struct talk *talk, const struct words *words)
{
    struct dc2 *own = talk->own;
    struct situation *situation = &talk->situation;
    const struct ice_profile *ice = ice_profile_find("dc2");
    char note[TALK_WHY_MAX];
    struct game game;
    double ms;

    if (!own->has_game || !own->has_state || (own->shot > 0 && !own->has_position))
        return talk_because(talk, TALK_BROKEN, "GO before NEWGAME, SETSTATE and POSITION");
    if (!read_game(own, &game, note))
        return talk_because(talk, TALK_BROKEN, "GO: %s", note);
    if (note[0])
        talk_note(talk, "stones taken off: %s", note);
    talk->team = own->who == own->first ? 0 : 1;
    *situation = (struct situation){.game = game, .ice = ice, .team = talk->team};
    for (int shot = 0; shot < POSITION_STONES; shot++)
        situation->hands[shot] = noise_default(ice, ice->noise);
    /* The times are those of the first and the second team. */
    if (words->count >= 3 && real_of(words->word[1 + talk->team], &ms) && ms > 0.0) {
        situation->has_clock = true;
        situation->remaining_s = ms / 1000.0;
    }
    situation->clock_ends = game.ends - 1 - game.end;
    return TALK_THINK;
}

static enum talk_next hear_gameover(struct talk *talk, const struct words *words)
{
    struct dc2 *own = talk->own;
    struct outcome *outcome = &talk->outcome;
    const char *word = words->count >= 2 ? words->word[1] : "";
    int sign = strcmp(word, "WIN") == 0 ? 1 : strcmp(word, "LOSE") == 0 ? -1 : 0;

    if (!own->has_game || (sign == 0 && strcmp(word, "DRAW") != 0))
        return talk_because(talk, TALK_BROKEN, "GAMEOVER is not WIN, LOSE or DRAW");
    outcome->is_known = true;
    /* A team that has never thrown does not know which one it is: it lost by concession or time. */
    outcome->winner = sign == 0 || talk->team < 0 ? -1 : sign > 0 ? talk->team : 1 - talk->team;
    outcome->games++;
    outcome->won += sign > 0;
    outcome->lost += sign < 0;
    outcome->points[0] = outcome->points[1] = 0;
    for (int end = 0; end < RULES_ENDS_MAX; end++)
        for (int team = 0; team < 2; team++)
            outcome->points[team] += own->scores[team][end];
    own->has_game = false;
    if (outcome->games < talk->setting->games)
        return TALK_LISTEN;
    talk_say_text(talk, "LOGOUT");
    return TALK_OVER;
}

static enum talk_next hear_timeout(struct talk *talk, const struct words *words)
{
    (void)words;
    snprintf(talk->outcome.reason, sizeof talk->outcome.reason, "time_limit");
    return TALK_LISTEN;
}

static enum talk_next hear_concede(struct talk *talk, const struct words *words)
{
    (void)words;
    snprintf(talk->outcome.reason, sizeof talk->outcome.reason, "concede");
    return TALK_LISTEN;
}

static enum talk_next hear_disconnect(struct talk *talk, const struct words *words)
{
    (void)words;
    return talk->outcome.games > 0 ? TALK_OVER
                                   : talk_because(talk, TALK_BROKEN, "DISCONNECT before a game");
}

static enum talk_next hear(struct talk *talk, const struct heard *heard)
{
    static const struct {
        const char *word;
        enum talk_next (*hear)(struct talk *talk, const struct words *words);
    } commands[] = {
        {"CONNECTED", hear_connected},   {"LOGIN", hear_login},       {"ISREADY", hear_isready},
        {"NEWGAME", hear_newgame},       {"POSITION", hear_position}, {"SETSTATE", hear_setstate},
        {"RUNSHOT", hear_runshot},       {"SCORE", hear_score},       {"GO", hear_go},
        {"GAMEOVER", hear_gameover},     {"TIMEOUT", hear_timeout},   {"CONCEDE", hear_concede},
        {"DISCONNECT", hear_disconnect},
    };
    struct words words;

    if (heard->is_too_long)
        return talk_because(talk, TALK_BROKEN, "a message is too long");
    split(heard, &words);
    for (size_t k = 0; words.count > 0 && k < sizeof commands / sizeof commands[0]; k++)
        if (strcasecmp(words.word[0], commands[k].word) == 0)
            return commands[k].hear(talk, &words);
    /* What other servers add. */
    if (words.count > 0 && strcasecmp(words.word[0], "TOTALSCORE") != 0)
        talk_note(talk, "the unknown command %.40s is ignored", words.word[0]);
    return TALK_LISTEN;
}

static void answer(struct talk *talk, const struct decision *decision)
{
    struct vec2 velocity = frame_dc2_velocity(decision->shot.velocity);
    char text[128];

    if (decision->concede) {
        talk_say_text(talk, "CONCEDE");
        return;
    }
    snprintf(text, sizeof text, "BESTSHOT %.9g %.9g %d", velocity.x, velocity.y,
             decision->shot.omega < 0.0 ? 1 : 0);
    talk_say_text(talk, text);
}

const struct protocol protocol_dc2 = {.name = "dc2",
                                      .profile = "dc2",
                                      .own_size = sizeof(struct dc2),
                                      .hear = hear,
                                      .answer = answer};
