// What makes pages follow their ladder, writes times in the reader's zone, and copies commands. Every page can be read
// without it.
//
// How this works. A page names its topics (<main data-topics>). While it can be seen it holds a stream of events; an
// event lets it fetch itself, with If-None-Match, and the new main part is laid over the old one, node by node: so
// focus, selection, scroll, typed words and opened details stay. A browser has six connections to a host for all of
// its tabs, so a hidden tab closes its stream, and at most STREAMS are open; tabs beyond these ask again and again.
// A hidden tab looks now and then, and its title counts the rows that have changed since the reader left it. The id of
// an event says when a version has changed its league; then the page asks which, and says for a while who went up.

const STREAMS = 3;
const PAUSE_MS = 500;
const LEAST_MS = 1000; // between two refreshes of a page
const PATIENCE_MS = 10_000;
const HIDDEN_MS = 60_000; // between two looks of a tab that cannot be seen
const NEWS_MS = 10_000; // this long a page says who went up
const TURN_MS = 10_000; // a board on a projector
const COPIED_MS = 2000; // this long a button says so
const COPIED = "main pre, main p:not(.document p) > code"; // blocks, and of the code in sentences the commands
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone; // in which moments are typed
const LOST = "The connection to the ladder is lost.";

const main = document.getElementById("main");
const notice = document.getElementById("notice");
const news = document.createElement("div");
const topics = main.dataset.topics;
const parts = partsOf(document);
const turns = new Set(); // moments to which was counted down
let seen = clock(new Date());
let stop = () => {};
let title = document.title;
let moved; // the last move between leagues that this page knows of
const missed = new Set(); // rows that have changed while the tab was hidden
let isBusy = false;
let isWanted = false;

prepare(document);
news.id = "news";
news.setAttribute("role", "status");
document.body.append(news);
if (document.querySelector("[data-until]")) setInterval(() => countDown(document), 1000);
if (document.querySelector("[data-turned]")) setInterval(turnOver, TURN_MS);
main.addEventListener("click", ({ target }) => target.matches(".copy") && copy(target));
if (topics || "retry" in main.dataset) {
  document.addEventListener("visibilitychange", start);
  addEventListener("pageshow", (event) => event.persisted && start());
  addEventListener("pagehide", () => stop());
  start();
}

/* Following */

function start() {
  stop();
  const ending = new AbortController();
  stop = () => ending.abort();
  if (document.hidden) return glance(ending.signal);
  missed.clear();
  entitle();
  follow(ending.signal);
}

async function glance(signal) {
  while (!signal.aborted) {
    await pause(HIDDEN_MS);
    if (!signal.aborted) await fetchAndLay();
  }
}

function entitle() {
  document.title = missed.size ? `(${missed.size}) ${title}` : title;
}

async function follow(signal) {
  while (!signal.aborted) {
    if (topics) await inSlot(() => listen(signal));
    if (signal.aborted) return;
    await refresh();
    await pause(PAUSE_MS);
  }
}

// Do something while one of the streams of all tabs is ours; nothing where others have all.
async function inSlot(work) {
  for (let slot = 0; slot < STREAMS; slot++) {
    const had = await navigator.locks.request(`ladder-stream-${slot}`, { ifAvailable: true }, async (lock) => {
      if (lock) await work();
      return lock !== null;
    });
    if (had) return;
  }
}

// Listen until the stream ends for good; while it is only lost, the browser tries again by itself.
function listen(signal) {
  return new Promise((done) => {
    if (signal.aborted) return done();
    const query = new URLSearchParams(topics.split(" ").map((topic) => ["topic", topic]));
    const stream = new EventSource(`/api/v1/events?${query}`);
    const end = () => done(stream.close());
    signal.addEventListener("abort", end);
    stream.addEventListener("changed", ({ lastEventId }) => {
      refresh();
      hear(Number(lastEventId));
    });
    stream.addEventListener("unavailable", (event) => say(JSON.parse(event.data)));
    stream.addEventListener("error", () => {
      if (!signal.aborted) say(LOST);
      if (stream.readyState === EventSource.CLOSED) end();
    });
  });
}

/* Refreshing */

async function refresh() {
  isWanted = true;
  if (isBusy) return;
  isBusy = true;
  while (isWanted && !document.hidden) {
    isWanted = false;
    await fetchAndLay();
    await pause(LEAST_MS);
  }
  isBusy = false;
}

async function fetchAndLay() {
  let answer, text;
  try {
    answer = await fetch(location.href, { cache: "no-cache", signal: AbortSignal.timeout(PATIENCE_MS) });
    text = await answer.text();
  } catch {
    return say(LOST);
  }
  if (answer.redirected) return location.replace(answer.url);
  const fresh = new DOMParser().parseFromString(text, "text/html");
  if (!answer.ok) return say(fresh.querySelector(".problem")?.textContent ?? LOST);
  if (fresh.getElementById("main").dataset.topics !== topics || partsOf(fresh) !== parts) return location.reload();
  seen = clock(new Date());
  say("");
  prepare(fresh);
  keepingPlace(() => lay(main, fresh.getElementById("main")));
  title = fresh.title;
  entitle();
  showTurned();
}

// Which scripts and style sheets a page consists of. Where these change, all of it has to be loaded.
function partsOf(page) {
  const found = page.querySelectorAll("head script[src], head link[rel=stylesheet]");
  return Array.from(found, (part) => part.getAttribute("src") ?? part.getAttribute("href")).join(" ");
}

// Say why the page does not follow; nothing where it does.
function say(why) {
  const words = why && topics && `${why} This page shows what was there at ${seen}; it goes on by itself.`;
  if (notice.textContent !== words) notice.textContent = words;
}

/* Who went up */

async function hear(move) {
  const known = moved;
  moved = move;
  if (known === undefined || move <= known) return;
  const answer = await fetch(`/promotions/data?after=${known}`).catch(() => null);
  if (!answer?.ok) return;
  const [, game] = location.pathname.match(/^\/games\/([^/]+)/) ?? [];
  const concerns = (one) => one.is_own || location.pathname === "/" || one.game === game;
  (await answer.json()).filter(concerns).reverse().forEach(announce);
}

function announce({ words, address }) {
  const line = Object.assign(document.createElement("a"), { textContent: words, href: address });
  news.append(line);
  setTimeout(() => line.remove(), NEWS_MS);
}

/* Boards on a projector, one after the other */

let turned = -1;

function turnOver() {
  turned += 1;
  showTurned();
}

function showTurned() {
  const boards = [...document.querySelectorAll("[data-turned] > section")];
  if (turned >= 0) boards.forEach((board, place) => (board.hidden = place !== turned % boards.length));
}

/* Laying a page over another */

function lay(old, fresh) {
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
  } else if (!("keep" in old.dataset)) {
    layAttributes(old, fresh);
    layChildren(old, fresh);
  }
}

function layAttributes(old, fresh) {
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  for (const { name } of [...old.attributes]) {
    const isReaders = name === "open" && old.nodeName === "DETAILS";
    if (!fresh.hasAttribute(name) && !isReaders) old.removeAttribute(name);
  }
}

function layChildren(old, fresh) {
  const keys = keysOf(old);
  const freshKeys = keysOf(fresh);
  const coming = new Set(freshKeys.values());
  const there = new Map();
  for (const [child, key] of keys) {
    if (coming.has(key)) there.set(key, child);
    else child.remove();
  }
  let next = old.firstChild;
  for (const node of [...fresh.childNodes]) {
    const isAlike = next && next.nodeName === node.nodeName && !keys.has(next);
    const same = freshKeys.has(node) ? there.get(freshKeys.get(node)) : isAlike ? next : undefined;
    if (same && same === next) next = next.nextSibling;
    else old.insertBefore(same ?? node, next);
    const before = same?.nodeName === "TR" ? same.textContent : "";
    const key = document.hidden && keyOf(same ?? node);
    if (same) lay(same, node);
    if (before && before !== same.textContent && same.closest(".board")) same.classList.add("changed");
    if (key && (!same || (before && before !== same.textContent))) missed.add(key);
  }
  while (next) {
    const gone = next;
    next = next.nextSibling;
    gone.remove();
  }
}

// What the children of an element are about, where that can be said; of several about the same, which of these.
function keysOf(parent) {
  const keys = new Map();
  const times = new Map();
  for (const child of parent.children) {
    const about = keyOf(child);
    if (!about) continue;
    times.set(about, (times.get(about) ?? 0) + 1);
    keys.set(child, `${about} ${times.get(about)}`);
  }
  return keys;
}

// What an element is about, so that it is found again in another place: a row is about its first link.
function keyOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return "";
  const about = node.id || node.dataset.key;
  if (about) return `${node.nodeName} ${about}`;
  if (!["TR", "LI"].includes(node.nodeName)) return "";
  const link = node.querySelector("a[href]");
  return link ? `${node.nodeName} ${link.getAttribute("href")}` : "";
}

function keepingPlace(change) {
  const focused = document.activeElement;
  const chosen = getSelection();
  const { type, anchorNode, anchorOffset, focusNode, focusOffset } = chosen;
  change();
  if (focused !== document.activeElement) {
    (focused.isConnected ? focused : main).focus({ preventScroll: true });
  }
  const isLost = chosen.anchorNode !== anchorNode || chosen.focusNode !== focusNode || chosen.type !== type;
  if (type === "Range" && isLost && main.contains(anchorNode) && main.contains(focusNode)) {
    chosen.setBaseAndExtent(
      anchorNode, Math.min(anchorOffset, lengthOf(anchorNode)), focusNode, Math.min(focusOffset, lengthOf(focusNode)),
    );
  }
}

function lengthOf(node) {
  return node.nodeValue?.length ?? node.childNodes.length;
}

/* What the script adds to a page as it came */

function prepare(page) {
  localise(page);
  countDown(page);
  for (const words of page.querySelectorAll("[data-zone]")) words.textContent = ZONE;
  for (const field of page.querySelectorAll("input[name=zone]")) field.value = ZONE;
  if (navigator.clipboard) page.querySelectorAll(COPIED).forEach(addCopy);
}

function addCopy(text) {
  const isBlock = text.nodeName === "PRE";
  if (!isBlock && !text.textContent.startsWith("ladder ")) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-live", "polite");
  const both = document.createElement(isBlock ? "div" : "span");
  both.className = "copied";
  text.replaceWith(both);
  both.append(text, button);
}

async function copy(button) {
  const text = button.previousElementSibling.textContent;
  const typed = text.match(/^\$ (?:.*\\\n)*.*/gm); // of a session the commands, without what they print
  const copied = typed ? typed.map((command) => command.slice(2)).join("\n") : text;
  button.textContent = await navigator.clipboard.writeText(copied).then(() => "Copied", () => "Not copied");
  await pause(COPIED_MS);
  button.textContent = "Copy";
}

/* Countdowns */

function countDown(page) {
  for (const left of page.querySelectorAll("[data-until]")) {
    const seconds = Math.floor((new Date(left.dataset.until) - Date.now()) / 1000);
    left.textContent = timeLeft(Math.max(seconds, 0));
    if (seconds >= 0 || page !== document || !topics || turns.has(left.dataset.until)) continue;
    turns.add(left.dataset.until); // then the page says what is next
    refresh();
  }
}

// As `time_left` in engine/text.py.
function timeLeft(seconds) {
  const [minutes, hours, days] = [60, 3600, 86_400].map((unit) => Math.floor(seconds / unit));
  if (days) return `${days} d ${hours % 24} h`;
  if (hours) return `${hours} h ${minutes % 60} min`;
  return minutes ? `${minutes} min` : `${seconds} s`;
}

/* Times */

// Write moments in the reader's zone; their titles keep them in UTC.
function localise(page) {
  for (const time of page.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.valueOf()) && time.textContent.endsWith(" UTC")) time.textContent = `${day(at)} ${clock(at)}`;
  }
}

function day(at) {
  return [at.getFullYear(), two(at.getMonth() + 1), two(at.getDate())].join("-");
}

function clock(at) {
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

function two(number) {
  return String(number).padStart(2, "0");
}

function pause(time_ms) {
  return new Promise((done) => setTimeout(done, time_ms));
}
