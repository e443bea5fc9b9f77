// Frozen boards, revealed place by place from the last one upward: by a button, the space bar or the right arrow, and
// back by the left one. Presenters send PageDown and PageUp. After each board comes the true one, at last the thaw.
//
// How this works. The page holds all of it, and its style sheet hides what is not revealed yet. A step is a board and how
// many of its places are revealed; every step can be drawn from any other, so back and forth are alike.

const KEYS = { " ": 1, ArrowRight: 1, PageDown: 1, ArrowLeft: -1, PageUp: -1, End: Infinity, Home: -Infinity };

const sections = [...document.querySelectorAll(".resolver > section")];
const rowsOf = (section) => [...section.querySelectorAll(".frozen tbody tr")].reverse();
const steps = sections.flatMap((section) => {
  const rows = rowsOf(section);
  return [...rows.keys(), rows.length].map((count) => ({ section, count })).concat({ section, count: rows.length, isOver: true });
});
const status = document.getElementById("revealed");
const [back, next, all] = document.querySelectorAll(".steps > button");
let at = 0;

document.addEventListener("keydown", (event) => {
  const way = KEYS[event.key];
  const isButtons = event.key === " " && event.target.closest("a, button");
  if (!way || isButtons || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  go(way);
});
back.addEventListener("click", () => go(-1));
next.addEventListener("click", () => go(1));
all.addEventListener("click", () => go(Infinity));
if (steps.length) show();

function go(way) {
  at = Math.min(Math.max(at + way, 0), steps.length - 1);
  show();
}

function show() {
  const { section, count, isOver } = steps[at];
  for (const other of sections) other.hidden = other !== section;
  const rows = rowsOf(section);
  rows.forEach((row, place) => {
    row.classList.toggle("revealed", place < count);
    row.classList.toggle("latest", place === count - 1);
  });
  section.classList.toggle("resolved", Boolean(isOver));
  const isLast = at === steps.length - 1;
  document.querySelector(".resolver").classList.toggle("done", isLast);
  back.setAttribute("aria-disabled", at === 0);
  next.setAttribute("aria-disabled", isLast);
  const latest = isOver ? null : rows[count - 1] ?? rows[0];
  status.textContent = isOver ? "The whole board, as it is" : count ? latest.innerText.replace(/\s+/g, " ") : "";
  const isCalm = matchMedia("(prefers-reduced-motion: reduce)").matches;
  (latest ?? section).scrollIntoView({ block: latest ? "center" : "start", behavior: isCalm ? "instant" : "smooth" });
}
