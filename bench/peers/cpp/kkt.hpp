// The system K x = b of one mechanism, as `rung matrix --permuted` writes it, in a binary file made by `convert`.
//
// Unknowns are grouped in nodes: bodies (six rows, positive definite) and joints (c rows, zero block). Nodes stand in
// Rung's order of elimination. K is symmetric; its lower triangle is stored by columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

struct Kkt {
    int n = 0;               // scalar unknowns
    std::vector<int> off;    // nodes+1: first scalar of each node
    std::vector<char> joint; // nodes: 1 for a joint, 0 for a body
    std::vector<int> ptr;    // n+1: columns of the lower triangle
    std::vector<int> ind;    // rows, increasing within a column
    std::vector<double> val;
    std::vector<double> b; // n

    int nodes() const { return static_cast<int>(joint.size()); }
    int size(int node) const { return off[node + 1] - off[node]; }
};

namespace kkt {

constexpr char magic[8] = {'r', 'u', 'n', 'g', 'k', 'k', 't', '1'};

inline FILE *open(const std::string &path, const char *mode) {
    FILE *f = std::fopen(path.c_str(), mode);
    if (f == nullptr) throw std::runtime_error("cannot open " + path);
    return f;
}

template <class T> void put(FILE *f, const T *p, size_t count) {
    if (std::fwrite(p, sizeof(T), count, f) != count) throw std::runtime_error("cannot write");
}

template <class T> void get(FILE *f, T *p, size_t count) {
    if (std::fread(p, sizeof(T), count, f) != count) throw std::runtime_error("file too short");
}

template <class T> void get(FILE *f, std::vector<T> &v, size_t count) {
    v.resize(count);
    get(f, v.data(), count);
}

inline void save(const Kkt &k, const std::string &path) {
    FILE *f = open(path, "wb");
    const int64_t head[3] = {k.n, k.nodes(), static_cast<int64_t>(k.ind.size())};
    put(f, magic, 8);
    put(f, head, 3);
    put(f, k.off.data(), k.off.size());
    put(f, k.joint.data(), k.joint.size());
    put(f, k.ptr.data(), k.ptr.size());
    put(f, k.ind.data(), k.ind.size());
    put(f, k.val.data(), k.val.size());
    put(f, k.b.data(), k.b.size());
    if (std::fclose(f) != 0) throw std::runtime_error("cannot write " + path);
}

inline Kkt load(const std::string &path) {
    FILE *f = open(path, "rb");
    char m[8];
    int64_t head[3];
    get(f, m, 8);
    if (!std::equal(m, m + 8, magic)) throw std::runtime_error(path + " is not a file of convert");
    get(f, head, 3);
    Kkt k;
    k.n = static_cast<int>(head[0]);
    get(f, k.off, head[1] + 1);
    get(f, k.joint, head[1]);
    get(f, k.ptr, head[0] + 1);
    get(f, k.ind, head[2]);
    get(f, k.val, head[2]);
    get(f, k.b, head[0]);
    std::fclose(f);
    return k;
}

// loadOrder reads a permutation of n scalars, order[new] = old, as `order` writes it; an empty path is the identity,
// which is Rung's order.
inline std::vector<int> loadOrder(const std::string &path, int n) {
    std::vector<int> order(n);
    if (path.empty()) {
        for (int i = 0; i < n; i++) order[i] = i;
        return order;
    }
    FILE *f = open(path, "rb");
    get(f, order.data(), n);
    std::fclose(f);
    return order;
}

// residualTo computes r = b - K x and returns its largest entry.
inline double residualTo(std::vector<double> &r, const Kkt &k, const std::vector<double> &x) {
    r = k.b;
    for (int j = 0; j < k.n; j++) {
        const double xj = x[j];
        double sum = 0;
        for (int p = k.ptr[j]; p < k.ptr[j + 1]; p++) {
            const int i = k.ind[p];
            r[i] -= k.val[p] * xj;
            if (i != j) sum += k.val[p] * x[i];
        }
        r[j] -= sum;
    }
    double worst = 0;
    for (double v : r) {
        if (!std::isfinite(v)) return std::numeric_limits<double>::infinity();
        worst = std::max(worst, std::fabs(v));
    }
    return worst;
}

inline double maxAbs(const std::vector<double> &v) {
    double m = 0;
    for (double a : v) m = std::max(m, std::fabs(a));
    return m;
}

// norm1 is the largest sum of absolute values of a column of the whole matrix.
inline double norm1(const Kkt &k) {
    std::vector<double> sum(k.n, 0.0);
    for (int j = 0; j < k.n; j++)
        for (int p = k.ptr[j]; p < k.ptr[j + 1]; p++) {
            sum[j] += std::fabs(k.val[p]);
            if (k.ind[p] != j) sum[k.ind[p]] += std::fabs(k.val[p]);
        }
    return maxAbs(sum);
}

// Compressed is a matrix by columns.
struct Compressed {
    std::vector<int> ptr, ind;
    std::vector<double> val;
};

enum class Part { upper, lower, full };

// permuted returns the wanted part of K(order, order), rows increasing within a column; where shift is not empty,
// shift[i] is added to the diagonal entry of every old row i with shift[i] != 0.
inline Compressed permuted(const Kkt &k, const std::vector<int> &order, const std::vector<double> &shift, Part part) {
    const int n = k.n;
    std::vector<int> inv(n);
    for (int i = 0; i < n; i++) inv[order[i]] = i;
    auto each = [&](auto &&visit) {
        for (int j = 0; j < n; j++) {
            bool diagonal = false;
            for (int p = k.ptr[j]; p < k.ptr[j + 1]; p++) {
                double v = k.val[p];
                int r = inv[k.ind[p]], c = inv[j];
                if (r == c) {
                    diagonal = true;
                    visit(r, c, shift.empty() ? v : v + shift[j]);
                    continue;
                }
                if (part == Part::upper ? r > c : r < c) std::swap(r, c);
                visit(r, c, v);
                if (part == Part::full) visit(c, r, v);
            }
            if (!diagonal && !shift.empty() && shift[j] != 0) visit(inv[j], inv[j], shift[j]);
        }
    };
    // Sorted by rows first, then by columns: rows come out increasing.
    std::vector<int64_t> rowPtr(n + 1, 0);
    each([&](int r, int, double) { rowPtr[r + 1]++; });
    for (int i = 0; i < n; i++) rowPtr[i + 1] += rowPtr[i];
    const int64_t nz = rowPtr[n];
    if (nz > std::numeric_limits<int>::max()) throw std::runtime_error("too many entries for 32-bit indices");
    std::vector<int> col(nz);
    std::vector<double> byRow(nz);
    {
        std::vector<int64_t> next(rowPtr.begin(), rowPtr.end() - 1);
        each([&](int r, int c, double v) {
            const int64_t q = next[r]++;
            col[q] = c;
            byRow[q] = v;
        });
    }
    Compressed a;
    a.ptr.assign(n + 1, 0);
    a.ind.resize(nz);
    a.val.resize(nz);
    for (int64_t q = 0; q < nz; q++) a.ptr[col[q] + 1]++;
    for (int i = 0; i < n; i++) a.ptr[i + 1] += a.ptr[i];
    std::vector<int> next(a.ptr.begin(), a.ptr.end() - 1);
    for (int r = 0; r < n; r++)
        for (int64_t q = rowPtr[r]; q < rowPtr[r + 1]; q++) {
            const int d = next[col[q]]++;
            a.ind[d] = r;
            a.val[d] = byRow[q];
        }
    return a;
}

} // namespace kkt
