// rung.hpp: rung.h for C++17. Header only: objects that free themselves, errors as exceptions.
//
//   rung::plan plan("four-bar.model.json");
//   rung::solver solver(plan);
//   std::vector<double> state = plan.initial(), acc(6 * plan.bodies());
//   solver.accel(state, acc);
#ifndef RUNG_HPP
#define RUNG_HPP
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rung.h"

namespace rung {

// What all functions throw. status is a rung_status, details is JSON.
class error : public std::runtime_error {
 public:
  error(int32_t s, const std::string &text, std::string json) : std::runtime_error(text), status(s), details(std::move(json)) {}
  const int32_t status;
  const std::string details;
};

namespace detail {

// A text of the library, as a string.
inline std::string take(char *text, size_t size) {
  std::string s(text, size);
  rung_release(text);
  return s;
}

inline void check(int32_t status) {
  if (status == RUNG_OK) return;
  const std::string text = rung_error();
  char *details = nullptr;
  size_t size = 0;
  throw error(status, text, rung_error_details(&details, &size) == RUNG_OK ? take(details, size) : std::string());
}

[[noreturn]] inline void refuse(int32_t status, const std::string &text) { throw error(status, text, "{\"status\":" + std::to_string(status) + "}"); }

// A text for C, which would end it at a zero.
inline const char *chars(const std::string &s) {
  if (s.find('\0') != std::string::npos) refuse(RUNG_INPUT, "a text with a zero in it: \"" + std::string(s.c_str()) + "\" and more");
  return s.c_str();
}

inline const char *given(const std::string &options) { return options.empty() ? nullptr : chars(options); }

// How many rows of width numbers an array has.
inline size_t rows(const std::vector<double> &array, size_t width, const char *what) {
  if (width ? array.size() % width == 0 : array.empty()) return width ? array.size() / width : 0;
  refuse(RUNG_SIZE, std::string(what) + ": rows of " + std::to_string(width) + " numbers are not " + std::to_string(array.size()));
}

// A list of texts as JSON.
inline std::string list(const std::vector<std::string> &texts) {
  std::string s = "[";
  for (const std::string &t : texts) {
    s += s.size() > 1 ? ",\"" : "\"";
    for (const char c : t) {
      static const char digits[] = "0123456789abcdef";
      const unsigned char u = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') s += '\\';
      if (u < 32) s += std::string("\\u00") + digits[u >> 4] + digits[u & 15];
      else s += c;
    }
    s += '"';
  }
  return s + "]";
}

}  // namespace detail

// What has a handle, and frees it.
class object {
 public:
  object(object &&other) noexcept : handle_(std::exchange(other.handle_, 0)) {}
  object &operator=(object &&other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  object(const object &) = delete;
  object &operator=(const object &) = delete;
  ~object() { rung_free(handle_); }
  rung_handle handle() const { return handle_; }
  // From any thread: calls that are under way throw RUNG_STOPPED.
  void stop() { detail::check(rung_stop(handle_)); }

 protected:
  object() = default;
  rung_handle handle_ = 0;
};

// A model that is checked and analysed. Threads may share it.
class plan : public object {
 public:
  explicit plan(const std::string &path, const std::string &options = "") {
    detail::check(rung_plan(detail::chars(path), nullptr, 0, detail::given(options), &handle_));
    detail::check(rung_sizes(handle_, sizes_, RUNG_SIZES));
  }
  // A plan of a text. The ending of its name says the format.
  static plan of_text(const std::string &name, const std::string &text, const std::string &options = "") {
    plan p;
    detail::check(rung_plan(detail::chars(name), text.data(), text.size(), detail::given(options), &p.handle_));
    detail::check(rung_sizes(p.handle_, p.sizes_, RUNG_SIZES));
    return p;
  }
  size_t bodies() const { return static_cast<size_t>(sizes_[RUNG_BODIES]); }
  size_t joints() const { return static_cast<size_t>(sizes_[RUNG_JOINTS]); }
  size_t numbers() const { return static_cast<size_t>(sizes_[RUNG_STATE]); }  // of a state
  std::vector<double> initial() const {
    std::vector<double> x(numbers());
    detail::check(rung_initial(handle_, x.data(), x.size()));
    return x;
  }
  // Gives a state, or rows of states, the angles that poses tell, for who writes poses of his own.
  void read_angles(std::vector<double> &states) const {
    detail::check(rung_angles(handle_, states.data(), detail::rows(states, numbers(), "states"), numbers()));
  }
  void close(std::vector<double> &state, const std::string &options = "") const {
    detail::check(rung_close(handle_, state.data(), state.size(), detail::given(options)));
  }
  // Moves a state: assemble, equilibrium, ik. Returns the document that says how far.
  std::string move(const std::string &what, std::vector<double> &state, const std::string &options = "") const {
    char *text = nullptr;
    size_t size = 0;
    detail::check(rung_move(handle_, detail::chars(what), detail::given(options), state.data(), state.size(), &text, &size));
    return detail::take(text, size);
  }
  std::string document(const std::string &what, const std::vector<double> &state = {}, const std::string &options = "") const {
    char *text = nullptr;
    size_t size = 0;
    detail::check(rung_document(handle_, detail::chars(what), detail::given(options), state.empty() ? nullptr : state.data(), state.size(), &text, &size));
    return detail::take(text, size);
  }
  int64_t knob(const std::string &path) const {
    int64_t k = 0;
    detail::check(rung_knob(handle_, detail::chars(path), &k));
    return k;
  }

 private:
  plan() = default;
  int64_t sizes_[RUNG_SIZES] = {};
};

// Accelerations again and again. For one thread at a time.
class solver : public object {
 public:
  explicit solver(const plan &p) { detail::check(rung_solver(p.handle(), &handle_)); }
  // acc takes 6 numbers a body: angular acceleration, acceleration of the centre of mass.
  void accel(const std::vector<double> &state, std::vector<double> &acc) {
    detail::check(rung_accel(handle_, state.data(), state.size(), acc.data(), acc.size()));
  }
  void wrenches(std::vector<double> &w) { detail::check(rung_wrenches(handle_, w.data(), w.size())); }
  void set(int64_t knob, double value) { detail::check(rung_set(handle_, &knob, &value, 1)); }
};

// A motion in time. For one thread at a time.
class run : public object {
 public:
  explicit run(const plan &p, const std::string &options = "", const std::vector<double> &state = {}) {
    detail::check(rung_run(p.handle(), state.empty() ? nullptr : state.data(), state.size(), detail::given(options), &handle_));
  }
  // Goes on to a time, or until a budget, s, is used up: then it returns false and is to be called again.
  bool to(double time, double budget = 0) {
    const int32_t status = rung_run_to(handle_, time, budget);
    if (status != RUNG_MORE) detail::check(status);
    return status == RUNG_OK;
  }
  void state(std::vector<double> &x) { detail::check(rung_run_state(handle_, x.data(), x.size())); }
  void set(int64_t knob, double value) { detail::check(rung_set(handle_, &knob, &value, 1)); }
  // Numbers of a row; document("columns") has their names.
  size_t columns() {
    size_t n = 0;
    detail::check(rung_run_columns(handle_, &n));
    return n;
  }
  // The rows that nobody has taken yet, where the options have "every".
  std::vector<double> rows() {
    size_t n = 0;
    detail::check(rung_run_rows(handle_, nullptr, 0, &n));
    std::vector<double> x(n * columns());
    if (n) detail::check(rung_run_rows(handle_, x.data(), x.size(), &n));
    return x;
  }
  // Columns or stats.
  std::string document(const std::string &what) {
    char *text = nullptr;
    size_t size = 0;
    detail::check(rung_run_document(handle_, detail::chars(what), &text, &size));
    return detail::take(text, size);
  }
  std::string save() {
    char *bytes = nullptr;
    size_t size = 0;
    detail::check(rung_run_save(handle_, &bytes, &size));
    return detail::take(bytes, size);
  }
  void load(const std::string &saved) { detail::check(rung_run_load(handle_, saved.data(), saved.size())); }
};

// Many states at once, a row each. For one thread at a time; it uses others.
class batch : public object {
 public:
  // States carry forces of these joints or knobs, and differ in these knobs. 0 threads are all.
  explicit batch(const plan &p, const std::vector<std::string> &forces = {}, const std::vector<std::string> &vary = {}, int threads = 0)
      : numbers_(p.numbers()), bodies_(p.bodies()), forces_(forces.size()), varied_(vary.size()) {
    const std::string options = "{\"forces\":" + detail::list(forces) + ",\"vary\":" + detail::list(vary) + ",\"threads\":" + std::to_string(threads) + "}";
    detail::check(rung_batch(p.handle(), options.c_str(), &handle_));
  }
  // Accelerations are 6 numbers a body; failed is 1 where a state has none, and why(row) then says why. Without forces, the last call's act.
  void accel(const std::vector<double> &states, std::vector<double> &acc, std::vector<uint8_t> &failed, const std::vector<double> &forces = {}) {
    const size_t n = sized(states, failed, forces);
    acc.resize(n * 6 * bodies_);
    detail::check(rung_batch_accel(handle_, states.data(), n, numbers_, forces.empty() ? nullptr : forces.data(), acc.data(), failed.data()));
  }
  // Moves states on in place; the options are step, steps, integrator, as_it_is.
  void rollout(std::vector<double> &states, std::vector<uint8_t> &failed, const std::string &options, const std::vector<double> &forces = {}) {
    const size_t n = sized(states, failed, forces);
    detail::check(rung_batch_rollout(handle_, states.data(), n, numbers_, forces.empty() ? nullptr : forces.data(), nullptr, 0, failed.data(), detail::chars(options)));
  }
  // Gives states from first on, of n, other values of the knobs that differ, row after row.
  void vary(size_t n, size_t first, const std::vector<double> &values) {
    detail::rows(values, varied_, "values");
    detail::check(rung_batch_vary(handle_, n, first, values.data(), values.size()));
  }
  // Why a state has failed; empty if it has not.
  std::string why(size_t row) {
    const int32_t status = rung_batch_error(handle_, row);
    if (status == RUNG_FAILED) return rung_error();
    detail::check(status);
    return "";
  }

 private:
  size_t sized(const std::vector<double> &states, std::vector<uint8_t> &failed, const std::vector<double> &forces) const {
    const size_t n = detail::rows(states, numbers_, "states");
    if (!forces.empty() && detail::rows(forces, forces_, "forces") != n) {
      detail::refuse(RUNG_SIZE, "forces of " + std::to_string(n) + " states are not " + std::to_string(forces.size()) + " numbers");
    }
    failed.resize(n);
    return n;
  }
  size_t numbers_, bodies_, forces_, varied_;
};

}  // namespace rung
#endif
