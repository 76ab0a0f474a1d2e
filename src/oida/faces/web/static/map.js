// The map on a canvas: places come from the server; here they are only drawn, moved, and found again under the pointer.
"use strict";

(async () => {
  const frame = document.getElementById("map");
  const canvas = document.getElementById("canvas");
  const told = document.getElementById("map-told");
  const tip = document.getElementById("tip");
  const draw = canvas.getContext("2d");
  const response = await fetch(frame.dataset.source, { headers: { Accept: "application/json" } });
  if (!response.ok) { told.textContent = "The map could not be drawn. Widen the filter, or try again."; return; }
  const graph = await response.json();
  const nodes = graph.nodes.map(([id, x, y, k, kind, status, domain, text]) => ({ id, x, y, k, kind, status, domain, text, edges: [] }));
  graph.edges.forEach(([one, other], number) => { nodes[one].edges.push(number); nodes[other].edges.push(number); });
  const count = nodes.length.toLocaleString("en");
  told.textContent = nodes.length < graph.total ? `The ${count} heaviest of ${graph.total.toLocaleString("en")} objects, ${graph.edges.length.toLocaleString("en")} relations` : `${count} objects, ${graph.edges.length.toLocaleString("en")} relations`;

  let colours, width = 0, height = 0, scale = 1, left = 0, top = 0, over = -1, waiting = false;
  const KINDS = { DECISION: "--accent", CONSTRAINT: "--accent", EVIDENCE: "--good", QUESTION: "--warn", HYPOTHESIS: "--cool", OBSERVATION: "--cool", EVALUATION: "--cool", PLAN: "--soft", NARRATIVE: "--muted" };

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(name).trim();
    colours = { kinds: graph.classes.map((name) => of(KINDS[name])), line: of("--line"), good: of("--good"), bad: of("--bad"), ink: of("--ink"), muted: of("--muted"), card: of("--card"), sunken: of("--sunken") };
  }
  function across(x) { return left + width / 2 + x * scale; }
  function down(y) { return top + height / 2 + y * scale; }
  function radius(node) { return (2 + 5 * node.k) * Math.min(2.2, Math.max(0.8, Math.sqrt(scale / 330))) * (nodes.length > 1500 ? 0.7 : 1); }

  function shape(node, x, y, r) {
    draw.beginPath();
    switch (graph.classes[node.kind]) {
      case "DECISION": case "CONSTRAINT": draw.rect(x - r, y - r, 2 * r, 2 * r); break;
      case "EVIDENCE": draw.moveTo(x, y - r * 1.2); draw.lineTo(x + r * 1.2, y + r); draw.lineTo(x - r * 1.2, y + r); draw.closePath(); break;
      case "EVALUATION": case "HYPOTHESIS": draw.moveTo(x, y - r * 1.3); draw.lineTo(x + r * 1.3, y); draw.lineTo(x, y + r * 1.3); draw.lineTo(x - r * 1.3, y); draw.closePath(); break;
      default: draw.arc(x, y, r, 0, 6.2832);
    }
  }
  function strokeEdges(numbers, alpha) {
    for (const sign of [1, -1]) {
      draw.beginPath();
      for (const number of numbers) {
        const [one, other, , edgeSign] = graph.edges[number];
        if (edgeSign !== sign) continue;
        draw.moveTo(across(nodes[one].x), down(nodes[one].y));
        draw.lineTo(across(nodes[other].x), down(nodes[other].y));
      }
      draw.globalAlpha = alpha;
      draw.strokeStyle = sign > 0 ? colours.good : colours.bad;
      draw.setLineDash(sign > 0 ? [] : [5, 4]);
      draw.stroke();
    }
    draw.setLineDash([]);
    draw.globalAlpha = 1;
  }
  const everyEdge = graph.edges.map((_, number) => number);

  function paint() {
    waiting = false;
    draw.clearRect(0, 0, width, height);
    draw.lineWidth = 1;
    draw.strokeStyle = colours.line;
    for (const ring of [0.333, 0.667, 1]) { draw.beginPath(); draw.arc(across(0), down(0), ring * scale, 0, 6.2832); draw.stroke(); }
    strokeEdges(everyEdge, over < 0 ? Math.max(0.18, Math.min(0.55, 400 / (graph.edges.length + 1))) : 0.08);
    for (let number = 0; number < nodes.length; number++) {
      const node = nodes[number], x = across(node.x), y = down(node.y);
      if (x < -20 || y < -20 || x > width + 20 || y > height + 20) continue;
      shape(node, x, y, radius(node));
      draw.fillStyle = colours.kinds[node.kind];
      draw.globalAlpha = graph.statuses[node.status] === "ACTIVE" ? 0.9 : 0.35;
      draw.fill();
      if (graph.classes[node.kind] === "CONSTRAINT" || graph.classes[node.kind] === "HYPOTHESIS") { draw.fillStyle = colours.card; shape(node, x, y, radius(node) * 0.45); draw.fill(); }
    }
    draw.globalAlpha = 1;
    if (scale < 900) {
      draw.font = "600 12px system-ui, sans-serif"; draw.fillStyle = colours.muted; draw.textAlign = "center";
      for (const { name, x, y } of sectors) draw.fillText(name, across(x * 1.07), down(y * 1.07) + 4);
    }
    if (over >= 0) {
      const node = nodes[over];
      draw.lineWidth = 2;
      strokeEdges(node.edges, 0.95);
      draw.lineWidth = 2; draw.strokeStyle = colours.ink;
      shape(node, across(node.x), down(node.y), radius(node) + 3); draw.stroke();
    }
  }
  function again() { if (!waiting) { waiting = true; requestAnimationFrame(paint); } }

  const sectors = graph.domains.map((name, number) => {
    let x = 0, y = 0, members = 0;
    for (const node of nodes) if (node.domain === number) { const length = Math.hypot(node.x, node.y) || 1; x += node.x / length; y += node.y / length; members++; }
    const length = Math.hypot(x, y) || 1;
    return { name, x: x / length, y: y / length, members };
  }).filter(({ members }) => members * 40 > nodes.length);

  function whole() { scale = Math.min(width, height) * 0.43; left = 0; top = 0; again(); }
  function size() {
    const ratio = window.devicePixelRatio || 1;
    width = canvas.clientWidth; height = canvas.clientHeight;
    canvas.width = width * ratio; canvas.height = height * ratio;
    draw.setTransform(ratio, 0, 0, ratio, 0, 0);
  }
  function zoom(factor, x = width / 2, y = height / 2) {
    const next = Math.min(20000, Math.max(60, scale * factor)), real = next / scale;
    left = (left - (x - width / 2)) * real + (x - width / 2);
    top = (top - (y - height / 2)) * real + (y - height / 2);
    scale = next; again();
  }
  // A grid of cells finds the node under the pointer without looking at all of them.
  const CELLS = 64, cells = new Map();
  nodes.forEach((node, number) => { const key = Math.floor((node.x + 1) * CELLS / 2) * 1000 + Math.floor((node.y + 1) * CELLS / 2); if (!cells.has(key)) cells.set(key, []); cells.get(key).push(number); });
  function under(x, y) {
    const gx = (x - left - width / 2) / scale, gy = (y - top - height / 2) / scale, reach = 9 / scale;
    let best = -1, distance = reach;
    const span = Math.ceil(reach * CELLS / 2) + 1, cx = Math.floor((gx + 1) * CELLS / 2), cy = Math.floor((gy + 1) * CELLS / 2);
    for (let i = cx - span; i <= cx + span; i++) for (let j = cy - span; j <= cy + span; j++) for (const number of cells.get(i * 1000 + j) || []) {
      const far = Math.hypot(nodes[number].x - gx, nodes[number].y - gy);
      if (far < distance) { distance = far; best = number; }
    }
    return best;
  }
  function show(number, x, y) {
    if (number !== over) { over = number; again(); }
    tip.hidden = number < 0;
    canvas.classList.toggle("over", number >= 0);
    if (number < 0) return;
    const node = nodes[number];
    tip.textContent = `${graph.classes[node.kind].charAt(0) + graph.classes[node.kind].slice(1).toLowerCase()}, K ${node.k.toFixed(2)}: ${node.text}`;
    tip.style.left = `${Math.max(8, Math.min(x + 14, width - 330))}px`;
    tip.style.top = `${y + 62}px`;
  }
  const pointers = new Map();
  let moved = false;
  canvas.addEventListener("pointerdown", (event) => { canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, [event.offsetX, event.offsetY]); moved = false; });
  canvas.addEventListener("pointermove", (event) => {
    const before = pointers.get(event.pointerId);
    if (!before) { show(under(event.offsetX, event.offsetY), event.offsetX, event.offsetY); return; }
    if (pointers.size === 2) {
      const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
      zoom(Math.hypot(event.offsetX - other[0], event.offsetY - other[1]) / Math.max(1, Math.hypot(before[0] - other[0], before[1] - other[1])), (event.offsetX + other[0]) / 2, (event.offsetY + other[1]) / 2);
    } else { left += event.offsetX - before[0]; top += event.offsetY - before[1]; again(); }
    if (Math.hypot(event.offsetX - before[0], event.offsetY - before[1]) > 2) moved = true;
    pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  canvas.addEventListener("pointerup", (event) => {
    pointers.delete(event.pointerId);
    const number = under(event.offsetX, event.offsetY);
    if (!moved && number >= 0) location.assign(`/objects/${encodeURIComponent(nodes[number].id)}`);
  });
  canvas.addEventListener("pointercancel", (event) => pointers.delete(event.pointerId));
  canvas.addEventListener("pointerleave", () => show(-1));
  canvas.addEventListener("wheel", (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY); }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = 40, deeds = { ArrowLeft: () => { left += step; }, ArrowRight: () => { left -= step; }, ArrowUp: () => { top += step; }, ArrowDown: () => { top -= step; }, "+": () => zoom(1.3), "=": () => zoom(1.3), "-": () => zoom(1 / 1.3), 0: whole };
    if (deeds[event.key]) { event.preventDefault(); deeds[event.key](); again(); }
  });
  for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => ({ in: () => zoom(1.4), out: () => zoom(1 / 1.4), all: whole })[button.dataset.zoom]());

  const legend = document.getElementById("legend");
  const present = new Set(nodes.map((node) => node.kind));
  graph.classes.forEach((name, number) => {
    if (!present.has(number)) return;
    const item = document.createElement("li");
    item.textContent = name.charAt(0) + name.slice(1).toLowerCase();
    item.className = `class class-${name.toLowerCase()}`;
    const mark = document.createElementNS("http://www.w3.org/2000/svg", "svg"), path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    mark.setAttribute("viewBox", "0 0 12 12"); mark.setAttribute("class", "mark"); mark.setAttribute("aria-hidden", "true");
    path.setAttribute("fill-rule", "evenodd");
    path.setAttribute("d", { DECISION: "M2 2h8v8H2z", CONSTRAINT: "M2 2h8v8H2zM4 4h4v4H4z", EVIDENCE: "M6 1.5 11 10.5H1z", EVALUATION: "M6 1 11 6 6 11 1 6z", HYPOTHESIS: "M6 1 11 6 6 11 1 6zM6 3.4 3.4 6 6 8.6 8.6 6z" }[name] || "M6 1.6a4.4 4.4 0 1 1 0 8.8 4.4 4.4 0 0 1 0-8.8z");
    mark.append(path); item.prepend(mark); legend.append(item);
  });
  function begin() { readColours(); size(); whole(); }
  new ResizeObserver(() => { size(); again(); }).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); again(); });
  begin();
  frame.dataset.drawn = String(nodes.length);
})();
