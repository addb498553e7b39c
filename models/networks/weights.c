/* Maps files of weights. See weights.h. */
#include "models/networks/weights.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

bool weights_map(const char *path, struct weights *ret_weights, char ret_error[WEIGHTS_ERROR_MAX])
{
    struct stat about = {.st_size = 0};
    void *bytes = MAP_FAILED;

    errno = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0)
        bytes = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, file, 0);
    if (bytes == MAP_FAILED)
        snprintf(ret_error, WEIGHTS_ERROR_MAX, "%.800s: %s", path,
                 errno ? strerror(errno) : "the file is empty");
    if (file >= 0)
        close(file);
    if (bytes == MAP_FAILED)
        return false;
    *ret_weights = (struct weights){bytes, (size_t)about.st_size};
    return true;
}

void weights_unmap(struct weights *weights)
{
    munmap((void *)(uintptr_t)weights->bytes, weights->size);
    *weights = (struct weights){NULL, 0};
}

/* Programs in tests/unit/models/networks of a build folder lie deepest. */
bool weights_shared_folder(const char *variable, const char *name, size_t size, char *ret_folder)
{
    enum { LEVELS = 6 };
    const char *named = getenv(variable);
    char program[PATH_MAX];

    if (named && *named)
        return snprintf(ret_folder, size, "%s", named) < (int)size;
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    for (int level = 0; length > 0 && level < LEVELS; level++) {
        program[length] = '\0';
        char *slash = strrchr(program, '/');
        if (!slash)
            break;
        *slash = '\0';
        length = slash - program;
        if (snprintf(ret_folder, size, "%s/" SHARED_FOLDER "/%s", program, name) < (int)size &&
            access(ret_folder, F_OK) == 0)
            return true;
    }
    return false;
}

bool weights_map_shipped(const char *name, uint32_t crc32_wanted, struct weights *ret_weights,
                         char ret_error[WEIGHTS_ERROR_MAX])
{
    char folder[PATH_MAX], path[PATH_MAX];
    struct weights weights;

    if (!weights_shared_folder("RINKD_WEIGHTS", "weights", sizeof folder, folder)) {
        snprintf(ret_error, WEIGHTS_ERROR_MAX,
                 "%.100s.safetensors: no folder " SHARED_FOLDER "/weights is above this program; "
                 "RINKD_WEIGHTS can name it",
                 name);
        return false;
    }
    if (snprintf(path, sizeof path, "%s/%s.safetensors", folder, name) >= (int)sizeof path) {
        snprintf(ret_error, WEIGHTS_ERROR_MAX,
                 "%.100s.safetensors: the path of its folder is too long", name);
        return false;
    }
    if (!weights_map(path, &weights, ret_error))
        return false;
    if (crc32_z(0, weights.bytes, weights.size) != crc32_wanted) {
        snprintf(ret_error, WEIGHTS_ERROR_MAX,
                 "%.800s: the file is damaged or belongs to another version of rinkd", path);
        weights_unmap(&weights);
        return false;
    }
    *ret_weights = weights;
    return true;
}
