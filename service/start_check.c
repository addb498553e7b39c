/* See start_check.h. */
#include "service/start_check.h"

#include "service/http/http.h"
#include "service/store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool complain(const char *data, const char *why)
{
    fprintf(stderr, "rinkd: --data %s: %s\n", data, why);
    return false;
}

/* Makes the folder as a start does, and removes it. */
static bool make_folder(const char *data)
{
    if (mkdir(data, 0700) == 0)
        return rmdir(data) == 0 || complain(data, strerror(errno));
    return complain(data, errno == ENOENT ? "its parent folder does not exist" : strerror(errno));
}

/* Makes a file in the folder, and removes it. */
static bool make_file(const char *data)
{
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof path, "%s/rinkd.check-XXXXXX", data) >= sizeof path)
        return complain(data, strerror(ENAMETOOLONG));
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return complain(data, strerror(errno));
    close(file);
    return unlink(path) == 0 || complain(data, strerror(errno));
}

/* The files of the database are written to. */
static bool check_files(const char *data)
{
    static const char *const files[] = {"rinkd.db", "rinkd.lock"};
    char path[PATH_MAX];

    for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
        if ((size_t)snprintf(path, sizeof path, "%s/%s", data, files[k]) >= sizeof path)
            return complain(data, strerror(ENAMETOOLONG));
        if (access(path, R_OK | W_OK) != 0 && errno != ENOENT) {
            fprintf(stderr, "rinkd: %s: %s\n", path, strerror(errno));
            return false;
        }
    }
    return true;
}

static bool check_data(const char *data)
{
    struct stat about;

    if (stat(data, &about) != 0)
        return errno == ENOENT ? make_folder(data) : complain(data, strerror(errno));
    return make_file(data) && check_files(data);
}

bool start_check(const struct config *config)
{
    char error[STORE_ERROR_MAX];

    if (!check_data(config->data))
        return false;
    if (store_is_in_use(config->data)) {
        fprintf(stderr, "rinkd: a rinkd runs with %s, so its port is not tried\n", config->data);
        return true;
    }
    if (http_check(config, error))
        return true;
    fprintf(stderr, "rinkd: %s\n", error);
    return false;
}
