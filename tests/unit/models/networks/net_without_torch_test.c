/* A program without libtorch: small networks work, the others report why they do not. */
#include "models/networks/net.h"

#include "models/tables/architectures.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void large_networks_are_refused(void **state)
{
    (void)state;
    const struct net_spec specs[] = {
        {.architecture = "set",
         .inputs = 6,
         .outputs = 1,
         .hidden = {4},
         .rows = 2,
         .row_features = 3},
        {.architecture = "conv7", .inputs = 1024, .outputs = 1, .hidden = {4}, .planes = 1},
        {.architecture = "resnet", .inputs = 1024, .outputs = 1, .hidden = {4}, .planes = 1},
    };
    for (int k = 0; k < 3; k++) {
        struct net *net = NULL;
        char error[NET_ERROR_MAX] = "";
        assert_int_equal(net_new(&specs[k], "auto", &net, error), NET_NOT_BUILT_IN);
        assert_non_null(strstr(error, "there is no libtorch here"));
        assert_non_null(strstr(error, RINKD_TORCH ? "librinkd_torch.so" : "RINKD_TORCH=OFF"));
        assert_null(net);
    }
}

static void small_networks_are_made(void **state)
{
    (void)state;
    const struct net_spec specs[] = {
        {.architecture = "mlp", .inputs = 2, .outputs = 1, .hidden = {3}, .seed = 1},
        {.architecture = "lines",
         .inputs = 2,
         .outputs = 1,
         .hidden = {3},
         .rows = 1,
         .row_features = 1,
         .seed = 1},
    };
    for (size_t k = 0; k < sizeof specs / sizeof specs[0]; k++) {
        struct net *net;
        char error[NET_ERROR_MAX];
        float inputs[2] = {1.0f, 2.0f}, output;
        assert_int_equal(net_new(&specs[k], "auto", &net, error), NET_OK);
        assert_int_equal(net_evaluate(net, 1, inputs, &output), NET_OK);
        net_free(net);
    }
}

static void plain_networks_need_no_torch(void **state)
{
    (void)state;
    assert_false(network_architecture_find("mlp")->needs_torch);
    assert_false(network_architecture_find("lines")->needs_torch);
    assert_true(network_architecture_find("set")->needs_torch);
    assert_true(network_architecture_find("conv7")->needs_torch);
    assert_true(network_architecture_find("resnet")->needs_torch);
    assert_null(network_architecture_find("tree"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_networks_are_refused),
        cmocka_unit_test(small_networks_are_made),
        cmocka_unit_test(plain_networks_need_no_torch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
