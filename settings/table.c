/* table.c - the rows of the table (table.h). */
#include "table.h"

#include "lanescope/defaults.h"

/* lanescope/wire.h, struct ls_ctx: chunk_bytes is 1 KiB to 64 KiB. One chunk of the smallest size is enough for a
 * ring. */
#define CHUNK_LEAST 1024
#define CHUNK_MOST 65536

static const char *const on_full[] = {"wait", "drop", NULL};
static const char *const uninstrumented[] = {"skip", "isa", NULL};
static const char *const sources[] = {"shared", "all", "none", NULL}; /* enum ls_sources */
static const char *const only[] = {"only", NULL};
static const char *const always[] = {"always", NULL};
static const char *const log_levels[] = {"error", "warning", "info", "debug", NULL};
static const char *const checks[] = {"races", "uninit", "global", "memory", NULL};

const struct setting settings[N_VARIABLES] = {
    [SET_GPU] =
        {
            .key = "gpu",
            .env = "LANESCOPE_GPU",
            .option = "gpu",
            .arg = "GPU",
            .fallback = "auto",
            .help = "auto, hw, or soft[:NAME[xN]], N GPUs of a NAME that `list gpus` shows; auto takes the "
                    "software GPU when there is no /dev/kfd",
            .type = TYPE_GPU,
        },
    [SET_PRESET] =
        {
            .key = "preset",
            .env = "LANESCOPE_PRESET",
            .option = "preset",
            .arg = "quick|default|everything",
            .fallback = "default",
            .help =
                "how much is observed where no other setting says so: quick a part of the wavefronts of the "
                "first launches, everything with all handlers",
            .type = TYPE_CHOICE,
            .accepts = "quick, default or everything",
            .names = setting_preset_names,
        },
    [SET_OUTPUT_FILE] =
        {
            .key = "output_file",
            .env = "LANESCOPE_OUTPUT_FILE",
            .option = "output-file",
            .letter = 'o',
            .arg = "NAME",
            .fallback = "%hostname%/%pid%",
            .help = "result file: NAME_srclines.db, or NAME if it ends in .db; placeholders as in rocprofv3",
            .type = TYPE_NAME,
        },
    [SET_OUTPUT_DIRECTORY] =
        {
            .key = "output_directory",
            .env = "LANESCOPE_OUTPUT_DIRECTORY",
            .option = "output-directory",
            .letter = 'd',
            .arg = "DIR",
            .fallback = ".",
            .help = "directory of the result file; placeholders as in rocprofv3",
            .type = TYPE_NAME,
        },
    [SET_HANDLERS] =
        {
            .key = "handlers",
            .env = "LANESCOPE_HANDLERS",
            .option = "handlers",
            .arg = "LIST",
            .fallback = LS_DEFAULT_HANDLERS,
            .help = "handlers, separated by commas: names (`list handlers` shows them) or paths, each with "
                    ":OPTIONS",
            .type = TYPE_NAME,
        },
    [SET_AS] =
        {
            .key = "as",
            .env = "LANESCOPE_AS",
            .option = "as",
            .arg = "GPUS",
            .fallback = "",
            .help = "price the same accesses as on these GPUs, too (gfx950,gfx90a), for `report --as`",
            .type = TYPE_GPUS,
        },
    [SET_INCLUDE] =
        {
            .key = "kernel_include_regex",
            .env = "LANESCOPE_KERNELS",
            .option = "kernel-include-regex",
            .arg = "REGEX",
            .fallback = "",
            .help = "observe only kernels whose demangled name matches",
            .type = TYPE_REGEX,
        },
    [SET_EXCLUDE] =
        {
            .key = "kernel_exclude_regex",
            .env = "LANESCOPE_KERNELS_EXCLUDE",
            .option = "kernel-exclude-regex",
            .arg = "REGEX",
            .fallback = "",
            .help = "observe no kernels whose demangled name matches",
            .type = TYPE_REGEX,
        },
    [SET_ITERATIONS] =
        {
            .key = "kernel_iteration_range",
            .env = "LANESCOPE_DISPATCHES",
            .option = "kernel-iteration-range",
            .arg = "RANGES",
            .fallback = "",
            .help = "dispatches of each kernel to observe, from 1: [1-2],[5-8]",
            .type = TYPE_RANGES,
            .accepts = "ranges of dispatches of a kernel, counted from 1: [1-2],[5-8] or 3 or 1-2,5",
        },
    [SET_SELECTED_REGIONS] =
        {
            .key = "selected_regions",
            .env = "LANESCOPE_SELECTED_REGIONS",
            .option = "selected-regions",
            .flag_value = "true",
            .fallback = "false",
            .help = "observe nothing until the program calls roctxProfilerResume",
            .type = TYPE_BOOLEAN,
        },
    [SET_SAMPLE_WAVES] =
        {
            .key = "sample_waves",
            .env = "LANESCOPE_SAMPLE_WAVES",
            .option = "sample-waves",
            .arg = "1/N",
            .fallback = "1",
            .help = "only every N-th wavefront reports",
            .type = TYPE_EVERY,
            .accepts = "1/N: every N-th wavefront reports",
            .least = 1,
            .most = UINT32_MAX,
        },
    [SET_BLOCKS] =
        {
            .key = "blocks",
            .env = "LANESCOPE_BLOCKS",
            .option = "blocks",
            .arg = "X0:X1,Y0:Y1,Z0:Z1",
            .fallback = "",
            .help = "only these work-groups report; upper bounds are excluded",
            .type = TYPE_BLOCKS,
            .accepts =
                "work-groups as x0:x1,y0:y1,z0:z1 (upper bounds excluded, N for N:N+1, empty for no limit)",
        },
    [SET_RING_SIZE] =
        {
            .key = "ring_size",
            .env = "LANESCOPE_RING_BYTES",
            .option = "ring-size",
            .arg = "BYTES",
            .fallback = "",
            .help = "the ring, memory between GPU and host, as 64M; default: what the GPU's wavefronts need",
            .type = TYPE_SIZE,
            .accepts = "a size from 1K to 4G, as 64M",
            .least = CHUNK_LEAST,
            .most = 4ull << 30,
        },
    [SET_CHUNK_SIZE] =
        {
            .key = "chunk_size",
            .env = "LANESCOPE_CHUNK_BYTES",
            .option = "chunk-size",
            .arg = "BYTES",
            .fallback = "4096",
            .help = "piece of the ring that a wavefront fills: a power of two from 1K to 64K",
            .type = TYPE_POWER,
            .accepts = "a power of two from 1K to 64K",
            .least = CHUNK_LEAST,
            .most = CHUNK_MOST,
        },
    [SET_ON_FULL] =
        {
            .key = "on_full",
            .env = "LANESCOPE_ON_FULL",
            .option = "on-full",
            .arg = "wait|drop",
            .fallback = "wait",
            .help = "when the ring is full, wavefronts wait, or drop messages and count them",
            .type = TYPE_CHOICE,
            .accepts = "wait or drop",
            .names = on_full,
        },
    [SET_SUMMARY_MODE] =
        {
            .key = "summary_mode",
            .env = "LANESCOPE_SUMMARY_MODE",
            .option = "summary-mode",
            .flag_value = "true",
            .fallback = "false",
            .help = "count accesses on the GPU instead of sending each one",
            .type = TYPE_BOOLEAN,
        },
    [SET_UNINSTRUMENTED] =
        {
            .key = "uninstrumented",
            .env = "LANESCOPE_UNINSTRUMENTED",
            .option = "uninstrumented",
            .arg = "skip|isa",
            .fallback = "skip",
            .help = "kernels compiled without Lanescope, on the software GPU: isa observes their machine "
                    "instructions",
            .type = TYPE_CHOICE,
            .accepts = "skip or isa",
            .names = uninstrumented,
        },
    [SET_DECODE_THREADS] =
        {
            .key = "decode_threads",
            .env = "LANESCOPE_DECODE_THREADS",
            .option = "decode-threads",
            .arg = "N",
            .fallback = "0",
            .help = "threads that decode what kernels send; 0: half of its processors, at most 8",
            .type = TYPE_NUMBER,
            .accepts = "a number of threads from 1 to 8, or 0 for half of its processors",
            .most = 8,
        },
    [SET_FINISH_TIMEOUT] =
        {
            .key = "finish_timeout",
            .env = "LANESCOPE_FINISH_TIMEOUT",
            .option = "finish-timeout",
            .arg = "SECONDS",
            .fallback = "10",
            .help = "at the program's end, wait that long for kernels that make no progress",
            .type = TYPE_NUMBER,
            .accepts = "seconds from 0 to 86400",
            .most = 86400,
        },
    [SET_SOFT_THREADS] =
        {
            .key = "soft_threads",
            .env = "LANESCOPE_SOFT_THREADS",
            .option = "soft-threads",
            .arg = "N",
            .fallback = "0",
            .help = "threads of the software GPU; 0: one per processor",
            .type = TYPE_NUMBER,
            .accepts = "a number of threads from 1 to 1024, or 0 for one per processor",
            .most = 1024,
        },
    [SET_ACCESS_LOG] =
        {
            .key = "access_log",
            .env = "LANESCOPE_SOFT_ACCESS_LOG",
            .option = "access-log",
            .arg = "FILE",
            .fallback = "",
            .help = "software GPU: log every memory access to FILE; %p is the process id",
            .type = TYPE_TEXT,
        },
    [SET_SOFT_POISON] =
        {
            .key = "soft_poison",
            .env = "LANESCOPE_SOFT_POISON",
            .option = "soft-poison",
            .arg = "SEED",
            .arg_optional = true,
            .flag_value = "1",
            .fallback = "0",
            .help = "software GPU: fill registers and LDS with random bits at the start",
            .type = TYPE_SEED,
            .accepts = "a seed: a number, 0 for off",
        },
    [SET_SOFT_SHUFFLE] =
        {
            .key = "soft_shuffle",
            .env = "LANESCOPE_SOFT_SHUFFLE",
            .option = "soft-shuffle",
            .arg = "SEED",
            .arg_optional = true,
            .flag_value = "1",
            .fallback = "0",
            .help = "software GPU: run wavefronts and work-groups in random order",
            .type = TYPE_SEED,
            .accepts = "a seed: a number, 0 for off",
        },
    [SET_SOFT_MEMORY] =
        {
            .key = "soft_memory",
            .env = "LANESCOPE_SOFT_MEMORY",
            .option = "soft-memory",
            .arg = "weak[:SEED]",
            .fallback = "strong",
            .help = "software GPU: delay and reorder memory accesses as AMD's memory model allows",
            .type = TYPE_MEMORY,
            .accepts = "strong, weak, or weak:SEED with a number from 1 on",
        },
    [SET_CHECK] =
        {
            .key = "check",
            .env = "LANESCOPE_SOFT_CHECK",
            .option = "check",
            .arg = "races,uninit",
            .arg_optional = true,
            .flag_value = "races,uninit",
            .fallback = "",
            .help = "software GPU: look for races in LDS, reads of unwritten LDS, (global) races in global "
                    "memory, and (memory) fences that are missing",
            .type = TYPE_SET,
            .accepts = "races, uninit, global, memory, separated by commas",
            .names = checks,
        },
    [SET_CHECK_EXIT_CODE] =
        {
            .key = "check_exit_code",
            .env = "LANESCOPE_CHECK_EXIT_CODE",
            .option = "check-exit-code",
            .arg = "N",
            .fallback = "",
            .help = "end with this exit code when the check has found something and the program itself has "
                    "succeeded",
            .type = TYPE_NUMBER,
            .accepts = "an exit code from 1 to 255",
            .least = 1,
            .most = 255,
        },
    [SET_EXACT_MATRIX] =
        {
            .key = "soft_exact_matrix",
            .env = "LANESCOPE_SOFT_EXACT_MATRIX",
            .option = "soft-exact-matrix",
            .flag_value = "true",
            .fallback = "false",
            .help = "software GPU: matrix instructions round exactly as hardware does; slower",
            .type = TYPE_BOOLEAN,
        },
    [SET_SOFT_STALL] =
        {
            .key = "soft_stall",
            .env = "LANESCOPE_SOFT_STALL",
            .option = "soft-stall",
            .arg = "SECONDS",
            .fallback = "10",
            .help = "software GPU: say so when a kernel only waits for that long; 0: never",
            .type = TYPE_NUMBER,
            .accepts = "seconds from 0 to 86400",
            .most = 86400,
        },
    [SET_SOFT_STALL_STOP] =
        {
            .key = "soft_stall_stop",
            .env = "LANESCOPE_SOFT_STALL_STOP",
            .option = "soft-stall-stop",
            .flag_value = "true",
            .fallback = "false",
            .help = "software GPU: stop a kernel of which --soft-stall says that it waits, as after a fault",
            .type = TYPE_BOOLEAN,
        },
    [SET_SUMMARY] =
        {
            .key = "summary",
            .env = "LANESCOPE_SUMMARY",
            .option = "no-summary",
            .flag_value = "false",
            .fallback = "true",
            .help = "print no summary at the end",
            .type = TYPE_BOOLEAN,
        },
    [SET_PROGRESS] =
        {
            .key = "progress",
            .env = "LANESCOPE_PROGRESS",
            .option = "no-progress",
            .flag_value = "false",
            .fallback = "true",
            .help = "on a terminal, do not show in its last line what a long run has observed so far",
            .type = TYPE_BOOLEAN,
        },
    [SET_RTC] =
        {
            .key = "rtc",
            .env = "LANESCOPE_RTC",
            .option = "no-rtc",
            .flag_value = "false",
            .fallback = "true",
            .help = "leave kernels alone that are compiled while the program runs (hiprtc, OpenCL, CuPy, "
                    "Triton...)",
            .type = TYPE_BOOLEAN,
        },
    [SET_CACHE_SIZE] =
        {
            .key = "cache_size",
            .env = "LANESCOPE_CACHE_BYTES",
            .option = "cache-size",
            .arg = "BYTES",
            .fallback = "1073741824",
            .help = "what kernels compiled at run time may leave in the user's cache folder, as 200M",
            .type = TYPE_SIZE,
            .accepts = "a size up to 1024G, as 200M",
            .most = 1ull << 40,
        },
    [SET_SOURCES] =
        {
            .key = "sources",
            .env = "LANESCOPE_SOURCES",
            .option = "sources",
            .arg = "shared|all|none",
            .fallback = "shared",
            .help = "whose text the database keeps: of sources that others than their owner can read, of "
                    "all, of none",
            .type = TYPE_CHOICE,
            .accepts = "shared, all or none",
            .names = sources,
        },
    [SET_FORCE] =
        {
            .key = "force",
            .env = "LANESCOPE_FORCE",
            .option = "force",
            .flag_value = "true",
            .fallback = "false",
            .help = "remove what stands at the name of a result and is not Lanescope's",
            .type = TYPE_BOOLEAN,
        },
    [SET_REQUIRE_OBSERVED] =
        {
            .key = "require_observed",
            .env = "LANESCOPE_REQUIRE_OBSERVED",
            .option = "require-observed",
            .flag_value = "true",
            .fallback = "false",
            .help = "end with exit code 1 when no dispatch was observed and the program itself has succeeded",
            .type = TYPE_BOOLEAN,
        },
    [SET_LIBRARY_DIRS] =
        {
            .key = "library_dirs",
            .env = "LANESCOPE_LIBRARY_DIRS",
            .option = "library",
            .arg = "DIRS",
            .fallback = "",
            .help = "reports: source files below these folders (separated by commas or colons) are a "
                    "library's, not your own",
            .type = TYPE_TEXT,
        },
    [SET_KEEP_GOING] =
        {
            .key = "keep_going",
            .env = "LANESCOPE_KEEP_GOING",
            .option = "keep-going",
            .flag_value = "true",
            .fallback = "false",
            .help = "run the program also when it cannot be recorded",
            .type = TYPE_BOOLEAN,
        },
    [SET_LOG_LEVEL] =
        {
            .key = "log_level",
            .env = "LANESCOPE_LOG",
            .option = "log-level",
            .arg = "LEVEL",
            .fallback = "warning",
            .help = "error, warning, info or debug",
            .type = TYPE_CHOICE,
            .accepts = "error, warning, info or debug",
            .names = log_levels,
        },
    [SET_RECORDING] = {.env = "LANESCOPE_OUTPUT", .fallback = "lanescope-%p.db"},
    [SET_MODULE_DIR] = {.env = "LANESCOPE_MODULE_DIR", .fallback = ""},
    [SET_ARGV_JSON] = {.env = "LANESCOPE_ARGV_JSON", .fallback = ""},
    [SET_SOFT_INTERPRET] = {.env = "LANESCOPE_SOFT_INTERPRET", .fallback = "false", .type = TYPE_BOOLEAN},
    [SET_CHECK_DIRECTORY] = {.env = "LANESCOPE_SOFT_CHECK_DIRECTORY", .fallback = ""},
    [SET_RING_WRITE_BACK] = {.env = "LANESCOPE_RING_WRITE_BACK", .fallback = "false", .type = TYPE_BOOLEAN},
    [SET_SUMMARY_FEW] = {.env = "LANESCOPE_SUMMARY_FEW",
                         .fallback = "256",
                         .type = TYPE_NUMBER,
                         .accepts = "a number of wavefronts from 0 to 65536",
                         .most = 65536},
    [SET_SOFT_LINK_ATOMICS] = {.env = "LANESCOPE_SOFT_LINK_ATOMICS",
                               .fallback = "true",
                               .type = TYPE_BOOLEAN},
    [SET_SOFT_COUNTS] = {.env = "LANESCOPE_SOFT_COUNTS", .fallback = ""},
    [SET_PROBE_BLOCKS] = {.env = "LANESCOPE_PROBE_BLOCKS",
                          .fallback = "false",
                          .type = TYPE_SWITCH,
                          .accepts = "true, false or only",
                          .names = only},
    [SET_PROBE_KERNELS] = {.env = "LANESCOPE_PROBE_KERNELS", .fallback = "", .type = TYPE_REGEX},
    [SET_PROBE_BESIDE] = {.env = "LANESCOPE_PROBE_BESIDE",
                          .fallback = "true",
                          .type = TYPE_SWITCH,
                          .accepts = "true, false or always",
                          .names = always},
    [SET_VERBOSE] = {.env = "LANESCOPE_VERBOSE", .fallback = "false", .type = TYPE_BOOLEAN},
};

const char *const setting_other_variables[] = {
    "LANESCOPE_CONFIG",      "LANESCOPE_TARGET",          "LANESCOPE_LLVM_DIR",       "LANESCOPE_DIRECTORY",
    "LANESCOPE_RUN_ID",      "LANESCOPE_RUN_DIRECTORY",   "LANESCOPE_RTC_DIRECTORY",  "LANESCOPE_RTC_CACHES",
    "LANESCOPE_RTC_MISSING", "LANESCOPE_SYSTEM_FOLDERS",  "LANESCOPE_BUILD",          "LANESCOPE_BUILD_DIR",
    "LANESCOPE_TEST_ALL",    "LANESCOPE_TRITON_VERSIONS", "LANESCOPE_NEWER_RUNTIMES", NULL};

const char *const ls_rank_variables[] = {
    "MPI_RANK", "MPI_LOCALRANKID", "MPI_RANKID", "MV2_COMM_WORLD_RANK", "OMPI_COMM_WORLD_RANK",
    "PMI_RANK", "SLURM_PROCID",    NULL};
