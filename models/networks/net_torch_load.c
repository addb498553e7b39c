/* Loads the module with libtorch on first use. */
#include "models/networks/net_torch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool tried;
static const struct net_kind *kind;
static char reason[NET_ERROR_MAX];

/* The search path of the programs names the folders (CMAKE_BUILD_RPATH, CMAKE_INSTALL_RPATH). The
 * module stays until the program ends: libtorch cannot be unloaded. */
static void load(void)
{
#if RINKD_TORCH
    void *module = dlopen("librinkd_torch.so", RTLD_NOW | RTLD_LOCAL);
    kind = module ? dlsym(module, "net_torch_kind") : NULL;
    if (!kind)
        snprintf(reason, sizeof reason, "%s", dlerror());
#else
    snprintf(reason, sizeof reason, "this build goes without it (RINKD_TORCH=OFF)");
#endif
}

const struct net_kind *net_torch(const char **ret_reason)
{
    pthread_mutex_lock(&lock);
    if (!tried)
        load();
    tried = true;
    pthread_mutex_unlock(&lock);
    *ret_reason = reason;
    return kind;
}
