/* See review_html.h. */
#include "api/curling/review_html.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The far end of the sheet in the shot frame, in metres. */
#define TEE_Y        38.405
#define HOG_Y        32.004
#define BACK_Y       40.234
#define HALF_WIDTH   2.375
#define STONE_RADIUS 0.145
#define MARGIN_M     0.3

static const char *const team_words[] = {"red", "yellow"};
static const char *const team_colours[] = {"#c62828", "#f2c200"};

/* ---- members of the result ---- */

static const json_t *at(const json_t *object, const char *key)
{
    return json_object_get(object, key);
}

static double real_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_at(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static int team_of(const json_t *shot)
{
    return strcmp(text_at(shot, "team"), "team1") == 0;
}

static const char *name_of(const json_t *result, int team)
{
    const char *name = text_at(json_array_get(at(result, "teams"), (size_t)team), "player");
    return *name ? name : team_words[team];
}

/* ---- texts ---- */

static void put(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '>')
            fputs("&gt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else if (*text == '"')
            fputs("&quot;", out);
        else
            putc(*text, out);
    }
}

/* A share as percent; unknown ones as a dash. */
static void put_percent(FILE *out, double share, int digits)
{
    if (isfinite(share))
        fprintf(out, "%.*f&nbsp;%%", digits, 100.0 * share);
    else
        fputs("–", out);
}

/* What a call or a throw cost; a gain has a plus. */
static void put_loss(FILE *out, double loss)
{
    double tenths = round(1000.0 * loss);

    if (!isfinite(loss))
        fputs("–", out);
    else
        fprintf(out, "%s%.1f&nbsp;%%",
                tenths > 0.0   ? "−"
                : tenths < 0.0 ? "+"
                               : "",
                fabs(100.0 * loss));
}

static void put_shot_name(FILE *out, const json_t *shot)
{
    int team = team_of(shot);

    fprintf(out, "End %.0f, shot %.0f: %s", real_of(shot, "end") + 1.0, real_of(shot, "shot") + 1.0,
            team_words[team]);
}

/* ---- the score board ---- */

static void put_board(FILE *out, const json_t *result)
{
    const json_t *scores = at(result, "scores");
    size_t ends = json_array_size(at(scores, "team0"));

    fputs("<table class=\"board\"><tr><th></th>", out);
    for (size_t k = 0; k < ends; k++)
        fprintf(out, "<th>%zu</th>", k + 1);
    fputs("<th>total</th></tr>", out);
    for (int team = 0; team < 2; team++) {
        const json_t *list = at(scores, team == 0 ? "team0" : "team1");
        json_int_t total = 0;
        fprintf(out, "<tr><th class=\"name\"><i style=\"background:%s\"></i>", team_colours[team]);
        put(out, name_of(result, team));
        fputs("</th>", out);
        for (size_t k = 0; k < ends; k++) {
            json_int_t points = json_integer_value(json_array_get(list, k));
            total += points;
            fprintf(out, "<td>%lld</td>", (long long)points);
        }
        fprintf(out, "<td><b>%lld</b></td></tr>", (long long)total);
    }
    fputs("</table>", out);
}

/* ---- the graph ---- */

enum { GRAPH_WIDTH = 720, GRAPH_HEIGHT = 170 };

static double graph_y(double share)
{
    return (1.0 - share) * GRAPH_HEIGHT;
}

/* The number of each end below the middle of its shots. */
static void put_end_numbers(FILE *out, const json_t *shots, double step)
{
    size_t count = json_array_size(shots), first = 0;

    for (size_t k = 0; k < count; k++) {
        double end = real_of(json_array_get(shots, k), "end");
        if (k + 1 < count && real_of(json_array_get(shots, k + 1), "end") == end)
            continue;
        fprintf(out, "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%.0f</text>",
                (double)(first + k + 1) * step / 2.0, GRAPH_HEIGHT + 15, end + 1.0);
        first = k + 1;
    }
}

/* The chance of red after each shot, from the start on; lines between ends; dots at the shots that
 * cost most. */
static void put_graph(FILE *out, const json_t *result)
{
    const json_t *shots = at(result, "shots"), *shot;
    size_t count = json_array_size(shots), k;
    double step = GRAPH_WIDTH / (double)(count > 0 ? count : 1), end_before = NAN;

    fprintf(out, "<svg class=\"graph\" viewBox=\"-44 -10 %d %d\"><g stroke=\"#ccc\">",
            GRAPH_WIDTH + 54, GRAPH_HEIGHT + 30);
    for (int line = 0; line <= 4; line++)
        fprintf(out, "<line x1=\"0\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>", GRAPH_WIDTH,
                graph_y(line / 4.0), graph_y(line / 4.0));
    json_array_foreach(shots, k, shot)
    {
        double end = real_of(shot, "end");
        if (k > 0 && end != end_before)
            fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" y2=\"%d\"/>", (double)k * step,
                    (double)k * step, GRAPH_HEIGHT);
        end_before = end;
    }
    fputs("</g><g class=\"scale\">", out);
    put_end_numbers(out, shots, step);
    for (int line = 0; line <= 4; line++)
        fprintf(out, "<text x=\"-5\" y=\"%.1f\" text-anchor=\"end\">%d %%</text>",
                graph_y(line / 4.0) + 3.0, 25 * line);
    fprintf(out, "<polyline fill=\"none\" stroke=\"#0b5cd5\" stroke-width=\"2\" points=\"0,%.1f",
            graph_y(real_of(at(at(result, "sums"), "start"), "win")));
    json_array_foreach(shots, k, shot)
    {
        double win = real_of(at(at(shot, "values"), "thrown"), "win");
        if (isfinite(win))
            fprintf(out, " %.1f,%.1f", (double)(k + 1) * step,
                    graph_y(team_of(shot) == 0 ? win : 1.0 - win));
    }
    fputs("\"/>", out);
    json_array_foreach(at(result, "key"), k, shot)
    {
        double win = real_of(at(at(shot, "values"), "thrown"), "win");
        double x = (real_of(shot, "number") + 1.0) * step;
        double y = graph_y(team_of(shot) == 0 ? win : 1.0 - win);
        fprintf(out,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"7\" fill=\"#fff\" stroke=\"#111\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%zu</text>",
                x, y, x, y + 3.5, k + 1);
    }
    fputs("</g></svg><p class=\"dim\">Chance of red to win after each throw. Circles: the calls "
          "that cost most, drawn on the next page.</p>",
          out);
}

/* ---- statistics ---- */

/* What comes on top of the chance and the points of red, or goes off them. */
static void put_change(FILE *out, const char *words, int team, const json_t *loss)
{
    double sign = team == 0 ? 1.0 : -1.0, points = sign * real_of(loss, "points");

    fprintf(out, "<tr><th class=\"name\">%s%s</th><td>", words, team < 0 ? "" : team_words[team]);
    put_loss(out, sign * real_of(loss, "win"));
    fprintf(out, "</td><td>%s%.2f</td></tr>",
            points > 0.005    ? "−"
            : points < -0.005 ? "+"
                              : "",
            fabs(points));
}

static void put_total(FILE *out, const char *words, const json_t *value)
{
    double points = real_of(value, "points");

    fprintf(out, "<tr><th class=\"name\">%s</th><td>", words);
    put_percent(out, real_of(value, "win"), 1);
    fprintf(out, "</td><td>%s%.2f</td></tr>", points < -0.005 ? "−" : "", fabs(points));
}

static void put_sums(FILE *out, const json_t *result)
{
    const json_t *sums = at(result, "sums"), *check = at(result, "check");

    fputs(
        "<h2>How it adds up, for red</h2><table class=\"sums\"><tr><th></th><th>chance to win</th>"
        "<th>points</th></tr>",
        out);
    put_total(out, "at the start (points: worth of the ends)", at(sums, "start"));
    for (int team = 0; team < 2; team++) {
        const char *key = team == 0 ? "team0" : "team1";
        put_change(out, "calls of ", team, at(at(sums, "call"), key));
        put_change(out, "throws of ", team, at(at(sums, "execution"), key));
    }
    put_change(out, "the judge&rsquo;s revisions", -1, at(sums, "revision"));
    put_total(out, "at the end", at(sums, "result"));
    fputs("</table><p class=\"dim\">Mean loss of a throw ", out);
    put_percent(out, real_of(check, "execution_loss"), 2);
    fputs(" ± ", out);
    put_percent(out, real_of(check, "execution_loss_error"), 2);
    fputs(": near 0 if the hands are those that the judge assumes.</p>", out);
}

/* A sum over a game, which may be more than one win. */
static void put_wins(FILE *out, double wins)
{
    if (isfinite(wins))
        fprintf(out, "%.2f", wins);
    else
        fputs("–", out);
}

static void put_team_rows(FILE *out, const json_t *result)
{
    fputs("<table><tr><th></th><th>shots</th><th>succeed</th><th>mistakes</th>"
          "<th>wins lost by calls</th><th>by throws</th><th>2 or more with hammer</th><th>forced "
          "to 1</th><th>blanks</th>"
          "<th>steals</th></tr>",
          out);
    for (int team = 0; team < 2; team++) {
        const json_t *row = json_array_get(at(result, "teams"), (size_t)team);
        const json_t *ends = at(row, "ends");
        fprintf(out, "<tr><th class=\"name\"><i style=\"background:%s\"></i>", team_colours[team]);
        put(out, name_of(result, team));
        fprintf(out, "</th><td>%.0f</td><td>", real_of(row, "shots"));
        put_percent(out, real_of(row, "success_percent") / 100.0, 0);
        fprintf(out, "</td><td>%.0f</td><td>", real_of(row, "mistakes"));
        put_wins(out, real_of(row, "call_sum"));
        fputs("</td><td>", out);
        put_wins(out, real_of(row, "execution_sum"));
        fprintf(out,
                "</td><td>%.0f of %.0f</td><td>%.0f</td><td>%.0f</td><td>%.0f of %.0f</td></tr>",
                real_of(ends, "two_or_more"), real_of(ends, "with_hammer"),
                real_of(ends, "forced_to_one"), real_of(ends, "blanks"), real_of(ends, "steals"),
                real_of(ends, "without_hammer"));
    }
    fputs("</table>", out);
}

static void put_kinds(FILE *out, const json_t *result)
{
    const json_t *row;
    size_t k;

    fputs("<table class=\"kinds\"><tr><th></th><th>kind</th><th>shots</th><th>succeed</th><th>a "
          "call</th>"
          "<th>a throw</th></tr>",
          out);
    for (int team = 0; team < 2; team++)
        json_array_foreach(at(json_array_get(at(result, "teams"), (size_t)team), "kinds"), k, row)
        {
            fprintf(out, "<tr><th class=\"name\"><i style=\"background:%s\"></i></th><td>",
                    team_colours[team]);
            put(out, text_at(row, "kind"));
            fprintf(out, "</td><td>%.0f</td><td>", real_of(row, "shots"));
            put_percent(out, real_of(row, "success_percent") / 100.0, 0);
            fputs("</td><td>", out);
            put_loss(out, real_of(row, "call_loss"));
            fputs("</td><td>", out);
            put_loss(out, real_of(row, "execution_loss"));
            fputs("</td></tr>", out);
        }
    fputs("</table>", out);
}

/* ---- positions ---- */

static void put_path(FILE *out, const json_t *path, const char *look)
{
    const json_t *point;
    size_t k;

    fprintf(out, "<polyline class=\"%s\" points=\"", look);
    json_array_foreach(path, k, point)
    {
        fprintf(out, "%.3f,%.3f ", json_number_value(json_array_get(point, 0)),
                -json_number_value(json_array_get(point, 1)));
    }
    fputs("\"/>", out);
}

static void put_house(FILE *out)
{
    static const struct {
        double radius;
        const char *colour;
    } rings[] = {{1.829, "#b7d3f2"}, {1.219, "#fff"}, {0.61, "#f3bcbc"}, {0.15, "#fff"}};

    for (size_t k = 0; k < sizeof rings / sizeof rings[0]; k++)
        fprintf(out,
                "<circle cx=\"0\" cy=\"%.3f\" r=\"%.3f\" fill=\"%s\" stroke=\"#888\" "
                "stroke-width=\".015\"/>",
                -TEE_Y, rings[k].radius, rings[k].colour);
    for (int k = 0; k < 3; k++) {
        double y = k == 0 ? TEE_Y : k == 1 ? HOG_Y : BACK_Y;
        fprintf(out, "<line x1=\"%.3f\" x2=\"%.3f\" y1=\"%.3f\" y2=\"%.3f\" class=\"line\"/>",
                -HALF_WIDTH, HALF_WIDTH, -y, -y);
    }
    fprintf(out, "<line x1=\"0\" x2=\"0\" y1=\"%.3f\" y2=\"%.3f\" class=\"line\"/>",
            -BACK_Y - MARGIN_M, -HOG_Y + MARGIN_M);
}

static void put_stones(FILE *out, const json_t *stones)
{
    const json_t *stone;
    size_t k;

    for (int team = 0; team < 2; team++)
        json_array_foreach(at(stones, team == 0 ? "team0" : "team1"), k, stone)
        {
            const json_t *place = at(stone, "position");
            if (!place)
                continue;
            fprintf(out,
                    "<circle cx=\"%.3f\" cy=\"%.3f\" r=\"%.3f\" fill=\"%s\" stroke=\"#222\" "
                    "stroke-width=\".03\"/>",
                    real_of(place, "x"), -real_of(place, "y"), STONE_RADIUS, team_colours[team]);
        }
}

static void put_position(FILE *out, const json_t *shot, size_t number)
{
    const json_t *paths = at(shot, "paths"), *best = at(shot, "best");

    fprintf(out, "<figure><svg viewBox=\"%.3f %.3f %.3f %.3f\">", -HALF_WIDTH - 0.1,
            -BACK_Y - MARGIN_M, 2.0 * (HALF_WIDTH + 0.1), BACK_Y - HOG_Y + 2.0 * MARGIN_M);
    put_house(out);
    put_path(out, at(paths, "called"), "called");
    put_path(out, at(paths, "thrown"), "thrown");
    put_path(out, at(paths, "best"), "best");
    put_stones(out, at(shot, "stones"));
    fprintf(out, "</svg><figcaption><b>%zu.</b> ", number);
    put_shot_name(out, shot);
    fputs("<br>called: ", out);
    put(out, text_at(at(shot, "called"), "kind"));
    if (json_is_true(at(shot, "estimated")))
        fputs(" (estimated)", out);
    fputs("<br>better: <b>", out);
    put(out, text_at(best, "kind"));
    fputs("</b><br>call ", out);
    put_loss(out, real_of(at(shot, "call"), "win"));
    fputs(", throw ", out);
    put_loss(out, real_of(at(shot, "execution"), "win"));
    fputs("</figcaption></figure>", out);
}

/* ---- the page ---- */

static const char head[] =
    "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"
    "<style>@page{size:A4;margin:12mm}"
    "body{font:13px/1.4 system-ui,sans-serif;color:#111;background:#fff;max-width:186mm;margin:1em "
    "auto;padding:0 .5em;print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "h1{font-size:20px;margin:0 0 .2em;overflow-wrap:anywhere}h2{font-size:15px;margin:1em 0 .3em}"
    "p{margin:.3em 0}.dim{color:#555}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.15em .4em;border-bottom:1px solid "
    "#ddd;text-align:right;font-weight:inherit}tr:first-child th{color:#555;vertical-align:bottom}"
    ".name{text-align:left;overflow-wrap:anywhere;min-width:12em;max-width:16em}.kinds "
    ".name{min-width:"
    "0}.kinds :nth-child(2){text-align:left}.sums{width:auto}.board td,.board "
    "th{text-align:center}.board .name{text-align:left}"
    "i{display:inline-block;width:.8em;height:.8em;border:1px solid #222;border-radius:50%;"
    "margin-right:.4em;vertical-align:-.05em}"
    ".graph{width:100%}.graph text{font-size:11px;fill:#111}"
    ".keys{display:grid;grid-template-columns:repeat(5,1fr);gap:2mm}"
    "figure{margin:0;break-inside:avoid}figure svg{width:100%;background:#f4f8fb}figcaption{"
    "font-size:11px;line-height:1.35}"
    "polyline{fill:none;stroke-width:.06;stroke-linecap:round}.graph polyline{stroke-width:2}"
    ".best{stroke:#0a7a3c}.called{stroke:#0b5cd5}.thrown{stroke:#111;stroke-dasharray:.15 .1}"
    ".line{stroke:#888;stroke-width:.02}"
    ".second{break-before:page}@media(max-width:40em){.keys{grid-template-columns:repeat(2,1fr)}}"
    "</style><title>";

static void put_first(FILE *out, const json_t *result)
{
    const char *winner = text_at(result, "winner");

    fputs("<h1>", out);
    put(out, name_of(result, 0));
    fputs(" – ", out);
    put(out, name_of(result, 1));
    fputs("</h1><p class=\"dim\">Review", out);
    if (*text_at(result, "game")) {
        fputs(" of game ", out);
        put(out, text_at(result, "game"));
    }
    fputs(", ", out);
    put(out, text_at(result, "profile"));
    fprintf(out, ", %.0f ends. Judge: ", real_of(result, "ends"));
    put(out, text_at(result, "judge"));
    fprintf(out, ", %.0f throws for each value. ", real_of(result, "throws"));
    /* Only a draw is worth a half to both; a game that was broken off is worth what it was. */
    const json_t *value = at(at(result, "sums"), "result");
    fputs(*winner                        ? strcmp(winner, "team0") == 0 ? "Red won" : "Yellow won"
          : real_of(value, "win") == 0.5 ? "Drawn"
                                         : "Broken off",
          out);
    fputs(json_is_true(at(result, "conceded")) ? ", the other side conceded.</p>" : ".</p>", out);
    put_board(out, result);
    fputs("<h2>The game</h2>", out);
    put_graph(out, result);
    fputs("<h2>The sides</h2>", out);
    put_team_rows(out, result);
    put_sums(out, result);
}

static void put_second(FILE *out, const json_t *result)
{
    const json_t *shot;
    size_t k;

    fputs("<section class=\"second\"><h2>The calls that cost most</h2><div class=\"keys\">", out);
    json_array_foreach(at(result, "key"), k, shot) put_position(out, shot, k + 1);
    fputs(
        "</div><p class=\"dim\">Green: the better call. Blue: the call. Dashed: the throw. Chances "
        "of winning, over the errors of the hand.</p><h2>By kind of call</h2>",
        out);
    put_kinds(out, result);
    fputs("</section>", out);
}

char *review_html(const json_t *result)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fputs(head, out);
    put(out, name_of(result, 0));
    fputs(" – ", out);
    put(out, name_of(result, 1));
    fputs("</title></head><body>", out);
    put_first(out, result);
    put_second(out, result);
    fputs("</body></html>\n", out);
    bool good = ferror(out) == 0;
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}
