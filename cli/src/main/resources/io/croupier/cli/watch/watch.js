"use strict";

const MOST_POINTS = 120;
const STALE_MS = 5000;
const POLL_MS = 2000;
const STREAM_AGAIN_MS = 10000;
// Verdicts become visible with the job's checkpoints, seconds after one another.
const STUCK_MS = 60000;
const MOST_LEARNERS = 3;

const dark = matchMedia("(prefers-color-scheme: dark)");
// Okabe and Ito's palette, which colour-blind readers can distinguish; lighter in dark mode.
const palettes = {
  light: ["#0b6e4f", "#0072b2", "#b5578a", "#b07800", "#d55e00", "#6b4fa0", "#2a8fc2", "#8a6d3b"],
  dark: ["#56c596", "#56a8e0", "#e29ac4", "#f0b93a", "#f0793a", "#a88be0", "#8fd3ff", "#c9a66b"]
};
const colour = i => palettes[dark.matches ? "dark" : "light"][i % palettes.light.length];
// Curves beyond the last colour begin again with the first one, dashed.
const isDashed = i => i >= palettes.light.length;
const swatch = i => isDashed(i)
  ? `repeating-linear-gradient(90deg, ${colour(i)} 0 5px, transparent 5px 8px)` : colour(i);
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif';
const byId = id => document.getElementById(id);

// The newest state, and curves by model and name: arrays of [x, value, ...].
let state = null;
const curves = new Map();
const scoreCurves = new Map();
let charts = {};
let receivedAt = 0;
let polling = false;

// ---- Curves

// As on the server: points are at least some gap apart, which grows with the curve.
function append(points, point, gap) {
  const last = points[points.length - 1];
  if (last && point[0] < last[0]) {
    points.length = 0;
  } else if (last && (point[0] === last[0] || points.length > 1 && last[0] - points[points.length - 2][0] < gap)) {
    points.pop();
  }
  points.push(point);
}

function extend(points, point) {
  append(points, point, points.gap || 0);
  if (points.length > MOST_POINTS) {
    points.gap = 2 * (point[0] - points[0][0]) / MOST_POINTS;
    for (const each of points.splice(0)) {
      append(points, each, points.gap);
    }
  }
}

function curveOf(map, key) {
  if (!map.has(key)) {
    map.set(key, []);
  }
  return map.get(key);
}

function keepCurves(next) {
  const known = new Set();
  for (const model of next.models) {
    for (const [name, points] of Object.entries(model.curves || {})) {
      curves.set(model.id + "\n" + name, points);
    }
    for (const [name, point] of Object.entries(model.points || {})) {
      extend(curveOf(curves, model.id + "\n" + name), point);
    }
    Object.keys(model.curves || model.points || {}).forEach(name => known.add(model.id + "\n" + name));
  }
  [...curves.keys()].filter(key => !known.has(key)).forEach(key => curves.delete(key));
  for (const model of next.scores ? next.scores.models : []) {
    if (model.points) {
      scoreCurves.set(model.id, model.points);
    } else if (model.point) {
      extend(curveOf(scoreCurves, model.id), model.point);
    }
  }
}

// ---- Charts

const axis = title => ({
  type: "linear", grid: { color: style("--line") },
  ticks: { color: style("--soft"), maxTicksLimit: 7, maxRotation: 0 },
  title: { display: title !== "", text: title, color: style("--soft") }
});

const NAME_PX = 11;
const NAME_STEP = 13;
const NAME_GAP = 12;

// Text beside the end of a curve: its name, and its value if that is beyond the chart.
function endText(line, scale) {
  const value = line.data.at(-1).y;
  return !Number.isFinite(value) ? line.label
    : value > scale.max ? line.label + " " + value.toFixed(2) + " \u2191"
    : value < scale.min ? line.label + " " + value.toFixed(2) + " \u2193" : line.label;
}

const isBeyond = (point, scale) => point.y > scale.max || point.y < scale.min;

// Moves heights apart, in their order, within the chart.
function spread(names, top, bottom) {
  names.sort((a, b) => a.y - b.y);
  let least = top;
  for (const name of names) {
    name.at = Math.max(name.y, least);
    least = name.at + NAME_STEP;
  }
  let most = bottom;
  for (const name of [...names].reverse()) {
    name.at = Math.min(name.at, most);
    most = name.at - NAME_STEP;
  }
}

// Names each curve at its end, and marks where one leaves or enters the chart.
const endNames = {
  id: "endNames",
  beforeLayout(chart) {
    const { ctx, data, options } = chart;
    ctx.save();
    ctx.font = `600 ${NAME_PX}px ${FONT}`;
    const widths = data.datasets.filter(line => line.data.length > 0)
      .map(line => ctx.measureText(endText(line, options.scales.y)).width);
    ctx.restore();
    options.layout.padding.right = Math.ceil(Math.max(0, ...widths)) + NAME_GAP + 2;
  },
  afterDatasetsDraw(chart) {
    const { ctx, chartArea: area, scales: { x, y } } = chart;
    const within = height => Math.min(area.bottom, Math.max(area.top, height));
    const names = [];
    ctx.save();
    for (const line of chart.data.datasets.filter(each => each.data.length > 0)) {
      const end = line.data.at(-1);
      names.push({ line, x: x.getPixelForValue(end.x), y: within(y.getPixelForValue(end.y)), text: endText(line, y) });
      ctx.fillStyle = line.borderColor;
      line.data.forEach((point, i) => {
        const before = line.data[i - 1];
        if (before && isBeyond(before, y) !== isBeyond(point, y)) {
          const up = Math.max(before.y, point.y) > y.max;
          const at = x.getPixelForValue(point.x);
          const [edge, inside] = up ? [area.top, 7] : [area.bottom, -7];
          ctx.beginPath();
          ctx.moveTo(at, edge);
          ctx.lineTo(at - 4, edge + inside);
          ctx.lineTo(at + 4, edge + inside);
          ctx.fill();
        }
      });
    }
    spread(names, area.top + NAME_PX / 2, area.bottom - NAME_PX / 2);
    ctx.textBaseline = "middle";
    for (const name of names) {
      ctx.strokeStyle = name.line.borderColor;
      ctx.globalAlpha = .5;
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(name.x, name.y);
      ctx.lineTo(Math.max(name.x, area.right), name.y);
      ctx.lineTo(area.right + NAME_GAP - 3, name.at);
      ctx.stroke();
      ctx.globalAlpha = 1;
      ctx.font = `${name.line.chosen ? "700" : "400"} ${NAME_PX}px ${FONT}`;
      ctx.fillStyle = name.line.nameColour;
      ctx.fillText(name.text, area.right + NAME_GAP, name.at);
    }
    ctx.restore();
  }
};

function lineChart(id, x, plugins = []) {
  return new Chart(byId(id), {
    type: "line",
    data: { datasets: [] },
    plugins,
    options: {
      layout: { padding: { right: 0 } },
      animation: false, maintainAspectRatio: false, parsing: false, normalized: true,
      interaction: { mode: "nearest", axis: "x", intersect: false },
      scales: { x: { ...axis(x), min: 0 }, y: axis("") },
      plugins: {
        legend: { display: false },
        tooltip: { callbacks: {
          title: items => items.length ? count(items[0].parsed.x) + " reports" : "",
          label: item => item.dataset.label + ": " + digits(item.parsed.y) } }
      }
    }
  });
}

function barChart(id) {
  return new Chart(byId(id), {
    type: "bar",
    data: { labels: [], datasets: [{ data: [], label: "people", backgroundColor: style("--accent"), categoryPercentage: 1, barPercentage: .94 }] },
    options: {
      animation: false, maintainAspectRatio: false,
      scales: {
        x: { ticks: { color: style("--soft"), maxRotation: 0, autoSkipPadding: 8 }, grid: { display: false } },
        y: { ...axis("people"), beginAtZero: true, ticks: { color: style("--soft"), precision: 0, maxTicksLimit: 5 } }
      },
      plugins: { legend: { display: false } }
    }
  });
}

// Keeps the datasets in place, since Chart.js ties hidden ones and hovering to them.
function setLines(chart, lines) {
  chart.data.datasets.length = Math.min(chart.data.datasets.length, lines.length);
  lines.forEach((line, i) => {
    chart.data.datasets[i] = Object.assign(chart.data.datasets[i] || {}, {
      label: line.label, borderColor: line.colour, backgroundColor: line.colour, borderWidth: line.width || 2,
      borderDash: line.dash || [], chosen: line.chosen, nameColour: line.nameColour, pointRadius: line.points.length === 1 ? 3 : 0,
      data: line.points.map(point => ({ x: point[0], y: point[line.value] }))
    });
  });
  chart.update("none");
}

function makeCharts() {
  Object.values(charts).forEach(chart => chart.destroy());
  charts = {
    loss: lineChart("loss-chart", "reports used", [endNames]), fit: lineChart("fit-chart", "reports used", [endNames]),
    quantity: lineChart("quantity-chart", "reports used"), spending: barChart("spending-chart")
  };
}

// ---- Parts of the page

// The demonstration's order, then that of names.
function models() {
  const order = state.scores ? state.scores.models.map(model => model.id) : [];
  const place = model => order.includes(model.id) ? order.indexOf(model.id) : order.length;
  return [...state.models].sort((a, b) => place(a) - place(b) || (a.id < b.id ? -1 : 1))
    .map((model, i) => ({ ...model, place: i, label: labelOf(model.id) }));
}

function labelOf(id) {
  const scored = state.scores && state.scores.models.find(model => model.id === id);
  return scored ? scored.label : id;
}

const named = title => ({ title, value: model => model.label, mark: model => swatch(model.place) });
const plain = title => ({ title, value: row => row.label });

function legend(list, shown) {
  setChildren(list, shown.length, () => {
    const item = element("li");
    item.append(element("span", "swatch"), element("span"));
    return item;
  });
  shown.forEach((model, i) => {
    list.children[i].children[0].style.background = swatch(model.place);
    setText(list.children[i].children[1], model.label);
  });
}

function options(select, values) {
  const chosen = select.value;
  const same = select.options.length === values.length
    && values.every(([value, text], i) => select.options[i].value === value && select.options[i].text === text);
  if (!same) {
    select.replaceChildren(...values.map(([value, text]) => new Option(text, value)));
    if (values.some(([value]) => value === chosen)) {
      select.value = chosen;
    }
  }
}

function showFigures(all) {
  const sum = field => all.reduce((total, model) => total + (model[field] || 0), 0);
  const spending = state.spending[""];
  const share = Math.round(100 * state.near / state.limited) + " %";
  const figures = [
    ["models", count(all.length) + (state.more ? " and more" : "")],
    ...(state.ended ? [] : [["reports a second", digits(state.perSecond)]]),
    ["reports judged", count(state.events)],
    ["waiting for a verdict", state.waiting === undefined ? "-" : count(state.waiting)],
    ["used in rounds", count(sum("used"))],
    ["people", (spending.oneIn > 1 ? "about " : "") + count(spending.people * spending.oneIn)],
    ...(state.limited ? [["people near a limit", share]] : []),
    ["dead letters", count(state.letters)]
  ];
  const list = byId("figures");
  setChildren(list, figures.length, () => {
    const group = element("div");
    group.append(element("dt"), element("dd"));
    return group;
  });
  figures.forEach(([name, value], i) => {
    setText(list.children[i].children[0], name);
    setText(list.children[i].children[1], value);
  });
}

// A learner with too large a step leaves the chart, so that the other curves keep their scale.
function even(low, high) {
  const step = 10 ** Math.floor(Math.log10(high - low)) / 2;
  return { min: Math.floor(low / step) * step, max: Math.ceil(high / step) * step };
}

function showScores(all) {
  const scores = state.scores;
  byId("scores").hidden = !scores;
  if (!scores) {
    return;
  }
  const fit = scores.fitName.charAt(0).toUpperCase() + scores.fitName.slice(1);
  document.querySelectorAll(".fit-name").forEach(node =>
    setText(node, node.classList.contains("fit-caption") ? fit : scores.fitName));
  byId("fit-chart").setAttribute("aria-label", fit + " by reports used; the table below has the newest values");
  const scored = all.filter(model => scores.models.some(each => each.id === model.id));
  const levels = [
    { label: "guessing", level: scores.nothing, dash: [2, 3] },
    { label: "without privacy", level: scores.optimum, dash: [8, 4] }
  ];
  // With a recommended learner, the others are quiet, and many of them are shown only on demand.
  const hasChosen = scored.some(model => model.id === scores.recommended);
  const isChosen = model => model.id === scores.recommended;
  const isMany = hasChosen && scored.length > MOST_LEARNERS;
  byId("scores-others").parentElement.hidden = !isMany;
  const drawn = isMany && !byId("scores-others").checked ? scored.filter(isChosen) : scored;
  const end = Math.max(1, ...scored.map(model => model.used || 0));
  const lines = value => [
    ...drawn.map(model => ({
      label: model.label, value, points: scoreCurves.get(model.id) || [], chosen: isChosen(model),
      colour: isChosen(model) ? style("--accent") : hasChosen ? style("--quiet") : colour(model.place),
      nameColour: isChosen(model) ? style("--accent") : style("--soft"),
      width: isChosen(model) ? 3 : 1.5, dash: !hasChosen && isDashed(model.place) ? [6, 3] : []
    })),
    ...levels.map(({ label, level, dash }) => ({
      label, value: 1, points: [[0, level[value - 1]], [end, level[value - 1]]], colour: style("--soft"),
      nameColour: style("--soft"), dash, width: 1.5
    }))
  ];
  const lossGap = scores.nothing[0] - scores.optimum[0];
  const fitGap = scores.optimum[1] - scores.nothing[1];
  [charts.loss, charts.fit].forEach(chart => Object.assign(chart.options.scales.x, { max: end }));
  Object.assign(charts.loss.options.scales.y, even(scores.optimum[0] - .1 * lossGap, scores.nothing[0] + .6 * lossGap));
  Object.assign(charts.fit.options.scales.y, even(scores.nothing[1] - .3 * fitGap, scores.optimum[1] + .15 * fitGap));
  setLines(charts.loss, lines(1));
  setLines(charts.fit, lines(2));
  const newest = (row, value) => row.level ? row.level[value - 1] : (scoreCurves.get(row.id) || []).at(-1)?.[value];
  fill(byId("scores-table"), "Newest loss and " + scores.fitName, [
    { title: "learner", value: row => row.label },
    { title: "reports used", value: row => row.level ? "-" : count(row.used) },
    { title: "loss", value: row => score(newest(row, 1)) },
    { title: scores.fitName, value: row => score(newest(row, 2)) }
  ], [levels[0], ...scored, levels[1]], "Waiting for the first publication");
}

// How good the recommended model, else the first one, is so far.
function now() {
  const scores = state.scores;
  const shown = scores && (scores.recommended || (scores.models[0] || {}).id);
  const newest = shown && (scoreCurves.get(shown) || []).at(-1);
  if (!newest) {
    return "";
  }
  if (state.models.some(model => model.id === shown && model.scouting)) {
    return "The model first looks for its clip, from people's answers; then it learns.";
  }
  const right = value => (100 * value).toFixed(1) + " %";
  return scores.fitName === "accuracy"
    ? `Now ${right(newest[2])} right; ${right(scores.optimum[1])} without privacy, ${right(scores.nothing[1])} by guessing.`
    : `Now ${scores.fitName} ${score(newest[2])}; ${score(scores.optimum[1])} without privacy.`;
}

// The columns of the result are those of the program that found it.
function showResult() {
  const result = state.result;
  const headline = result ? result.headline : now();
  setText(byId("headline"), headline);
  byId("headline").hidden = headline === "";
  byId("result").hidden = !result;
  if (!result) {
    return;
  }
  const chosen = state.scores ? state.scores.recommended : "";
  const table = byId("result-table");
  fill(table, "Result by learner", result.header.map((title, i) => ({
    title, words: i === 0 || i === 3, value: row => row.cells[i]
  })), result.rows, "None");
  result.rows.forEach((row, i) => table.tBodies[0].rows[i].classList.toggle("chosen", row.modelId !== "" && row.modelId === chosen));
  const notes = byId("result-notes");
  setChildren(notes, result.notes.length, () => element("p"));
  result.notes.forEach((note, i) => setText(notes.children[i], note));
}

// Why a model opens no new round.
const WAITS = {
  visibility: "its newest update to become visible",
  answer: "a report to its newest round",
  reports: "more reports"
};

function memoryText(model) {
  if (model.halfLife === undefined) {
    return "-";
  }
  const memory = model.halfLife > 0 ? "half-life " + count(model.halfLife) : "all of history";
  return memory + (model.drifting ? ", drifting" : "");
}

function learnerText(model) {
  return (model.learner || "-") + (model.scouting ? ", finding its clip" : "")
    + (model.predicts ? "; predicts " + model.predicts : "");
}

function showModels(all) {
  fill(byId("models-table"), "Models", [
    named("model"),
    { title: "learner", words: true, value: learnerText },
    { title: "round", value: model => count(model.round) },
    { title: "reports/s", value: model => digits(model.perSecond) },
    { title: "used", value: model => count(model.used) },
    { title: "answers", value: model => count(model.answers) },
    { title: "in the open round", value: model => count(model.open) },
    { title: "waits for", words: true, value: model => WAITS[model.waitsFor] || "-" },
    { title: "memory", words: true, value: memoryText },
    { title: "dropped: too old", value: model => count(model.stale) },
    { title: "not published", value: model => count(model.unpublished) },
    { title: "other clip", value: model => count(model.bound) },
    { title: "updates, of them repeated", value: model => model.publications === undefined ? "-"
        : count(model.publications) + ", " + count(model.repeated) },
    { title: "latency, largest", value: model => model.latencyMs === undefined ? "-"
        : duration(model.latencyMs) + ", " + duration(model.largestLatencyMs) },
    { title: "since the newest", value: model => model.publishedAtMs === undefined ? "-"
        : duration(Math.max(0, state.atMs - model.publishedAtMs)) }
  ], all, "There are no models yet");
  setText(byId("models-remark"), "Latency: from publication until this process could read the update, median and largest of"
    + " the newest 64. A repeated update has the round of the one before it: the job allowed no new round."
    + (state.more ? " There are more models than the 100 that this page follows." : ""));
}

function showQuantities(all) {
  const names = [...new Set([...curves.keys()].map(key => key.split("\n")[1]))].sort();
  const first = [...names.filter(name => name.startsWith("estimated ")),
    ...["magnitude", "evidence", "coin-bound", "norm"].filter(name => names.includes(name))];
  const ordered = [...first, ...names.filter(name => !first.includes(name))];
  options(byId("quantity"), ordered.map(name => [name, name === "norm" ? "norm of the average" : name]));
  // Estimates come later than the other quantities.
  if (ordered.length > 0 && !byId("quantity").dataset.chosen) {
    byId("quantity").value = ordered[0];
  }
  const chosen = byId("quantity").value;
  const having = all.filter(model => curves.has(model.id + "\n" + chosen));
  legend(byId("quantity-legend"), having);
  byId("quantity-chart").setAttribute("aria-label",
    (chosen || "The quantity") + " by reports used; the table below has the newest values");
  setLines(charts.quantity, having.map(model => ({
    label: model.label, value: 1, points: curves.get(model.id + "\n" + chosen), colour: colour(model.place),
    dash: isDashed(model.place) ? [6, 3] : []
  })));
  fill(byId("quantity-table"), "Newest values", [plain("model"), ...ordered.map(name => ({
    title: name, value: model => digits(curves.get(model.id + "\n" + name)?.at(-1)[1])
  }))], all, "There are no updates yet");
}

/** Whether an estimate is shown: its interval is not wider than half of what is possible. */
function isKnown(estimate) {
  return Number.isFinite(estimate?.fraction) && estimate.high - estimate.low <= 0.5;
}

function fractionText(estimate) {
  if (!isKnown(estimate)) {
    return Number.isFinite(estimate?.fraction) ? "too few answers" : "-";
  }
  const possible = Math.min(1, Math.max(0, estimate.fraction));
  return possible.toFixed(2) + (possible === estimate.fraction ? "" : " (clipped)");
}

function intervalText(estimate) {
  return isKnown(estimate) ? estimate.low.toFixed(2) + " to " + estimate.high.toFixed(2) : "-";
}

function drawInterval(cell, row) {
  if (!isKnown(row)) {
    cell.replaceChildren();
    return;
  }
  if (!cell.firstElementChild) {
    const track = element("span", "track");
    track.setAttribute("aria-hidden", "true");
    track.append(element("span", "range"), element("span", "point"));
    cell.replaceChildren(track);
  }
  const [range, point] = cell.firstElementChild.children;
  range.style.left = 100 * row.low + "%";
  range.style.width = 100 * (row.high - row.low) + "%";
  point.style.left = 100 * Math.min(1, Math.max(0, row.fraction)) + "%";
}

function showEstimates(all) {
  const rows = all.flatMap(model => (model.estimates || []).map(estimate => ({ ...model, ...estimate })));
  byId("estimates").hidden = rows.length === 0;
  const truth = row => row.question === state.scores.fitName ? (scoreCurves.get(row.id) || []).at(-1)?.[2] : undefined;
  fill(byId("estimates-table"), "Estimates", [
    plain("model"),
    { title: "question", words: true, value: row => row.question },
    { title: "fraction", value: fractionText },
    { title: "95 % interval", value: intervalText },
    { title: "0 to 1", words: true, draw: drawInterval },
    { title: "worth answers", value: row => count(row.answers) },
    { title: "recently", value: row => fractionText(row.recent) },
    { title: "recent interval", value: row => intervalText(row.recent) },
    ...(rows.some(row => row.always) ? [{ title: "interval at every look", value: row => intervalText(row.always) }] : []),
    ...(state.scores ? [{ title: "in truth", value: row => score(truth(row)) }] : [])
  ], rows, "No model asks a question");
}

// A bar up to the fraction, its interval, and a mark at the truth, which only a demonstration knows.
function drawBar(cell, row) {
  if (!Number.isFinite(row.fraction)) {
    cell.replaceChildren();
    return;
  }
  if (!cell.firstElementChild) {
    const track = element("span", "track");
    track.setAttribute("aria-hidden", "true");
    track.append(element("span", "bar-to"), element("span", "whisker"), element("span", "truth"));
    cell.replaceChildren(track);
  }
  const [bar, whisker, truth] = cell.firstElementChild.children;
  bar.style.width = 100 * Math.min(1, Math.max(0, row.fraction)) + "%";
  whisker.style.left = 100 * row.low + "%";
  whisker.style.width = 100 * (row.high - row.low) + "%";
  truth.hidden = !Number.isFinite(row.truth);
  truth.style.left = 100 * (row.truth || 0) + "%";
}

const thousandths = value => Number.isFinite(value) ? value.toFixed(3) : "-";
const fromTo = each => Number.isFinite(each?.fraction) ? thousandths(each.low) + " to " + thousandths(each.high) : "-";

function showStatistics(all) {
  const statistics = all.flatMap(model => (model.statistics || []).map(statistic => ({ ...model, ...statistic })))
    .filter(statistic => statistic.categories.length > 0);
  byId("statistics").hidden = statistics.length === 0;
  const truths = (state.scores && state.scores.fractions) || {};
  const rows = statistics.flatMap(of => of.categories.map((category, i) =>
    ({ label: of.label, statistic: of.statistic, votes: of.votes, ...category, truth: (truths[of.statistic] || [])[i] })));
  fill(byId("statistics-table"), "Fractions by category", [
    plain("model"),
    { title: "statistic", words: true, value: row => row.statistic },
    { title: "category", words: true, value: row => row.category },
    { title: "fraction", value: row => thousandths(row.fraction) },
    { title: "95 % interval", value: fromTo },
    { title: "0 to 1", words: true, draw: drawBar },
    { title: "worth votes", value: row => count(row.votes) },
    { title: "on the simplex", value: row => thousandths(row.projected) },
    { title: "recently", value: row => thousandths(row.recent?.fraction) },
    { title: "recent interval", value: row => fromTo(row.recent) },
    ...(rows.some(row => row.always) ? [{ title: "interval at every look", value: row => fromTo(row.always) }] : []),
    ...(Object.keys(truths).length > 0 ? [{ title: "in truth", value: row => thousandths(row.truth) }] : [])
  ], rows, "No model has statistics");
  const more = statistics.reduce((sum, of) => sum + of.more, 0);
  setText(byId("statistics-remark"), "Fractions of people in each category, from one randomised group of some people, without"
    + " bias, so a fraction may lie outside 0 to 1; on the simplex: the nearest fractions of at least 0 with the sum 1. Half of"
    + " the weight is on the last 44 updates, recently on the last 10."
    + (more > 0 ? ` ${count(more)} categories beyond the first 64 of a statistic are not shown.` : ""));
}

function showQuantiles(all) {
  const rows = all.flatMap(model => (model.statistics || []).flatMap(statistic => (statistic.levels || []).map(level =>
    ({ label: model.label, statistic: statistic.statistic, ...level }))));
  byId("quantiles").hidden = rows.length === 0;
  const share = (row, x) => (x - row.from) / (row.to - row.from);
  // The server rounds them.
  const digits = value => Number.isFinite(value) ? String(value) : "-";
  fill(byId("quantiles-table"), "Quantiles", [
    plain("model"),
    { title: "statistic", words: true, value: row => row.statistic },
    { title: "level", value: row => digits(row.level) },
    { title: "value", value: row => digits(row.value) },
    { title: "95 % interval", value: row => Number.isFinite(row.value) ? digits(row.low) + " to " + digits(row.high) : "-" },
    { title: "from", value: row => digits(row.from) },
    {
      title: "in the range", words: true, draw: (cell, row) => drawBar(cell, {
        fraction: share(row, row.value), low: share(row, row.low), high: share(row, row.high)
      })
    },
    { title: "to", value: row => digits(row.to) },
    { title: "worth answers", value: row => count(row.answers) }
  ], rows, "No model has quantiles");
}

function showSpending(all) {
  options(byId("spending-model"), [["", "all models"], ...all.map(model => [model.id, model.label])]);
  const of = byId("spending-model").value;
  const spending = state.spending[of] || state.spending[""];
  const kinds = [...spending.costs.map(cost => [cost.name, cost.name]),
    ...(spending.limited ? [["share", "share of the limit"]] : [])];
  options(byId("cost"), kinds);
  const chosen = byId("cost").value;
  const cost = spending.costs.find(each => each.name === chosen);
  const bins = chosen === "share" ? spending.shares : cost ? cost.bins : [];
  const edge = i => chosen === "share" ? 10 * i + " %" : digits(i * (cost ? cost.width : 1));
  const beyond = cost && cost.beyond ? [cost.beyond] : [];
  const rows = [...bins.map((people, i) => ({ label: edge(i) + " to " + edge(i + 1), people })),
    ...beyond.map(people => ({ label: "more than an account can count", people }))];
  const sample = spending.oneIn > 1 ? `, a random sample of one person in ${count(spending.oneIn)}` : "";
  const limited = spending.limited
    ? ` ${count(spending.near)} of ${count(spending.limited)} with a limit have spent at least 90 % of it`
      + ` (${(100 * spending.near / spending.limited).toFixed(1)} %).`
    : " No limit is set.";
  setText(byId("spending-summary"), spending.people === 0 ? "No report has been charged yet."
    : `${count(spending.people)} people${sample}.${limited}`);
  // One bar has nothing to compare.
  byId("spending-chart").parentElement.hidden = bins.filter(people => people > 0).length + beyond.length < 2;
  const chart = charts.spending;
  chart.data.labels = [...bins.map((people, i) => edge(i + 1)), ...beyond.map(() => "more")];
  chart.data.datasets[0].data = [...bins, ...beyond];
  chart.options.scales.x.title = {
    display: true, color: style("--soft"), text: (chosen === "share" ? "share of the limit" : chosen) + " spent, up to"
  };
  chart.update("none");
  fill(byId("spending-table"), "People by cost", [plain(chosen === "share" ? "share of the limit" : chosen || "cost"),
    { title: "people", value: row => count(row.people) }], rows, "No report has been charged yet");
}

const verdict = name => name.toLowerCase().replace("refused_", "refused: ").replaceAll("_", " ");

function showVerdicts(all) {
  const rows = [...all, ...(state.unknown.length ? [{ label: "models not shown", outcomes: state.unknown }] : [])];
  const names = new Set(["ADMITTED"]);
  rows.forEach(row => row.outcomes.forEach(outcome => names.add(outcome.name)));
  const ordered = [...names].sort((a, b) => (b === "ADMITTED") - (a === "ADMITTED") || (a < b ? -1 : 1));
  fill(byId("verdicts-table"), "Verdicts by model", [plain("model"), ...ordered.map(name => ({
    title: verdict(name), value: row => count(row.outcomes.find(outcome => outcome.name === name)?.count || 0)
  }))], rows, "No report has been judged yet");
  setText(byId("verdicts-remark"), `Since ${new Date(state.startedAtMs).toLocaleTimeString("en-GB")}, and of at most the newest `
    + `${count(state.pastEvents)} events of each partition before.`);
  fill(byId("letters-table"), "Dead letters by reason", [
    { title: "reason", value: row => row.name }, { title: "records", value: row => count(row.count) }
  ], state.reasons, "None");
}

function showGuarantees(all) {
  const rows = all.filter(model => model.guarantee);
  byId("guarantees").hidden = rows.length === 0;
  fill(byId("guarantees-table"), "Guarantees", [
    plain("model"),
    { title: "round", value: row => count(row.guarantee.round) },
    { title: "mechanism", words: true, value: row => row.guarantee.mechanism },
    { title: "noise multiplier", value: row => digits(row.guarantee.noiseMultiplier) },
    { title: "delta", value: row => digits(row.guarantee.delta) },
    { title: "epsilon, two gradients", value: row => digits(row.guarantee.replaceOne.epsilon) },
    { title: "mu", value: row => digits(row.guarantee.replaceOne.mu) },
    { title: "epsilon, gradient or none", value: row => digits(row.guarantee.zeroOut.epsilon) },
    { title: "mu", value: row => digits(row.guarantee.zeroOut.mu) }
  ], rows, "There are no central models");
}

function showWindows(all) {
  const rows = all.flatMap(model => (model.window || []).map(window => ({ ...model, window })));
  byId("windows").hidden = rows.length === 0;
  fill(byId("windows-table"), "Windows", [
    plain("model"),
    { title: "window", value: row => count(row.window.number) },
    { title: "reports", value: row => count(row.window.reports) },
    { title: "local epsilon", value: row => digits(row.window.localEpsilon) },
    { title: "central epsilon", value: row => digits(row.window.epsilon) },
    { title: "delta", value: row => digits(row.window.delta) }
  ], rows, "No window is over");
}

function show() {
  if (!state) {
    return;
  }
  document.title = state.title;
  setText(byId("title"), state.title);
  setText(byId("note"), state.note);
  const all = models();
  const parts = [
    showFigures, showScores, showResult, showModels, showQuantities, showEstimates, showStatistics, showQuantiles, showSpending,
    showVerdicts, showGuarantees, showWindows
  ];
  for (const part of parts) {
    try {
      part(all);
    } catch (error) {
      // The other parts, and the connection, don't depend on it.
      console.error(error);
    }
  }
  const unreadable = state.topics.filter(topic => !topic.readable).map(topic => topic.name);
  byId("warning").hidden = state.ended || unreadable.length === 0;
  setText(byId("warning"), unreadable.length ? "These topics can't be read now: " + unreadable.join(", ") + "." : "");
}

// ---- Data

function showStatus() {
  const status = byId("status");
  const age = Date.now() - receivedAt;
  const late = receivedAt > 0 && age > STALE_MS && !(state && state.ended);
  const stuck = state && !state.ended && state.waiting > 0 && state.stuckMs > STUCK_MS;
  const text = state && state.ended ? "Ended. These are the last numbers."
    : receivedAt === 0 ? "Connecting ..."
    : late ? "Stale: no numbers since " + new Date(receivedAt).toLocaleTimeString("en-GB") + ". Trying again."
    : stuck ? `The job judges nothing: ${count(state.waiting)} reports wait, for ${duration(state.stuckMs)}`
    : polling ? "Live, by polling" : "Live";
  setText(status, text);
  status.className = late ? "stale" : stuck ? "stuck" : state && !state.ended ? "live" : "";
}

function take(next) {
  receivedAt = Date.now();
  keepCurves(next);
  state = next;
  show();
  showStatus();
  // A section that a program adds to the page may depend on it.
  document.body.dataset.ended = String(state.ended);
  document.dispatchEvent(new CustomEvent("numbers", { detail: { ended: state.ended } }));
}

async function poll() {
  const response = await fetch("snapshot", { cache: "no-store", signal: AbortSignal.timeout(STALE_MS) });
  if (!response.ok) {
    throw new Error("status " + response.status);
  }
  take(await response.json());
}

const pause = ms => new Promise(done => setTimeout(done, ms));

// Reads the stream until it breaks; the first event follows a snapshot, whose curves it extends.
const stream = () => new Promise(done => {
  const events = new EventSource("events");
  const silence = setInterval(() => {
    if (Date.now() - receivedAt > STALE_MS) {
      stop();
    }
  }, 1000);
  const stop = () => {
    clearInterval(silence);
    events.close();
    done();
  };
  events.onmessage = event => {
    polling = false;
    take(JSON.parse(event.data));
    if (state.ended) {
      stop();
    }
  };
  events.onerror = stop;
});

async function follow() {
  let streamAt = 0;
  while (!(state && state.ended)) {
    try {
      await poll();
      if (!state.ended && Date.now() - streamAt > STREAM_AGAIN_MS) {
        streamAt = Date.now();
        await stream();
        polling = true;
      }
    } catch (error) {
      polling = true;
    }
    showStatus();
    if (!(state && state.ended)) {
      await pause(POLL_MS);
    }
  }
}

makeCharts();
dark.addEventListener("change", () => {
  makeCharts();
  show();
});
["quantity", "spending-model", "cost", "scores-others"].forEach(id => byId(id).addEventListener("change", event => {
  event.target.dataset.chosen = "yes";
  show();
}));
const kept = byId("numbers");
if (kept) {
  // A page of one file has its numbers in it.
  take(JSON.parse(kept.textContent));
} else {
  setInterval(showStatus, 1000);
  follow();
}
