"use strict";
const plots = JSON.parse(document.getElementById("plots").textContent);
const views = [];
const crawl = document.getElementById("crawl");

// Draws every plot. A plot that cannot be drawn says so; its table is there in any case.
async function draw(place) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    downloadFileName: place.dataset.plot.replace("/", "-"),
    tooltip: { theme: dark ? "dark" : "light" },
  };
  try {
    const plot = plots[place.dataset.plot];
    fit(plot, place.clientWidth);
    const { view } = await vegaEmbed(place, plot, options);
    views.push([place, view]);
    name(place);
  } catch (error) {
    place.textContent = `This plot cannot be drawn: ${error.message}`;
    console.error(error);
  }
}

// Names what Vega leaves without a name: the menu of a plot, and groups of marks that have none.
function name(place) {
  place.querySelector(".vega-embed summary, summary")?.setAttribute("aria-label", "Save this plot");
  for (const group of place.querySelectorAll("g[role=graphics-symbol]:empty")) group.removeAttribute("role");
}

// Breaks labels and the titles of axes into lines, so that they fit the width. What needs more is scrolled.
function fit(plot, place) {
  const cells = plot.usermeta?.cellWidth ?? 0;
  const isNarrow = cells > 0 && place < cells * columnsOf(plot).length + 150;
  if (isNarrow) narrow(plot);
  const least = Math.max(isNarrow ? NARROW * columnsOf(plot).length + 100 : 0, 7 * longestWord(plot) + 180);
  const width = Math.max(place, least);
  if (place < least) plot.width = least;
  if (width < 600) plot.config.legend.columns = 1;
  const limit = isNarrow ? 95 : Math.max(150, width * 0.4);
  plot.config.axis.labelLimit = 0;
  plot.config.legend.labelLimit = width * 0.8;
  if (width < 600) plot.config.axisX = { titleAnchor: "end" };
  let needed = 1;
  for (const { encoding } of [plot, ...(plot.layer ?? [])]) {
    if (encoding?.x?.title) encoding.x.title = lines(encoding.x.title, width / 12);
    if (width < 600 && encoding?.x?.axis?.tickCount) encoding.x.axis.tickCount = 3;
    if (encoding?.y?.type !== "nominal") continue;
    needed = Math.max(needed, breakLabels(plot, encoding.y, Math.floor(limit / 6.5)));
  }
  if (needed > 1) plot.height *= Math.max(1, (13 * needed + 8) / (plot.usermeta?.rowHeight ?? 20));
}

const NARROW = 46;

// Makes the cells of a matrix as narrow as one figure: each end of the interval and n have a line of their own.
function narrow(plot) {
  for (const row of rowsOf(plot)) row.size = row.size.replace(" to ", " to\n").replace(", n", "\nn");
  plot.height *= 58 / plot.usermeta.rowHeight;
  plot.usermeta.rowHeight = 58;
  for (const { mark } of plot.layer) if (mark.type === "text") mark.dy -= 14;
}

function columnsOf(plot) {
  const { field } = plot.layer[0].encoding.x;
  return [...new Set(rowsOf(plot).map((row) => row[field]))];
}

// Returns the letters of the longest word of the labels, which cannot be broken.
function longestWord(plot) {
  const axes = [plot, ...(plot.layer ?? [])].map(({ encoding }) => encoding?.y).filter((y) => y?.type === "nominal");
  const labels = axes.flatMap((y) => rowsOf(plot).map((row) => String(row[y.field])));
  return Math.max(0, ...labels.flatMap((label) => label.split(" ")).map((word) => word.length));
}

function rowsOf(plot) {
  return plot.data.values ?? plot.datasets[plot.data.name];
}

// Breaks the labels of an axis, and returns how many lines the longest one needs.
function breakLabels(plot, y, length) {
  const needed = Math.max(...rowsOf(plot).map((row) => lines(String(row[y.field]), length).length));
  if (needed < 2) return needed;
  const pattern = `regexp('(.{1,${length}})( |$)', 'g')`;
  const broken = `split(trim(replace(datum.label, ${pattern}, '$1\\n')), '\\n')`;
  // The middle of the lines, not the first one, is beside the bar.
  const middle = (count) => ({ test: `length(${broken}) === ${count}`, value: -6.5 * (count - 1) });
  const offsets = Array.from({ length: needed - 1 }, (_, at) => middle(at + 2));
  y.axis = { ...y.axis, labelExpr: broken, labelOffset: { condition: offsets, value: 0 } };
  return needed;
}

function lines(text, length) {
  const broken = [""];
  for (const word of text.split(" ")) {
    const line = `${broken.at(-1)} ${word}`.trim();
    if (line.length <= length) broken[broken.length - 1] = line;
    else broken.push(word);
  }
  return broken.filter((line) => line !== "");
}

function showCrawl() {
  for (const [place, view] of views) {
    if (!("crawl" in view.getState().signals)) continue;
    view.signal("crawl", crawl.value).runAsync();
    const has = rowsOf(plots[place.dataset.plot]).some((row) => row.crawl === crawl.value);
    place.hidden = !has;
    place.nextElementSibling.hidden = has;
  }
  for (const table of document.querySelectorAll("table")) filter(table);
}

// Shows the rows of the chosen crawl that have the text that is searched for.
function filter(table) {
  const text = (table.closest("details").querySelector("input")?.value ?? "").toLowerCase();
  const all = crawl === null || table.closest("section").id === "change";
  let [found, shown] = [0, 0];
  for (const row of table.tBodies[0].rows) {
    const ofCrawl = all || row.dataset.crawl === crawl.value;
    row.hidden = !ofCrawl || !row.textContent.toLowerCase().includes(text);
    shown += ofCrawl ? 1 : 0;
    found += row.hidden ? 0 : 1;
  }
  const details = table.closest("details");
  if (crawl !== null) details.querySelector(".count").textContent = counted(shown);
  const output = details.querySelector("output");
  if (output !== null) output.textContent = text === "" ? "" : counted(found);
}

function counted(rows) {
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"}`;
}

function sort(header) {
  const body = header.closest("table").tBodies[0];
  const isNumber = header.classList.contains("number");
  const first = isNumber ? "descending" : "ascending";
  const other = isNumber ? "ascending" : "descending";
  const order = header.ariaSort === first ? other : first;
  for (const each of header.parentElement.cells) each.removeAttribute("aria-sort");
  header.ariaSort = order;
  const key = (row) => {
    const cell = row.cells[header.cellIndex];
    return isNumber ? Number(cell.dataset.order ?? "-Infinity") : cell.textContent;
  };
  const compare = (a, b) => (isNumber ? a - b : a.localeCompare(b));
  const sign = order === "ascending" ? 1 : -1;
  body.append(...[...body.rows].sort((a, b) => sign * compare(key(a), key(b))));
}

for (const button of document.querySelectorAll("th button")) button.addEventListener("click", () => sort(button.parentElement));
for (const input of document.querySelectorAll("input[type=search]")) {
  input.addEventListener("input", () => filter(input.closest("details").querySelector("table")));
}
if (crawl !== null) crawl.addEventListener("change", showCrawl);
Promise.all([...document.querySelectorAll(".plot")].map(draw)).then(() => {
  if (crawl !== null) showCrawl();
  document.documentElement.dataset.drawn = String(views.length);
});
