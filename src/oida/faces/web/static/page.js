// What pages gain where scripts run: keys, the slider of the past, focus. Everything works without.
"use strict";

for (const each of document.querySelectorAll(".needs-script")) each.hidden = false;

// The slider of the past moves the date beside it, and asks when it is let go.
const slider = document.getElementById("slider");
if (slider) {
  const day = document.getElementById("as_of");
  slider.addEventListener("input", () => {
    const moment = new Date(slider.dataset.first + "T00:00:00Z");
    moment.setUTCDate(moment.getUTCDate() + Number(slider.value));
    day.value = slider.value === slider.max ? "" : moment.toISOString().slice(0, 10);
    slider.setAttribute("aria-valuetext", day.value || "now");
  });
  slider.addEventListener("change", () => { if (document.getElementById("question").value) slider.form.requestSubmit(); });
}

// Own words are meant by whoever writes some.
const words = document.getElementById("text");
if (words) words.addEventListener("input", () => { const own = document.querySelector('input[name="by"][value="words"]'); if (own) own.checked = true; });

// Lists are walked with J and K; in the review queue A, R, C and O act on the entry that is marked.
const list = document.querySelector("[data-list]");
const entries = list ? [...list.children].filter((each) => each.matches("article, section, li")) : [];
let at = -1;

function mark(next) {
  if (!entries.length) return;
  if (at >= 0) entries[at].classList.remove("here");
  at = Math.max(0, Math.min(entries.length - 1, next));
  entries[at].classList.add("here");
  if (entries[at].tabIndex < 0 || !entries[at].hasAttribute("tabindex")) entries[at].setAttribute("tabindex", "-1");
  entries[at].focus({ preventScroll: true });
  entries[at].scrollIntoView({ block: "nearest" });
}

function isTyping(target) {
  return target.closest("input, select, textarea, [contenteditable]") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    const back = document.querySelector("[data-escape]");
    if (back) back.click();
    return;
  }
  if (isTyping(event.target)) return;
  const key = event.key.toLowerCase();
  if (key === "/") { event.preventDefault(); document.getElementById("find").focus(); return; }
  if (key === "u") { const undo = document.querySelector('[data-key="u"]'); if (undo) { event.preventDefault(); undo.focus(); } return; }
  if (key === "j" || key === "k") { event.preventDefault(); mark(at + (key === "j" ? 1 : -1)); return; }
  if (at < 0) return;
  const link = key === "o" ? entries[at].querySelector("a[data-open], a[href]") : entries[at].querySelector(`[data-verdict="${CSS.escape(key)}"]`);
  if (link) { event.preventDefault(); link.click(); }
});
if (list && list.hasAttribute("data-queue") && entries.length) mark(0);

// The menu of small screens closes when something else is chosen.
const menu = document.querySelector(".menu");
if (menu) document.addEventListener("click", (event) => { if (!menu.contains(event.target)) menu.open = false; });
