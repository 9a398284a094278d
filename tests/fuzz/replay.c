/* replay.c - a fuzz target without libFuzzer: what the folders that are named hold, each file once. */
#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(int folder, const char *name)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY), rc = -1;
    if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
        /* Exactly its size, so that tools see what is read behind its end. */
        uint8_t *bytes = malloc(st.st_size ? (size_t)st.st_size : 1);
        if (bytes && read(fd, bytes, (size_t)st.st_size) == st.st_size)
            rc = LLVMFuzzerTestOneInput(bytes, (size_t)st.st_size);
        free(bytes);
    }
    if (fd >= 0)
        close(fd);
    return rc;
}

static int replay_folder(const char *path)
{
    DIR *d = opendir(path);
    if (!d) {
        perror(path);
        return 1;
    }
    int failed = 0;
    unsigned n = 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (e->d_name[0] == '.')
            continue;
        n++;
        if (replay_file(dirfd(d), e->d_name) != 0) {
            fprintf(stderr, "%s/%s: not replayed\n", path, e->d_name);
            failed = 1;
        }
    }
    closedir(d);
    printf("%s: %u inputs\n", path, n);
    return failed || !n;
}

int main(int argc, char **argv)
{
    int failed = 0;
    for (int i = 1; i < argc; i++)
        failed |= replay_folder(argv[i]);
    return failed;
}
