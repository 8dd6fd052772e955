/* Which of the libraries of `build.py` this processor can run. The oldest one is asked, as it can be loaded everywhere.
 *
 * Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, CPUID; Linux, Documentation/arch/arm64/elf_hwcaps.rst;
 * Apple, "Determining instruction set characteristics".
 */
#include <stdint.h>
#include <string.h>

#include "vectors.h"

#if defined(__x86_64__)
#include <cpuid.h>

enum { DOT_PRODUCTS_OF_AVX2 = 1 << 4 };

static int64_t can_run(const char *kind) {
    unsigned int a = 0, b, c, d;
    int avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    int avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                 __builtin_cpu_supports("avx512vl");
    if (!strcmp(kind, "avx2")) return avx2;
    if (!strcmp(kind, "avxvnni")) return avx2 && __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a & DOT_PRODUCTS_OF_AVX2);
    if (!strcmp(kind, "avx512")) return avx512;
    if (!strcmp(kind, "avx512vnni")) return avx512 && __builtin_cpu_supports("avx512vnni");
    return 0;
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

enum { DOT_PRODUCTS = 1 << 20, MATRIX_PRODUCTS = 1 << 13 };

static int64_t can_run(const char *kind) {
    int dotprod = (getauxval(AT_HWCAP) & DOT_PRODUCTS) != 0;
    if (!strcmp(kind, "neon")) return 1;
    if (!strcmp(kind, "dotprod")) return dotprod;
    if (!strcmp(kind, "i8mm")) return dotprod && (getauxval(AT_HWCAP2) & MATRIX_PRODUCTS);
    return 0;
}

#elif defined(__aarch64__) && defined(__APPLE__)
#include <sys/sysctl.h>

static int has(const char *feature) {
    int value = 0;
    size_t size = sizeof value;
    return !sysctlbyname(feature, &value, &size, NULL, 0) && value;
}

static int64_t can_run(const char *kind) {
    int dotprod = has("hw.optional.arm.FEAT_DotProd");
    if (!strcmp(kind, "neon")) return 1;
    if (!strcmp(kind, "dotprod")) return dotprod;
    if (!strcmp(kind, "i8mm")) return dotprod && has("hw.optional.arm.FEAT_I8MM");
    return 0;
}

#else

static int64_t can_run(const char *kind) { return !strcmp(kind, "neon"); }

#endif

/* Whether the processor, and the system on it, run the library of a kind, such as "avx512vnni". */
EXPORT int64_t regard_can_run(const char *kind) { return can_run(kind); }
