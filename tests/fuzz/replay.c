/* Passes each file of the folders on the command line to a fuzz target once: runs the corpus as an
 * ordinary test in builds without libFuzzer. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void give_up(const char *path)
{
    perror(path);
    exit(1);
}

static void replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct stat about;

    if (!file || fstat(fileno(file), &about) != 0)
        give_up(path);
    size_t size = (size_t)about.st_size;
    uint8_t *data = malloc(size ? size : 1);
    if (!data || fread(data, 1, size, file) != size)
        give_up(path);
    fclose(file);
    printf("%s\n", path); /* on abort, the last path printed is the culprit */
    fflush(stdout);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

int main(int argc, char **argv)
{
    int files = 0;

    for (int k = 1; k < argc; k++) {
        DIR *folder = opendir(argv[k]);
        struct dirent *entry;

        if (!folder)
            give_up(argv[k]);
        while ((entry = readdir(folder)) != NULL) {
            char path[4096];
            if (entry->d_name[0] == '.')
                continue;
            snprintf(path, sizeof path, "%s/%s", argv[k], entry->d_name);
            replay_file(path);
            files++;
        }
        closedir(folder);
    }
    printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
