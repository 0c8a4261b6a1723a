
"use strict";
(() => {
  const SVG = "http://www.w3.org/2000/svg";
  const data = JSON.parse(document.getElementById("data").textContent);

  const make = (name, attributes = {}, text = "") => {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };
  const draw = (name, attributes = {}, text = "") => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    if (text) element.textContent = text;
    return element;
  };
  const word = (text) => text.replaceAll(" ", "-");
  const last = (path) => path.slice(path.lastIndexOf("/") + 1);
  const bytes = (size) => {
    let unit = 0;
    for (; size >= 1024 && unit < 4; unit += 1) size /= 1024;
    return `${size.toFixed(unit && size < 100 ? 1 : 0)} ${["B", "KiB", "MiB", "GiB", "TiB"][unit]}`;
  };

  // ---- Findings: search and levels

  function filters(section) {
    const box = section.querySelector(".filters");
    if (!box) return;
    box.hidden = false;
    const rows = [...section.querySelectorAll(".finding")];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const search = box.querySelector("input");
    const toggles = [...box.querySelectorAll(".toggle")];
    for (const toggle of toggles) {
      if (!rows.some((row) => row.dataset.kind === toggle.dataset.kind)) toggle.hidden = true;
      toggle.addEventListener("click", () => {
        toggle.setAttribute("aria-pressed", toggle.getAttribute("aria-pressed") !== "true");
        apply();
      });
    }
    search.addEventListener("input", apply);
    function apply() {
      const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
      const kinds = new Set(toggles.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.dataset.kind));
      let shown = 0;
      rows.forEach((row, index) => {
        row.hidden = !(kinds.has(row.dataset.kind) && words.every((each) => texts[index].includes(each)));
        shown += !row.hidden;
      });
      box.querySelector("output").textContent = `${shown} of ${rows.length} shown`;
    }
    apply();
  }

  // ---- Load-order graph: columns are breadth-first depths, rows the loader's order

  const WIDTH = 250, HEIGHT = 24, ACROSS = 110, DOWN = 9;
  const HOWS = ["runpath", "rpath", "inherited rpath", "library path", "system", "declared", "preloaded", "already loaded", "not found"];

  function nodesAndEdges(artifact, graph, withPlatform) {
    const text = artifact.texts;
    const nodes = new Map();
    const root = text[graph[0]];
    nodes.set(root, { name: root, depth: 0, kind: "member", order: 0 });
    const edges = [];
    for (const number of graph[2]) {
      const [needer, soname, kind, path, how, story] = artifact.edges[number];
      const provider = text[kind];
      if (provider === "platform" && !withPlatform) continue;
      const from = nodes.get(text[needer]);
      if (!from) continue;
      const name = path < 0 ? text[soname] : text[path];
      if (!nodes.has(name)) nodes.set(name, { name, depth: from.depth + 1, kind: provider, order: nodes.size });
      edges.push({ from, to: nodes.get(name), soname: text[soname], how: text[how], story: text[story] });
    }
    return { nodes: [...nodes.values()], edges };
  }

  function place(nodes) {
    const heights = [];
    for (const node of nodes) {
      const row = (heights[node.depth] = (heights[node.depth] || 0) + 1) - 1;
      node.x = 12 + node.depth * (WIDTH + ACROSS);
      node.y = 12 + row * (HEIGHT + DOWN);
    }
    return { width: 24 + heights.length * (WIDTH + ACROSS) - ACROSS + 50, height: 24 + Math.max(...heights) * (HEIGHT + DOWN) };
  }

  const clipped = (text, limit = 31) => (text.length > limit ? `${text.slice(0, limit - 12)}…${text.slice(-11)}` : text);
  const told = (edge) => `${last(edge.from.name)} needs ${edge.soname}: ${edge.how}${edge.story ? `\n${edge.story.replaceAll(" · ", "\n")}` : ""}`;

  function graphs(section, artifact) {
    if (!artifact.graphs.length) return;
    section.hidden = false;
    const select = section.querySelector("select");
    const platform = section.querySelector(".platform");
    artifact.graphs.forEach((graph, index) => select.append(make("option", { value: index }, artifact.texts[graph[0]])));
    // A root with something missing is what the reader came for.
    const missing = (graph) => graph[2].some((number) => artifact.edges[number][3] < 0);
    const first = artifact.graphs.findIndex(missing);
    if (first > 0) select.value = first;
    const legend = section.querySelector(".legend");
    const used = new Set(artifact.edges.map((edge) => artifact.texts[edge[4]]));
    for (const how of HOWS.filter((each) => used.has(each))) {
      const sample = draw("svg", { width: 34, height: 10, "aria-hidden": "true" });
      sample.append(draw("path", { d: "M1 5H33", class: `edge h-${word(how)}`, fill: "none", stroke: "var(--tone)", "stroke-width": 2 }));
      const item = make("li");
      item.append(sample, how);
      legend.append(item);
    }
    const show = () => paint(section, artifact, artifact.graphs[select.value], platform.checked);
    select.addEventListener("change", show);
    platform.addEventListener("change", show);
    show();
  }

  function paint(section, artifact, graph, withPlatform) {
    const { nodes, edges } = nodesAndEdges(artifact, graph, withPlatform);
    const size = place(nodes);
    const svg = draw("svg", { width: size.width, height: size.height, role: "img", "aria-label": `Load order of ${artifact.texts[graph[0]]}: ${nodes.length} objects; the list below says the same` });
    const shapes = new Map(nodes.map((node) => [node, []]));
    for (const edge of edges) {
      const [x1, y1, y2] = [edge.from.x + WIDTH, edge.from.y + HEIGHT / 2, edge.to.y + HEIGHT / 2];
      const x2 = edge.to.depth > edge.from.depth ? edge.to.x : edge.to.x + WIDTH;
      const bend = edge.to.depth > edge.from.depth ? (x2 - x1) / 2 : 40;
      const path = draw("path", { d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 + (edge.to.depth > edge.from.depth ? -bend : bend)} ${y2} ${x2} ${y2}`, class: `edge h-${word(edge.how)}` });
      path.append(draw("title", {}, told(edge)));
      shapes.get(edge.from).push(path);
      shapes.get(edge.to).push(path);
      svg.append(path);
    }
    for (const node of nodes) {
      const kinds = `node t-${node.kind}${node.kind === "none" ? " missing" : ""}${node.order ? "" : " root"}`;
      const group = draw("g", { class: kinds });
      group.append(draw("title", {}, [node.name, ...edges.filter((edge) => edge.to === node).map(told)].join("\n\n")));
      group.append(draw("rect", { x: node.x, y: node.y, width: WIDTH, height: HEIGHT, rx: 6 }));
      group.append(draw("text", { x: node.x + 8, y: node.y + 16 }, (node.kind === "none" ? "✗ " : "") + clipped(last(node.name))));
      group.addEventListener("mouseenter", () => {
        for (const path of svg.querySelectorAll(".edge")) path.classList.add("dim");
        for (const path of shapes.get(node)) path.classList.remove("dim");
      });
      group.addEventListener("mouseleave", () => {
        for (const path of svg.querySelectorAll(".dim")) path.classList.remove("dim");
      });
      svg.append(group);
    }
    section.querySelector(".canvas").replaceChildren(svg);
    const items = nodes.map((node) => {
      const item = make("li");
      item.append(make("code", {}, node.name), ` ${node.kind === "none" ? "MISSING" : node.kind}`);
      const first = edges.find((edge) => edge.to === node);
      if (first) item.append(make("div", { class: "quiet" }, told(first)));
      return item;
    });
    section.querySelector(".order").replaceChildren(...items);
  }

  // ---- Size map: a squarified treemap (Bruls, Huizing and van Wijk, 2000), one folder at a time

  function tree(artifact) {
    const root = { name: "all files", size: 0, children: new Map() };
    for (const [path, size, kind] of artifact.members) {
      let node = root;
      node.size += size;
      for (const part of artifact.texts[path].split("/")) {
        if (!node.children.has(part)) node.children.set(part, { name: part, size: 0, children: new Map(), kind: artifact.texts[kind], parent: node });
        node = node.children.get(part);
        node.size += size;
      }
    }
    return root;
  }

  function squarified(nodes, x, y, width, height) {
    const total = nodes.reduce((sum, node) => sum + node.size, 0);
    const scale = total ? (width * height) / total : 0;
    const boxes = [];
    let rest = nodes.slice();
    while (rest.length) {
      const side = Math.min(width, height);
      let row = [], area = 0, worst = Infinity;
      while (rest.length > row.length) {
        const next = rest[row.length].size * scale;
        const areas = [...row.map((node) => node.size * scale), next];
        const sum = area + next;
        const ratio = Math.max(...areas.map((each) => Math.max((side * side * each) / (sum * sum), (sum * sum) / (side * side * each))));
        if (row.length && ratio > worst) break;
        row.push(rest[row.length]);
        area = sum;
        worst = ratio;
      }
      const thick = area / side || 0;
      let along = 0;
      for (const node of row) {
        const length = (node.size * scale) / thick || 0;
        boxes.push(width >= height ? { node, x, y: y + along, w: thick, h: length } : { node, x: x + along, y, w: length, h: thick });
        along += length;
      }
      if (width >= height) { x += thick; width -= thick; } else { y += thick; height -= thick; }
      rest = rest.slice(row.length);
    }
    return boxes;
  }

  function sizes(section, artifact) {
    section.hidden = false;
    const map = section.querySelector(".map"), crumbs = section.querySelector(".crumbs");
    const show = (folder, focus) => {
      const way = [];
      for (let node = folder; node; node = node.parent) way.unshift(node);
      crumbs.replaceChildren(...way.map((node, depth) => {
        const link = make("button", { type: "button" }, `${depth ? "/ " : ""}${node.name}`);
        if (node === folder) link.setAttribute("aria-current", "page");
        link.addEventListener("click", () => show(node, true));
        return link;
      }), `  ${bytes(folder.size)}`);
      const { clientWidth: width, clientHeight: height } = map;
      const sorted = [...folder.children.values()].filter((node) => node.size).sort((a, b) => b.size - a.size);
      // What would be too small to see is put together, so that the page stays quick.
      const big = sorted.filter((node, index) => index < 200 && (node.size / folder.size) * width * height > 60);
      const left = sorted.slice(big.length);
      if (left.length) big.push({ name: `${left.length} small files`, size: left.reduce((sum, node) => sum + node.size, 0), children: new Map() });
      const boxes = squarified(big, 0, 0, width, height).map(({ node, x, y, w, h }) => {
        const share = `${node.name}, ${bytes(node.size)}, ${((100 * node.size) / folder.size).toFixed(1)} %`;
        const isFolder = node.children.size > 0;
        const box = make("button", { type: "button", class: isFolder ? "folder" : node.kind || "", title: share, "aria-label": isFolder ? `folder ${share}` : share }, w > 40 && h > 16 ? `${node.name} ${bytes(node.size)}` : "");
        Object.assign(box.style, { left: `${x}px`, top: `${y}px`, width: `${w}px`, height: `${h}px` });
        if (isFolder) box.addEventListener("click", () => show(node, true));
        return box;
      });
      map.replaceChildren(...boxes);
      if (focus && boxes.length) boxes[0].focus();
    };
    const root = tree(artifact);
    const start = () => show(root, false);
    // Drawn when it comes into view: measuring and drawing thousands of files is not for the first second.
    new IntersectionObserver((entries, observer) => {
      if (entries.some((entry) => entry.isIntersecting)) { observer.disconnect(); start(); }
    }).observe(map);
  }

  for (const section of document.querySelectorAll(".artifact")) {
    const artifact = data[Number(section.dataset.index)];
    filters(section.querySelector(".findings"));
    const graph = section.querySelector(".graph"), map = section.querySelector(".sizes");
    if (graph) graphs(graph, artifact);
    if (map) sizes(map, artifact);
  }
})();
