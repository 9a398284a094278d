/*
 * rtc.c - see rtc.h.
 *
 *     ~/.cache/lanescope/rtc/HASH/NAME         a source's text, under one name in all runs
 *     ~/.cache/lanescope/rtc-KEY/comgr, ...    caches of code that we had a hand in
 *
 * The preloaded library makes them when the program compiles its first kernel. KEY stands for our plugins and
 * for what the environment tells them. comgr and the libraries know nothing of either, so that one folder for
 * all would give old code back.
 */
#include "rtc.h"
#include "cli/common/cache.h"
#include "cli/common/paths.h"
#include "common/hash.h"
#include "results/file/error_text.h"

#include <glob.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Variables that name a cache of compiled kernels, and what we call ours. */
static const struct {
    const char *variable, *name;
} caches[] = {
    {"AMD_COMGR_CACHE_DIR", "comgr"},       {"CUPY_CACHE_DIR", "cupy"},
    {"ROCFFT_RTC_CACHE_PATH", "rocfft.db"}, {"ROCFFT_RTC_SYS_CACHE_PATH", "rocfft-system.db"},
    {"MIOPEN_CUSTOM_CACHE_DIR", "miopen"},  {"PYTORCH_KERNEL_CACHE_PATH", "pytorch"},
};

/* That of PyOpenCL keeps binaries by their text, in a folder that it alone knows: it can only be switched off. comgr's, below it,
 * is ours. */
static const char pyopencl_off[] = "PYOPENCL_NO_CACHE";

static void mix_file(uint64_t *hash, const char *path)
{
    struct stat st;
    if (stat(path, &st))
        return;
    *hash = ls_hash(*hash, path, strlen(path) + 1);
    *hash = ls_hash(*hash, &st.st_size, sizeof st.st_size);
    *hash = ls_hash(*hash, &st.st_mtim, sizeof st.st_mtim);
}

/* What code depends on besides what its compiler is told. */
static uint64_t key(void)
{
    static const char *const variables[] = {"LANESCOPE_PROBE_BLOCKS", "LANESCOPE_PROBE_KERNELS",
                                            "LANESCOPE_SYSTEM_FOLDERS"};
    uint64_t hash = LS_HASH_BEGIN;
    glob_t files;
    char *pattern = piece_path("liblanescope-p*.so"); /* the plugins, and the preloaded library */
    if (pattern && !glob(pattern, 0, NULL, &files)) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            mix_file(&hash, files.gl_pathv[i]);
        globfree(&files);
    }
    free(pattern);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *v = getenv(variables[i]);
        hash = ls_hash(hash, v ? v : "", v ? strlen(v) + 1 : 1);
    }
    return hash;
}

static void set_caches(const char *folder)
{
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        char *path = ls_text("%s/%s", folder, caches[i].name);
        if (path)
            setenv(caches[i].variable, path, 1);
        free(path);
    }
    setenv(pyopencl_off, "1", 1);
}

void rtc_off(void)
{
    unsetenv("LANESCOPE_RTC_DIRECTORY");
    unsetenv("LANESCOPE_RTC_CACHES");
    unsetenv("LANESCOPE_RTC_MISSING");
}

void rtc_prepare(void)
{
    char *base = cache_folder();
    char *sources = base ? ls_text("%s/rtc", base) : NULL;
    char *keyed = base ? ls_text("%s/rtc-%016" PRIx64, base, key()) : NULL;
    rtc_off();
    if (sources && keyed) {
        setenv("LANESCOPE_RTC_DIRECTORY", sources, 1);
        setenv("LANESCOPE_RTC_CACHES", keyed, 1);
        set_caches(keyed);
    } else { /* told when a kernel is compiled */
        setenv("LANESCOPE_RTC_MISSING", "neither HOME nor XDG_CACHE_HOME names a folder for their sources",
               1);
    }
    free(base);
    free(sources);
    free(keyed);
}
