// The process of a peer: its clock and memory, and what says whether it was measured fairly: its threads, the kernels of its BLAS, its
// share of a processor, the pages it touches.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <dlfcn.h>
#include <malloc.h>
#include <string>
#include <sys/resource.h>
#include <vector>

namespace peer {

using Clock = std::chrono::steady_clock;

inline double since(Clock::time_point t) { return std::chrono::duration<double, std::nano>(Clock::now() - t).count(); }

inline double median(std::vector<double> v) {
    if (v.empty()) return 0;
    std::sort(v.begin(), v.end());
    const size_t h = v.size() / 2;
    return v.size() % 2 ? v[h] : (v[h - 1] + v[h]) / 2;
}

// keepMemory makes the C library give nothing back to the system, so that a factorization does not fault in again what the one before
// freed.
inline void keepMemory() {
    mallopt(M_MMAP_MAX, 0);
    mallopt(M_TRIM_THRESHOLD, -1);
    mallopt(M_TOP_PAD, 64 << 20);
}

// limit bounds the address space, so that a factor that does not fit ends as std::bad_alloc and not the machine.
inline void limit(double gib) {
    if (!(gib > 0)) return;
    const auto bytes = static_cast<rlim_t>(gib * (1 << 30));
    const rlimit r{bytes, bytes};
    setrlimit(RLIMIT_AS, &r);
}

inline rusage usage() {
    rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u;
}

inline double peakBytes() { return usage().ru_maxrss * 1024.0; }

inline long pageFaults() {
    const rusage u = usage();
    return u.ru_minflt + u.ru_majflt;
}

// processorNs is the time that processors have worked for this process.
inline double processorNs() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return 1e9 * t.tv_sec + t.tv_nsec;
}

// threads is how many the process has now, those that a library keeps for later included; 0 if the system does not say.
inline int threads() {
    FILE *f = std::fopen("/proc/self/status", "r");
    if (f == nullptr) return 0;
    char line[256];
    int n = 0;
    while (std::fgets(line, sizeof line, f) != nullptr)
        if (std::sscanf(line, "Threads: %d", &n) == 1) break;
    std::fclose(f);
    return n;
}

// kernels names the kernels that OpenBLAS uses; empty without OpenBLAS.
inline std::string kernels() {
    const auto name = reinterpret_cast<char *(*)()>(dlsym(RTLD_DEFAULT, "openblas_get_corename"));
    return name == nullptr ? "" : name();
}

inline std::string escape(const std::string &s) {
    std::string out;
    for (char c : s) {
        if (c == '"' || c == '\\') out += '\\';
        out += c < ' ' ? ' ' : c;
    }
    return out;
}

// Usage is what the process uses from now on.
struct Usage {
    Clock::time_point begun = Clock::now();
    double before = processorNs();

    // json are the members of a result that describe the process.
    std::string json(double faults) const {
        const double wall = since(begun), worked = processorNs() - before;
        char text[160];
        std::snprintf(text, sizeof text, "\"wall_ns\": %.0f, \"cpu_ns\": %.0f, \"threads\": %d, \"faults\": %.0f", wall, worked, threads(), faults);
        return std::string(text) + ", \"kernels\": \"" + escape(kernels()) + "\"";
    }
};

} // namespace peer
