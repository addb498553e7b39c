/* Told chances against results: sums by rows, pairs as the sample, and lines that are wrong. */
#include "workers/evaluate/play/calibration.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char header[] =
    MATCH_RECORD_HEADER ",\"version\":1,\"players\":[\"rink\",\"random\"],\"ends\":2}\n";

static void assert_near(double found, double wanted)
{
    if (!(fabs(found - wanted) <= 1e-9))
        fail_msg("%.12g is not %.12g", found, wanted);
}

static void write_told(FILE *out, int pair, int game, int player, int end, int shot,
                       const char *chance)
{
    match_record_begin(out, &(struct match_record_line){
                                MATCH_RECORD_SHOT, {.first = 0, .second = 1, .pair = pair}, game});
    fprintf(out, "\"end\":%d,\"shot\":%d,\"player\":%d,\"hammer\":%s,%s\"win_probability\":%s}\n",
            end, shot, player, shot % 2 ? "true" : "false", shot == 15 ? "\"sente_score\":1," : "",
            chance);
}

static void write_result(FILE *out, int pair, int first_half_points, int second_half_points)
{
    const struct record_name name = {.first = 0, .second = 1, .pair = pair};
    const struct pair_result result = {
        .game = {{.half_points = first_half_points}, {.half_points = second_half_points}}};

    match_record_write_pair(out, &name, &result);
}

static bool read_text(const char *text, struct calibration *ret_calibration,
                      char ret_error[CALIBRATION_ERROR_MAX])
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

    assert_non_null(file);
    bool good = calibration_read(file, ret_calibration, ret_error);
    fclose(file);
    return good;
}

static struct calibration calibration; /* large */

static void chances_are_compared_with_results(void **state)
{
    char *text, error[CALIBRATION_ERROR_MAX];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;

    fputs(header, out);
    write_told(out, 0, 0, 0, 0, 0, "0.25");  /* won */
    write_told(out, 0, 0, 1, 0, 1, "null");  /* nothing was told */
    write_told(out, 0, 0, 0, 1, 14, "0.75"); /* won */
    write_told(out, 0, 1, 0, 1, 15, "1");    /* drawn */
    write_told(out, 0, 1, 0, 2, 3, "0.5");   /* drawn, in an extra end */
    write_result(out, 0, 2, 1);
    write_told(out, 1, 0, 0, 0, 5, "0.25"); /* lost */
    write_told(out, 1, 0, 1, 0, 6, "0.4");  /* the other one won */
    write_result(out, 1, 0, 1);
    write_told(out, 2, 0, 0, 0, 0, "0.9"); /* this pair is not finished */
    fputs("{\"record\":\"shot\",\"pairing\":[0,", out);
    fclose(out);
    assert_true(read_text(text, &calibration, error));
    assert_int_equal(calibration.players, 2);
    assert_string_equal(calibration.name[0], "rink");
    assert_int_equal(calibration.pairs, 2);
    const struct calibration_row *rink = calibration.row[0], *other = calibration.row[1];
    assert_int_equal(rink[CALIBRATION_ALL].shots, 5);
    assert_near(rink[CALIBRATION_ALL].told, 2.75);
    assert_near(rink[CALIBRATION_ALL].won, 3.0);
    assert_near(rink[CALIBRATION_ALL].squares, 0.5625 + 0.0625 + 0.25 + 0.0 + 0.0625);
    assert_near(calibration_above(&rink[CALIBRATION_ALL]), 0.05);
    /* The residuals of the pairs are .5 - 4 * .05 and -.25 - .05, of 5 shots. */
    const struct interval interval = calibration_interval(&rink[CALIBRATION_ALL]);
    assert_near(0.5 * (interval.high - interval.low),
                STATISTICS_Z_95 * sqrt(2.0 * (0.09 + 0.09)) / 5.0);
    assert_int_equal(rink[CALIBRATION_TENTH + 2].shots, 2);
    assert_int_equal(rink[CALIBRATION_TENTH + 9].shots, 1); /* 1 belongs to the last tenth */
    assert_int_equal(rink[CALIBRATION_STAGE + 0].shots, 2);
    assert_int_equal(rink[CALIBRATION_STAGE + 1].shots, 1);
    assert_int_equal(rink[CALIBRATION_STAGE + 2].shots, 1);
    assert_int_equal(rink[CALIBRATION_STAGE + 3].shots, 1);
    assert_int_equal(rink[CALIBRATION_ENDS + 0].shots, 2);
    assert_int_equal(rink[CALIBRATION_ENDS + 1].shots, 2);
    assert_int_equal(rink[CALIBRATION_ENDS + 2].shots, 1);
    assert_int_equal(rink[CALIBRATION_HAMMER + 1].shots, 3);
    assert_int_equal(other[CALIBRATION_ALL].shots, 1);
    assert_near(calibration_above(&other[CALIBRATION_ALL]), 0.6);
    assert_true(isnan(calibration_interval(&other[CALIBRATION_ALL]).low)); /* one pair */
    assert_true(isnan(calibration_above(&other[CALIBRATION_TENTH])));
    calibration_free(&calibration);
    free(text);
}

static void wrong_lines_are_named(void **state)
{
#define SHOT "{\"record\":\"shot\",\"pairing\":[0,1],\"pair\":0,\"game\":0,"
    static const struct {
        const char *text, *told;
    } bad[] = {
        {"x\n", "line 1: no JSON"},
        {"{}\n", "line 1: no header"},
        {MATCH_RECORD_HEADER ",\"players\":[],\"ends\":2}\n", "line 1: no header"},
        {MATCH_RECORD_HEADER ",\"players\":[7],\"ends\":2}\n", "line 1: no header"},
    };
    static const struct {
        const char *line, *told;
    } bad_lines[] = {
        {"{\n", "line 2: no JSON"},
        {"{}\n", "line 2: neither a shot nor a pair"},
        {SHOT "\"win_probability\":0.5}\n", "line 2: no record of a shot"},
        {SHOT "\"end\":0,\"shot\":0,\"player\":0,\"hammer\":true}\n", "no record of a shot"},
        {SHOT "\"end\":0,\"shot\":0,\"player\":2,\"hammer\":true,\"win_probability\":0.5}\n",
         "no record of a shot"},
        {SHOT "\"end\":0,\"shot\":0,\"player\":0,\"hammer\":true,\"win_probability\":1.5}\n",
         "win_probability"},
        {"{\"record\":\"shot\",\"pairing\":[0,2],\"pair\":0,\"game\":0,\"end\":0}\n",
         "neither a shot nor a pair"},
        {"{\"record\":\"pair\",\"pairing\":[0,9],\"pair\":0,\"games\":[null,null],\"effort\":["
         "{\"moves\":0,\"simulations\":0,\"cpu_s\":0.0,\"elapsed_s\":0.0},"
         "{\"moves\":0,\"simulations\":0,\"cpu_s\":0.0,\"elapsed_s\":0.0}]}\n",
         "not in the header"},
    };
    char text[1024], error[CALIBRATION_ERROR_MAX];
    (void)state;

    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        assert_false(read_text(bad[k].text, &calibration, error));
        if (!strstr(error, bad[k].told))
            fail_msg("%zu: %s", k, error);
    }
    for (size_t k = 0; k < sizeof bad_lines / sizeof bad_lines[0]; k++) {
        snprintf(text, sizeof text, "%s%s", header, bad_lines[k].line);
        assert_false(read_text(text, &calibration, error));
        if (!strstr(error, bad_lines[k].told))
            fail_msg("line %zu: %s", k, error);
    }
    assert_true(read_text(header, &calibration, error));
    assert_int_equal(calibration.pairs, 0);
    calibration_free(&calibration);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chances_are_compared_with_results),
        cmocka_unit_test(wrong_lines_are_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
