
"use strict";
const { parts, frames, captions } = JSON.parse(document.getElementById("frames").textContent);
const picture = document.querySelector(".picture");
const caption = document.querySelector(".caption");
const slider = document.querySelector(".controls input");
const list = document.querySelector(".plies");
const last = frames.length - 1;
let at = -1;

function show(wanted) {
  const ply = Math.min(Math.max(wanted, 0), last);
  if (ply === at) return;
  at = ply;
  picture.innerHTML = frames[ply].map((part) => parts[part]).join("\n");
  caption.textContent = captions[ply];
  slider.value = ply;
  slider.setAttribute("aria-valuetext", captions[ply]);
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const button = list.children[ply].firstElementChild;
  button.setAttribute("aria-current", "step");
  const above = button.offsetTop - list.offsetTop;
  if (above < list.scrollTop) list.scrollTop = above;
  else if (above + button.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = above + button.offsetHeight - list.clientHeight;
}

const steps = {
  first: () => show(0),
  previous: () => show(at - 1),
  next: () => show(at + 1),
  last: () => show(last),
};
const keys = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" };

for (const button of document.querySelectorAll("[data-to]")) button.addEventListener("click", steps[button.dataset.to]);
slider.addEventListener("input", () => show(slider.valueAsNumber));
for (const item of list.children) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = item.textContent;
  button.addEventListener("click", () => show([...list.children].indexOf(item)));
  item.replaceChildren(button);
}
document.addEventListener("keydown", (event) => {
  // The slider moves by itself when it has the focus.
  if (event.target === slider || event.altKey || event.ctrlKey || event.metaKey || !(event.key in keys)) return;
  event.preventDefault();
  steps[keys[event.key]]();
});
document.querySelector(".controls").hidden = false;
document.querySelector(".keys").hidden = false;
show(last);
