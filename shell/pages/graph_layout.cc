// SPDX-License-Identifier: Apache-2.0
#include "shell/pages/graph_layout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <tuple>

namespace rpl {
namespace {

constexpr int kGap = 64;           // between columns
constexpr int kBetweenBoxes = 14;  // between the rows of a column
constexpr int kBetweenLines = 8;   // if one of the rows is a place-holder
constexpr int kMargin = 8;
constexpr std::size_t kSweeps = 12;

/// A box, or a place-holder of lines to `target`.
struct Cell {
  std::size_t layer = 0;
  int height = 0;
  double y = 0;  // of its middle
};

class Layering {
 public:
  Layering(const std::vector<GraphBox>& boxes,
           const std::vector<std::pair<std::size_t, std::size_t>>& edges)
      : boxes_(boxes), edges_(edges), back_(edges.size()), layer_(boxes.size()) {}

  GraphLayout Make() {
    TurnCycles();
    FindLayers();
    PlaceCells();
    Order();
    for (std::size_t sweep = 0; sweep < kSweeps; ++sweep) Settle(sweep % 2 == 0);
    return Result();
  }

 private:
  using Index = std::size_t;

  bool IsLoop(Index edge) const { return edges_[edge].first == edges_[edge].second; }
  // The ends of an edge in the direction of the layers.
  Index From(Index edge) const { return back_[edge] ? edges_[edge].second : edges_[edge].first; }
  Index To(Index edge) const { return back_[edge] ? edges_[edge].first : edges_[edge].second; }

  // Depth first; an arrow to a node that is not left yet closes a cycle.
  void TurnCycles() {
    enum class State : std::uint8_t { kNew, kOpen, kLeft };
    std::vector<std::vector<Index>> out(boxes_.size());
    for (Index e = 0; e < edges_.size(); ++e)
      if (!IsLoop(e)) out[edges_[e].first].push_back(e);
    std::vector<State> state(boxes_.size());
    std::vector<std::pair<Index, std::size_t>> stack;  // a node, and its next edge
    for (Index root = 0; root < boxes_.size(); ++root) {
      if (state[root] != State::kNew) continue;
      stack = {{root, 0}};
      state[root] = State::kOpen;
      while (!stack.empty()) {
        auto& [node, next] = stack.back();
        if (next == out[node].size()) {
          state[node] = State::kLeft;
          stack.pop_back();
          continue;
        }
        const Index edge = out[node][next++];
        const Index to = edges_[edge].second;
        if (state[to] == State::kOpen) back_[edge] = true;
        if (state[to] != State::kNew) continue;
        state[to] = State::kOpen;
        stack.emplace_back(to, 0);
      }
    }
  }

  // The longest path to a node, in topological order.
  void FindLayers() {
    std::vector<std::vector<Index>> out(boxes_.size());
    std::vector<std::size_t> left(boxes_.size());
    for (Index e = 0; e < edges_.size(); ++e) {
      if (IsLoop(e)) continue;
      out[From(e)].push_back(To(e));
      ++left[To(e)];
    }
    std::vector<Index> ready;
    for (Index n = 0; n < boxes_.size(); ++n)
      if (left[n] == 0) ready.push_back(n);
    for (std::size_t next = 0; next < ready.size(); ++next)
      for (const Index to : out[ready[next]]) {
        layer_[to] = std::max(layer_[to], layer_[ready[next]] + 1);
        if (--left[to] == 0) ready.push_back(to);
      }
  }

  // Cells 0 … boxes - 1 are the boxes. `chains_` has the cells of each edge, from left to right.
  void PlaceCells() {
    for (Index n = 0; n < boxes_.size(); ++n) cells_.push_back({layer_[n], boxes_[n].height, 0});
    std::map<std::tuple<Index, bool, std::size_t>, Index> shared;  // target, back, layer
    chains_.resize(edges_.size());
    for (Index e = 0; e < edges_.size(); ++e) {
      if (IsLoop(e)) continue;
      chains_[e].push_back(From(e));
      for (std::size_t l = layer_[From(e)] + 1; l < layer_[To(e)]; ++l) {
        const auto [at, is_new] =
            shared.emplace(std::tuple(To(e), bool{back_[e]}, l), cells_.size());
        if (is_new) cells_.push_back({l, 0, 0});
        chains_[e].push_back(at->second);
      }
      chains_[e].push_back(To(e));
    }
    std::size_t layers = 0;
    for (const Cell& cell : cells_) layers = std::max(layers, cell.layer + 1);
    columns_.resize(layers);
    for (Index c = 0; c < cells_.size(); ++c) columns_[cells_[c].layer].push_back(c);
    before_.resize(cells_.size());
    after_.resize(cells_.size());
    for (const std::vector<Index>& chain : chains_)
      for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
        after_[chain[i]].push_back(chain[i + 1]);
        before_[chain[i + 1]].push_back(chain[i]);
      }
    for (std::vector<Index>& list : after_) Unique(list);
    for (std::vector<Index>& list : before_) Unique(list);
  }

  static void Unique(std::vector<Index>& list) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  // --- The order of a column ---------------------------------------------------------------

  std::vector<std::size_t> Positions() const {
    std::vector<std::size_t> out(cells_.size());
    for (const std::vector<Index>& column : columns_)
      for (std::size_t i = 0; i < column.size(); ++i) out[column[i]] = i;
    return out;
  }

  std::size_t Crossings() const {
    const std::vector<std::size_t> at = Positions();
    std::size_t out = 0;
    for (const std::vector<Index>& column : columns_) {
      std::vector<std::pair<std::size_t, std::size_t>> lines;
      for (const Index c : column)
        for (const Index next : after_[c]) lines.emplace_back(at[c], at[next]);
      for (std::size_t i = 0; i < lines.size(); ++i)
        for (std::size_t j = i + 1; j < lines.size(); ++j)
          if ((lines[i].first < lines[j].first && lines[i].second > lines[j].second) ||
              (lines[i].first > lines[j].first && lines[i].second < lines[j].second))
            ++out;
    }
    return out;
  }

  void Order() {
    std::vector<std::vector<Index>> best = columns_;
    std::size_t fewest = Crossings();
    for (std::size_t sweep = 0; sweep < kSweeps && fewest > 0; ++sweep) {
      const bool forward = sweep % 2 == 0;
      for (std::size_t i = 0; i < columns_.size(); ++i)
        SortColumn(forward ? i : columns_.size() - 1 - i, forward ? before_ : after_);
      const std::size_t crossings = Crossings();
      if (crossings < fewest) {
        fewest = crossings;
        best = columns_;
      }
    }
    columns_ = std::move(best);
  }

  void SortColumn(std::size_t column, const std::vector<std::vector<Index>>& neighbours) {
    const std::vector<std::size_t> at = Positions();
    std::vector<double> middle(cells_.size());
    for (const Index c : columns_[column]) {
      middle[c] = static_cast<double>(at[c]);
      if (neighbours[c].empty()) continue;
      double sum = 0;
      for (const Index n : neighbours[c]) sum += static_cast<double>(at[n]);
      middle[c] = sum / static_cast<double>(neighbours[c].size());
    }
    std::stable_sort(columns_[column].begin(), columns_[column].end(),
                     [&](Index a, Index b) { return middle[a] < middle[b]; });
  }

  // --- Coordinates -------------------------------------------------------------------------

  // The least distance of the middles of two neighbours in a column.
  double Distance(Index above, Index below) const {
    const bool boxes = above < boxes_.size() && below < boxes_.size();
    return (cells_[above].height + cells_[below].height) / 2.0 +
           (boxes ? kBetweenBoxes : kBetweenLines);
  }

  // Moves the cells of each column towards their neighbours, in their order: the least squares
  // with these distances, by pooling those that would overlap.
  void Settle(bool forward) {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const std::vector<Index>& column = columns_[forward ? i : columns_.size() - 1 - i];
      const std::vector<std::vector<Index>>& neighbours = forward ? before_ : after_;
      struct Pool {
        double sum;
        std::size_t count;
        double Mean() const { return sum / static_cast<double>(count); }
      };
      std::vector<Pool> pools;
      std::vector<double> offset;
      for (std::size_t k = 0; k < column.size(); ++k) {
        const Index c = column[k];
        offset.push_back(k == 0 ? 0 : offset.back() + Distance(column[k - 1], c));
        double wish = 0;
        for (const Index n : neighbours[c]) wish += cells_[n].y;
        wish =
            neighbours[c].empty() ? cells_[c].y : wish / static_cast<double>(neighbours[c].size());
        pools.push_back({wish - offset.back(), 1});
        while (pools.size() > 1 && pools[pools.size() - 2].Mean() > pools.back().Mean()) {
          pools[pools.size() - 2].sum += pools.back().sum;
          pools[pools.size() - 2].count += pools.back().count;
          pools.pop_back();
        }
      }
      std::size_t k = 0;
      for (const Pool& pool : pools)
        for (std::size_t n = 0; n < pool.count; ++n, ++k)
          cells_[column[k]].y = pool.Mean() + offset[k];
    }
  }

  GraphLayout Result() const {
    GraphLayout out;
    std::vector<int> x(columns_.size());
    std::vector<int> width(columns_.size());
    for (Index n = 0; n < boxes_.size(); ++n)
      width[layer_[n]] = std::max(width[layer_[n]], boxes_[n].width);
    for (std::size_t l = 0; l < columns_.size(); ++l)
      x[l] = l == 0 ? kMargin : x[l - 1] + width[l - 1] + kGap;
    double top = 0;
    for (Index c = 0; c < cells_.size(); ++c)
      top = c == 0 ? cells_[c].y - cells_[c].height / 2.0
                   : std::min(top, cells_[c].y - cells_[c].height / 2.0);
    const auto y = [&](Index c) {
      return static_cast<int>(std::lround(cells_[c].y - top)) + kMargin;
    };
    for (Index n = 0; n < boxes_.size(); ++n)
      out.boxes.push_back({layer_[n], x[layer_[n]], y(n) - boxes_[n].height / 2, boxes_[n].width,
                           boxes_[n].height});
    for (Index c = 0; c < cells_.size(); ++c)
      out.height = std::max(out.height, y(c) + cells_[c].height / 2 + kMargin);
    if (!columns_.empty()) out.width = x.back() + width.back() + kMargin;
    for (Index e = 0; e < edges_.size(); ++e) {
      if (IsLoop(e)) continue;
      GraphLine line{e, back_[e], {}};
      const std::vector<Index>& chain = chains_[e];
      for (std::size_t i = 0; i < chain.size(); ++i) {
        const std::size_t l = cells_[chain[i]].layer;
        const int left = i == 0 ? x[l] + out.boxes[chain[i]].width : x[l];
        line.points.push_back({left, y(chain[i])});
        if (i + 1 < chain.size()) line.points.push_back({x[l] + width[l], y(chain[i])});
      }
      out.lines.push_back(std::move(line));
    }
    return out;
  }

  const std::vector<GraphBox>& boxes_;
  const std::vector<std::pair<std::size_t, std::size_t>>& edges_;
  std::vector<bool> back_;          // by edge: turned round
  std::vector<std::size_t> layer_;  // by box
  std::vector<Cell> cells_;
  std::vector<std::vector<Index>> chains_;
  std::vector<std::vector<Index>> columns_;  // cells from top to bottom
  std::vector<std::vector<Index>> before_;   // by cell: neighbours to the left
  std::vector<std::vector<Index>> after_;    // to the right
};

}  // namespace

GraphLayout LayoutOf(const std::vector<GraphBox>& boxes,
                     const std::vector<std::pair<std::size_t, std::size_t>>& edges) {
  return Layering(boxes, edges).Make();
}

}  // namespace rpl
