/* Lines of the log. See journal.h. */
#include "workers/compete/journal.h"

#include "api/base/build_json.h"
#include "api/base/clock.h"
#include "api/base/utf8.h"

#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct journal {
    FILE *file;
    double start_s;
    bool has_failed;
};

struct journal *journal_open(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    struct journal *journal = fd >= 0 ? calloc(1, sizeof *journal) : NULL;

    if (journal && (journal->file = fdopen(fd, "w")) != NULL) {
        journal->start_s = clock_now_s();
        return journal;
    }
    if (fd >= 0)
        close(fd);
    free(journal);
    return NULL;
}

void journal_close(struct journal *journal)
{
    if (!journal)
        return;
    if (fclose(journal->file) != 0 && !journal->has_failed)
        warn("the log");
    free(journal);
}

/* Takes ownership of the line. A line is on its way to the disk before the next word is said. */
static void write_line(struct journal *journal, json_t *line)
{
    if (journal) {
        bool good = line &&
                    json_dumpf(line, journal->file, JSON_COMPACT | JSON_REAL_PRECISION(15)) == 0 &&
                    putc('\n', journal->file) != EOF && fflush(journal->file) == 0;
        if (!good && !journal->has_failed)
            warnx("the log cannot be written; the game goes on");
        journal->has_failed = journal->has_failed || !good;
    }
    json_decref(line);
}

static json_t *line_at(const struct journal *journal)
{
    double at_s = journal ? clock_now_s() - journal->start_s : 0.0;

    return json_pack("{s:f}", "at", (double)(int64_t)(at_s * 1e6) / 1e6);
}

char *journal_plain(const char *text, size_t length)
{
    char *copy = malloc(length + 1);

    if (!copy)
        return NULL;
    for (size_t k = 0; k < length; k++)
        copy[k] = text[k] ? text[k] : '?';
    copy[length] = '\0';
    utf8_make_plain(copy);
    return copy;
}

void journal_heard(struct journal *journal, const struct heard *heard)
{
    json_t *line = line_at(journal);
    char *text = journal_plain(heard->text ? heard->text : "", heard->length);

    build_add(line, "heard", text ? json_string(text) : NULL);
    if (heard->tag)
        build_add(line, "as", json_string(heard->tag));
    if (heard->status)
        build_add(line, "status", json_integer(heard->status));
    if (heard->is_too_long)
        build_add(line, "too_long", json_true());
    free(text);
    write_line(journal, line);
}

void journal_said(struct journal *journal, const struct saying *saying)
{
    json_t *line = line_at(journal);

    build_add(line, "said",
              saying->text && !saying->is_secret ? json_string(saying->text) : json_null());
    if (saying->tag)
        build_add(line, "request", json_string(saying->head));
    write_line(journal, line);
}

/* What is believed about the other team; its throws are in what was heard. */
static json_t *opponent_note(const struct situation *situation)
{
    struct opponent opponent;
    int likely = -1;

    opponent_of(situation->game.rules, situation->theirs.throw, situation->theirs.count, &opponent);
    for (int k = 0; k < opponent.styles; k++)
        if (opponent.weight[k] > (likely < 0 ? opponent.stranger : opponent.weight[likely]))
            likely = k;
    return json_pack("{s:i, s:s?, s:f, s:f}", "throws", opponent.throws, "style",
                     likely < 0 ? NULL : opponent.style[likely]->player, "confidence",
                     opponent.confidence, "errs", opponent.errs);
}

void journal_thought(struct journal *journal, const struct situation *situation,
                     const struct clock_plan *plan, const struct decision *decision)
{
    const struct game *game = &situation->game;
    json_t *line = line_at(journal);
    json_t *thought =
        json_pack("{s:i, s:i, s:I, s:o, s:f}", "end", game->end, "shot", game->shot, "simulations",
                  (json_int_t)decision->simulations, "repeat",
                  decision->repeat < 0 ? json_null() : json_integer((json_int_t)decision->repeat),
                  "elapsed_s", decision->elapsed_s);
    if (situation->has_clock) {
        build_add(thought, "remaining_s", json_real(situation->remaining_s));
        build_add(thought, "think_s", json_real(plan->think_s));
        build_add(thought, "stop_s", json_real(plan->stop_s));
    }
    if (situation->theirs.count > 0)
        build_add(thought, "opponent", opponent_note(situation));
    build_add(thought, "win", build_real(decision->win));
    if (situation->asks_setup)
        build_add(thought, "setup", json_string(setup_word(decision->setup)));
    else if (decision->concede)
        build_add(thought, "concede", json_true());
    else
        build_add(thought, "intended",
                  json_pack("{s:f, s:f, s:f}", "x", decision->shot.velocity.x, "y",
                            decision->shot.velocity.y, "omega", decision->shot.omega));
    if (decision->fallback)
        build_add(thought, "fallback", json_string(decision->fallback));
    build_add(line, "thought", thought);
    write_line(journal, line);
}

void journal_note(struct journal *journal, const char *text)
{
    journal_write(journal, "note", json_string(text));
}

void journal_write(struct journal *journal, const char *kind, json_t *value)
{
    json_t *line = line_at(journal);

    build_add(line, kind, value);
    write_line(journal, line);
}
