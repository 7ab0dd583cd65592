// Draws the `state` of LiveFitness: best fitness so far, and a mark for every reply.
// All text goes in as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";
const WIDTH = 640, HEIGHT = 260, LEFT = 56, RIGHT = 14, TOP = 14, BOTTOM = 40;
const LEGEND = "line: best so far · dot: correct · cross: not a solution";
const MILLISECONDS_BETWEEN_WORDS = 5000;
const SOLVED = "#2b77e1", FAILED = "#be5f1b";

function add(parent, name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  parent.appendChild(node);
  return node;
}

// Steps of 1, 2 or 5 times a power of ten, about `wanted` of them up to `top`.
function ticks(top, wanted) {
  const rough = top / wanted;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough);
  const count = Math.floor(top / step + 1e-9);
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

function axes(svg, x, y, replies, top) {
  const ink = { fill: "currentColor", "font-size": 12 };
  const faint = { stroke: "currentColor", "stroke-opacity": 0.15 };
  for (const value of ticks(top, 4)) {
    add(svg, "line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value), ...faint });
    add(svg, "text", { x: LEFT - 8, y: y(value) + 4, "text-anchor": "end", ...ink }, value);
  }
  for (const value of ticks(replies, 8).filter(Number.isInteger)) {
    add(svg, "text", { x: x(value), y: HEIGHT - BOTTOM + 16, "text-anchor": "middle", ...ink }, value);
  }
  const middle = (LEFT + WIDTH - RIGHT) / 2;
  add(svg, "text", { x: middle, y: HEIGHT - 6, "text-anchor": "middle", ...ink }, "replies of the model");
  const turned = { transform: `rotate(-90 12 ${HEIGHT / 2})`, "text-anchor": "middle", ...ink };
  add(svg, "text", { x: 12, y: HEIGHT / 2, ...turned }, "fitness");
}

function mark(svg, x, y, solved, label) {
  const node = solved
    ? add(svg, "circle", { cx: x, cy: y, r: 4, fill: SOLVED, "fill-opacity": 0.65 })
    : add(svg, "path", {
        d: `M${x - 3.5} ${y - 3.5}l7 7m0 -7l-7 7`, stroke: FAILED, "stroke-width": 1.5,
      });
  node.setAttribute("class", solved ? "solved" : "failed");
  add(node, "title", {}, label);
}

function draw(svg, state) {
  svg.replaceChildren();
  const replies = Math.max(state.replies ?? 0, 1);
  const best = state.best ?? [];
  const top = Math.max(...best.map(([, fitness]) => fitness), 0) || 1;
  const x = (reply) => LEFT + (reply / replies) * (WIDTH - LEFT - RIGHT);
  const y = (fitness) => TOP + (1 - fitness / top) * (HEIGHT - TOP - BOTTOM);
  axes(svg, x, y, replies, top);
  for (const [reply, fitness, solved, label] of state.children ?? []) {
    mark(svg, x(reply), y(fitness), solved, label);
  }
  const path = best.map(([reply, fitness], i) =>
    i === 0 ? `M${x(reply)} ${y(fitness)}` : `H${x(reply)}V${y(fitness)}`);
  if (path.length) {
    add(svg, "path", { class: "best", d: path.join(""), fill: "none", stroke: SOLVED, "stroke-width": 2 });
  }
}

function render({ model, el }) {
  const title = document.createElement("div");
  title.style.fontWeight = "bold";
  const svg = add(el, "svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  svg.style.cssText = "width:100%;max-width:760px;font-family:sans-serif";
  const legend = document.createElement("div");
  legend.style.opacity = 0.75;
  const status = document.createElement("div");
  // A screen reader that is told four times a second says nothing to the end.
  const spoken = document.createElement("div");
  spoken.setAttribute("aria-live", "polite");
  spoken.style.cssText = "position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)";
  let waiting;
  const speak = () => {
    waiting = undefined;
    spoken.textContent = status.textContent;
  };
  el.classList.add("workbench-live-fitness");
  el.prepend(title);
  el.append(legend, status, spoken);

  const show = () => {
    const state = model.get("state");
    title.textContent = state.title ?? "";
    legend.textContent = state.left_out ? `${LEGEND} · ${state.left_out}` : LEGEND;
    status.textContent = state.status ?? "";
    svg.setAttribute("aria-label", state.status ?? "");
    waiting ??= setTimeout(speak, MILLISECONDS_BETWEEN_WORDS);
    draw(svg, state);
  };
  model.on("change:state", show);
  show();
  return () => {
    clearTimeout(waiting);
    model.off("change:state", show);
  };
}

export default { render };
