// Light, dark, or as the system is: what the reader chose in the top bar. Not a module, so that it runs before the
// first paint. Without it pages are as the system is.

const KEPT = "theme";

function takeTheme() {
  const theme = kept();
  const choice = document.getElementById("theme");
  document.documentElement.dataset.theme = theme;
  if (choice) choice.value = theme;
}

function kept() {
  try {
    return localStorage.getItem(KEPT) ?? "";
  } catch {
    return ""; // this browser keeps nothing
  }
}

takeTheme();
for (const moment of ["DOMContentLoaded", "pageshow", "storage"]) addEventListener(moment, takeTheme);
addEventListener("change", ({ target }) => {
  if (target.id !== "theme") return;
  localStorage.setItem(KEPT, target.value);
  takeTheme();
});
