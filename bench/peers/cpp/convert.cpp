// convert K.mtx K.rhs.mtx K.bin: reads what `rung matrix --permuted` wrote and saves it in the binary form of kkt.hpp.
// The comments of K.mtx ("rows 1-6 body ...") tell the nodes.
#include "kkt.hpp"

#include <charconv>
#include <cstring>

namespace {

// Text is a whole file in memory, read number by number.
struct Text {
    std::vector<char> data;
    const char *p = nullptr, *end = nullptr;

    explicit Text(const std::string &path) {
        FILE *f = kkt::open(path, "rb");
        std::fseek(f, 0, SEEK_END);
        const long size = std::ftell(f);
        std::rewind(f);
        kkt::get(f, data, size);
        std::fclose(f);
        p = data.data();
        end = p + size;
    }

    bool comment() const { return p < end && *p == '%'; }

    std::string line() {
        const char *q = static_cast<const char *>(std::memchr(p, '\n', end - p));
        if (q == nullptr) q = end;
        std::string s(p, q);
        p = q < end ? q + 1 : end;
        return s;
    }

    template <class T> T number() {
        while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t')) p++;
        T v{};
        const auto r = std::from_chars(p, end, v);
        if (r.ec != std::errc()) throw std::runtime_error("not a number in a MatrixMarket file");
        p = r.ptr;
        return v;
    }
};

void readMatrix(Kkt &k, const std::string &path) {
    Text t(path);
    if (t.line().rfind("%%MatrixMarket matrix coordinate real symmetric", 0) != 0)
        throw std::runtime_error(path + " is not a symmetric coordinate matrix");
    k.off.push_back(0);
    while (t.comment()) {
        int first, last;
        char kind[8];
        if (std::sscanf(t.line().c_str(), "%% rows %d-%d %7s", &first, &last, kind) != 3) continue;
        if (first != k.off.back() + 1) throw std::runtime_error("nodes are not in order");
        k.off.push_back(last);
        k.joint.push_back(std::strcmp(kind, "joint") == 0);
    }
    k.n = t.number<int>();
    t.number<int>();
    const int64_t nz = t.number<int64_t>();
    if (k.off.back() != k.n) throw std::runtime_error("the comments do not name all rows");
    std::vector<int> row(nz), col(nz);
    std::vector<double> val(nz);
    k.ptr.assign(k.n + 1, 0);
    for (int64_t q = 0; q < nz; q++) {
        row[q] = t.number<int>() - 1;
        col[q] = t.number<int>() - 1;
        val[q] = t.number<double>();
        if (row[q] < col[q]) std::swap(row[q], col[q]);
        k.ptr[col[q] + 1]++;
    }
    t = Text("/dev/null"); // the memory of the text
    for (int j = 0; j < k.n; j++) k.ptr[j + 1] += k.ptr[j];
    k.ind.resize(nz);
    k.val.resize(nz);
    std::vector<int> next(k.ptr.begin(), k.ptr.end() - 1);
    for (int64_t q = 0; q < nz; q++) {
        const int d = next[col[q]]++;
        k.ind[d] = row[q];
        k.val[d] = val[q];
    }
    for (int j = 0; j < k.n; j++)
        if (!std::is_sorted(k.ind.begin() + k.ptr[j], k.ind.begin() + k.ptr[j + 1]))
            throw std::runtime_error("rows are not in order");
}

void readVector(std::vector<double> &v, const std::string &path) {
    Text t(path);
    while (t.comment()) t.line();
    const int n = t.number<int>();
    t.number<int>();
    v.resize(n);
    for (double &x : v) x = t.number<double>();
}

} // namespace

int main(int argc, char **argv) try {
    if (argc != 4) {
        std::fprintf(stderr, "use: convert K.mtx K.rhs.mtx K.bin\n");
        return 2;
    }
    Kkt k;
    readMatrix(k, argv[1]);
    readVector(k.b, argv[2]);
    if (static_cast<int>(k.b.size()) != k.n) throw std::runtime_error("K and b differ in size");
    kkt::save(k, argv[3]);
    const int joints = static_cast<int>(std::count(k.joint.begin(), k.joint.end(), 1));
    std::printf("{\"unknowns\": %d, \"bodies\": %d, \"joints\": %d, \"nonzeros\": %zu}\n", k.n, k.nodes() - joints, joints,
                k.ind.size());
    return 0;
} catch (const std::exception &e) {
    std::fprintf(stderr, "convert: %s\n", e.what());
    return 1;
}
