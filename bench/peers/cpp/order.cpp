// Orders of elimination by AMD and METIS, and the work and fill of factors.
//
//   order K.bin METHOD [--max-gib G] [-o FILE]
//
// METHOD: rung (the order of the file), amd (AMD on the scalars of K), joint-amd and joint-metis (on the graph of joints
// that share a body; each body just before its first joint), kkt-metis (METIS on the graph of bodies and joints).
// METIS is nested dissection, METIS_NodeND with default options; weights of nodes are their rows.
//
// Prints one line of JSON and writes order[new] = old of the scalars. Work is Rung's measure: a pivot with s rows below it
// costs s (s + 2) additions, multiplications and divisions. "blocks" take each block of K as full, as Rung does;
// "scalars" are the entries of K one by one; "schur" is the factor of S = J inv(M) J' alone, blocks full.
#include "joints.hpp"
#include "peer.hpp"

#include <amd.h>
#ifdef HAVE_METIS
#include <metis.h>
#endif

namespace {

// Graph is symmetric, without loops.
struct Graph {
    std::vector<int> ptr{0}, adj, weight;
    int n() const { return static_cast<int>(weight.size()); }
};

Graph fromLists(std::vector<std::vector<int>> &lists, std::vector<int> weight) {
    Graph g;
    g.weight = std::move(weight);
    for (auto &l : lists) {
        std::sort(l.begin(), l.end());
        l.erase(std::unique(l.begin(), l.end()), l.end());
        g.adj.insert(g.adj.end(), l.begin(), l.end());
        g.ptr.push_back(static_cast<int>(g.adj.size()));
    }
    return g;
}

Graph jointGraph(const Kkt &k, const Blocks &s) {
    std::vector<std::vector<int>> lists(s.joints());
    for (int body = 0; body < s.bodies(); body++)
        for (int a = s.armPtr[body]; a < s.armPtr[body + 1]; a++)
            for (int b = s.armPtr[body]; b < s.armPtr[body + 1]; b++)
                if (a != b) lists[s.arms[a].joint].push_back(s.arms[b].joint);
    std::vector<int> weight;
    for (int v : s.jointNode) weight.push_back(k.size(v));
    return fromLists(lists, weight);
}

Graph blockGraph(const Kkt &k, const Blocks &s) {
    std::vector<std::vector<int>> lists(k.nodes());
    for (const auto &a : s.arms) {
        lists[s.jointNode[a.joint]].push_back(s.node[a.body]);
        lists[s.node[a.body]].push_back(s.jointNode[a.joint]);
    }
    std::vector<int> weight;
    for (int v = 0; v < k.nodes(); v++) weight.push_back(k.size(v));
    return fromLists(lists, weight);
}

Graph scalarGraph(const Kkt &k) {
    std::vector<std::vector<int>> lists(k.n);
    for (int j = 0; j < k.n; j++)
        for (int p = k.ptr[j]; p < k.ptr[j + 1]; p++)
            if (k.ind[p] != j) {
                lists[j].push_back(k.ind[p]);
                lists[k.ind[p]].push_back(j);
            }
    return fromLists(lists, std::vector<int>(k.n, 1));
}

std::vector<int> amd(const Graph &g) {
    std::vector<int> order(g.n());
    if (amd_order(g.n(), g.ptr.data(), g.adj.data(), order.data(), nullptr, nullptr) < 0)
        throw std::runtime_error("AMD failed");
    return order;
}

std::vector<int> metis(Graph &g) {
#ifdef HAVE_METIS
    std::vector<idx_t> ptr(g.ptr.begin(), g.ptr.end()), adj(g.adj.begin(), g.adj.end());
    std::vector<idx_t> weight(g.weight.begin(), g.weight.end()), perm(g.n()), inv(g.n());
    idx_t n = g.n();
    if (METIS_NodeND(&n, ptr.data(), adj.data(), weight.data(), nullptr, perm.data(), inv.data()) != METIS_OK)
        throw std::runtime_error("METIS failed");
    return {perm.begin(), perm.end()}; // perm[new] = old
#else
    (void)g;
    throw std::runtime_error("built without METIS");
#endif
}

// Work is the cost of a factor.
struct Work {
    double flops = 0, fill = 0; // fill: scalars of L below the diagonal, and of D
};

// workOf counts by walking each row's subtree of the elimination tree (Davis 2006, section 4.2), O(blocks of the factor).
Work workOf(const Graph &g, const std::vector<int> &order) {
    const int n = g.n();
    std::vector<int> inv(n), parent(n, -1), mark(n, -1);
    std::vector<int64_t> below(n, 0); // rows below the node's own, by new number
    for (int i = 0; i < n; i++) inv[order[i]] = i;
    for (int i = 0; i < n; i++) {
        const int v = order[i];
        mark[i] = i;
        for (int p = g.ptr[v]; p < g.ptr[v + 1]; p++)
            for (int j = inv[g.adj[p]]; j < i && mark[j] != i; j = parent[j]) {
                if (parent[j] < 0) parent[j] = i;
                below[j] += g.weight[v];
                mark[j] = i;
            }
    }
    Work w;
    for (int i = 0; i < n; i++)
        for (int m = 0; m < g.weight[order[i]]; m++) {
            const double s = static_cast<double>(below[i] + m);
            w.flops += s * (s + 2);
            w.fill += s + 1;
        }
    return w;
}

// withBodies puts each body just before its first joint; bodies without joints come last.
std::vector<int> withBodies(const Kkt &k, const Blocks &s, const std::vector<int> &joints) {
    std::vector<std::vector<int>> bodiesOf(s.joints());
    for (const auto &a : s.arms) bodiesOf[a.joint].push_back(a.body);
    std::vector<char> placed(s.bodies(), 0);
    std::vector<int> nodes;
    nodes.reserve(k.nodes());
    for (int j : joints) {
        for (int body : bodiesOf[j])
            if (!placed[body]) {
                placed[body] = 1;
                nodes.push_back(s.node[body]);
            }
        nodes.push_back(s.jointNode[j]);
    }
    for (int body = 0; body < s.bodies(); body++)
        if (!placed[body]) nodes.push_back(s.node[body]);
    return nodes;
}

std::vector<int> scalarsOf(const Kkt &k, const std::vector<int> &nodes) {
    std::vector<int> out;
    out.reserve(k.n);
    for (int v : nodes)
        for (int i = k.off[v]; i < k.off[v + 1]; i++) out.push_back(i);
    return out;
}

// jointsOf keeps the joints of an order of nodes.
std::vector<int> jointsOf(const Kkt &k, const Blocks &s, const std::vector<int> &nodes) {
    std::vector<int> number(k.nodes(), -1), out;
    for (int j = 0; j < s.joints(); j++) number[s.jointNode[j]] = j;
    for (int v : nodes)
        if (number[v] >= 0) out.push_back(number[v]);
    return out;
}

void save(const std::vector<int> &order, const std::string &path) {
    FILE *f = kkt::open(path, "wb");
    kkt::put(f, order.data(), order.size());
    if (std::fclose(f) != 0) throw std::runtime_error("cannot write " + path);
}

std::string version(const std::string &method) {
#ifdef HAVE_METIS
    if (method.find("metis") != std::string::npos)
        return "METIS " + std::to_string(METIS_VER_MAJOR) + "." + std::to_string(METIS_VER_MINOR) + "." +
               std::to_string(METIS_VER_SUBMINOR);
#endif
    if (method.find("amd") == std::string::npos) return "";
    return "AMD " + std::to_string(AMD_MAIN_VERSION) + "." + std::to_string(AMD_SUB_VERSION) + "." +
           std::to_string(AMD_SUBSUB_VERSION);
}

void printWork(const char *name, const Work &w) {
    std::printf(", \"%s\": {\"flops\": %.0f, \"fill\": %.0f}", name, w.flops, w.fill);
}

int run(const std::string &file, const std::string &method, const std::string &out) {
    const Kkt k = kkt::load(file);
    const Blocks s = kkt::blocks(k);
    std::vector<int> nodes, scalars;
    const auto t = peer::Clock::now();
    if (method == "rung") {
        for (int v = 0; v < k.nodes(); v++) nodes.push_back(v);
    } else if (method == "amd") {
        scalars = amd(scalarGraph(k));
    } else if (method == "kkt-metis") {
        Graph g = blockGraph(k, s);
        nodes = metis(g);
    } else if (method == "joint-amd" || method == "joint-metis") {
        Graph g = jointGraph(k, s);
        nodes = withBodies(k, s, method == "joint-amd" ? amd(g) : metis(g));
    } else {
        throw std::runtime_error("unknown method " + method);
    }
    if (scalars.empty()) scalars = scalarsOf(k, nodes);
    const double ns = peer::since(t);
    if (!out.empty()) save(scalars, out);
    std::printf("{\"method\": \"%s\", \"version\": \"%s\", \"analyze_ns\": %.0f", method.c_str(), version(method).c_str(), ns);
    printWork("scalars", workOf(scalarGraph(k), scalars));
    if (!nodes.empty()) {
        printWork("blocks", workOf(blockGraph(k, s), nodes));
        printWork("schur", workOf(jointGraph(k, s), jointsOf(k, s, nodes)));
    }
    std::printf("}\n");
    return 0;
}

} // namespace

int main(int argc, char **argv) try {
    std::string words[2], out;
    int count = 0;
    for (int i = 1; i < argc; i++) {
        const std::string a = argv[i];
        if (a == "-o" && i + 1 < argc) out = argv[++i];
        else if (a == "--max-gib" && i + 1 < argc) peer::limit(std::atof(argv[++i]));
        else if (count < 2) words[count++] = a;
    }
    if (count != 2) {
        std::fprintf(stderr, "use: order K.bin METHOD [-o FILE] [--max-gib G]\n");
        return 2;
    }
    return run(words[0], words[1], out);
} catch (const std::bad_alloc &) {
    std::printf("{\"error\": \"out of memory\"}\n");
    return 1;
} catch (const std::exception &e) {
    std::printf("{\"error\": \"%s\"}\n", peer::escape(e.what()).c_str());
    return 1;
}
