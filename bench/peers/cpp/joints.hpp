// The bodies and joints behind K: blocks of M and J, and the Schur complement S = J inv(M) J' of the joints.
#pragma once

#include "kkt.hpp"

// Blocks are the numbers of K by bodies and joints, with what is needed to form S again from new numbers.
struct Blocks {
    struct Arm { // the block of one joint and one body
        int joint, body;
        double J[36]; // c x 6, by rows
    };

    std::vector<int> node;       // body -> node, bodies in the order of their nodes
    std::vector<int> jointNode;  // joint -> node
    std::vector<double> inertia; // bodies x 10: 3x3 by rows, then the mass
    std::vector<Arm> arms;       // sorted by body
    std::vector<int> armPtr;     // bodies+1

    int bodies() const { return static_cast<int>(node.size()); }
    int joints() const { return static_cast<int>(jointNode.size()); }
};

namespace kkt {

inline Blocks blocks(const Kkt &k) {
    Blocks s;
    std::vector<int> number(k.nodes()), nodeOf(k.n);
    for (int v = 0; v < k.nodes(); v++) {
        auto &list = k.joint[v] ? s.jointNode : s.node;
        number[v] = static_cast<int>(list.size());
        list.push_back(v);
        for (int i = k.off[v]; i < k.off[v + 1]; i++) nodeOf[i] = v;
    }
    s.inertia.assign(10 * static_cast<size_t>(s.bodies()), 0.0);
    // Arms of a joint are found through its last rows: a joint has few bodies.
    std::vector<std::vector<int>> armsOf(s.joints()); // index into arms
    auto arm = [&](int joint, int body) -> Blocks::Arm & {
        for (int a : armsOf[joint])
            if (s.arms[a].body == body) return s.arms[a];
        armsOf[joint].push_back(static_cast<int>(s.arms.size()));
        s.arms.push_back({joint, body, {}});
        return s.arms.back();
    };
    for (int j = 0; j < k.n; j++)
        for (int p = k.ptr[j]; p < k.ptr[j + 1]; p++) {
            int r = k.ind[p], c = j;
            if (k.joint[nodeOf[c]]) std::swap(r, c); // joint row, body column
            const int vr = nodeOf[r], vc = nodeOf[c];
            const double x = k.val[p];
            const int i = r - k.off[vr], m = c - k.off[vc];
            if (k.joint[vc]) {
                if (x != 0) throw std::runtime_error("a joint has a block of its own");
            } else if (k.joint[vr]) {
                arm(number[vr], number[vc]).J[6 * i + m] = x;
            } else if (vr == vc && i < 3 && m < 3) {
                s.inertia[10 * number[vr] + 3 * i + m] = s.inertia[10 * number[vr] + 3 * m + i] = x;
            } else if (vr == vc && i == m) {
                s.inertia[10 * number[vr] + 9] = x;
            } else if (x != 0) {
                throw std::runtime_error("a body is not given at its centre of mass");
            }
        }
    std::stable_sort(s.arms.begin(), s.arms.end(), [](const auto &a, const auto &b) { return a.body < b.body; });
    s.armPtr.assign(s.bodies() + 1, 0);
    for (const auto &a : s.arms) s.armPtr[a.body + 1]++;
    for (int i = 0; i < s.bodies(); i++) s.armPtr[i + 1] += s.armPtr[i];
    return s;
}

// invert writes the inverse of a body's 3x3 inertia, by rows, and 1/mass.
inline void invert(double w[10], const double a[10]) {
    const double c0 = a[4] * a[8] - a[5] * a[7], c1 = a[5] * a[6] - a[3] * a[8], c2 = a[3] * a[7] - a[4] * a[6];
    const double d = 1 / (a[0] * c0 + a[1] * c1 + a[2] * c2);
    w[0] = c0 * d;
    w[1] = w[3] = c1 * d;
    w[2] = w[6] = c2 * d;
    w[4] = (a[0] * a[8] - a[2] * a[6]) * d;
    w[5] = w[7] = (a[1] * a[6] - a[0] * a[7]) * d;
    w[8] = (a[0] * a[4] - a[1] * a[3]) * d;
    w[9] = 1 / a[9];
}

// solveBody writes y = inv(M) x for one body, w from invert.
inline void solveBody(double y[6], const double w[10], const double x[6]) {
    for (int i = 0; i < 3; i++) {
        y[i] = w[3 * i] * x[0] + w[3 * i + 1] * x[1] + w[3 * i + 2] * x[2];
        y[i + 3] = w[9] * x[i + 3];
    }
}

// jointScale returns, by scalar of K, the diagonal of S on joint rows and 0 on bodies: the scale of the proximal term.
inline std::vector<double> jointScale(const Kkt &k) {
    const Blocks s = blocks(k);
    std::vector<double> d(k.n, 0.0);
    for (const auto &a : s.arms) {
        double w[10], y[6];
        invert(w, &s.inertia[10 * a.body]);
        const int v = s.jointNode[a.joint];
        for (int i = 0; i < k.size(v); i++) {
            solveBody(y, w, a.J + 6 * i);
            for (int m = 0; m < 6; m++) d[k.off[v] + i] += a.J[6 * i + m] * y[m];
        }
    }
    return d;
}

} // namespace kkt
