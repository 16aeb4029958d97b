"use strict";
// Filters the page and opens folded parts that a link leads to. It reads nothing from the page's address except the part
// after "#", writes no markup to the page, and sends nothing.
document.addEventListener("DOMContentLoaded", () => {
  const one = (selector, within) => (within || document).querySelector(selector);
  const all = (selector, within) => Array.from((within || document).querySelectorAll(selector));
  const number = (count) => count.toLocaleString("en-GB");
  const words = one("#words"), place = one("#place"), reason = one("#reason"), clear = one("#clear");
  const chosen = { words: [], operation: null, topic: null, verdicts: new Set(), reason: null };

  // A fact's own text does not name its operation, so the name comes from its group.
  const facts = all(".facts-of").flatMap((group) => {
    const operation = group.id.slice("facts-".length), name = one(".operation", group).textContent;
    return all("tbody tr", group).map((element) => ({ element, group, operation, name, ...element.dataset }));
  });
  const findings = all(".finding").map((element) => ({
    element, operation: element.dataset.operation.split(" "), topic: element.dataset.topic.split(" "), verdict: "b",
    count: Number(element.dataset.count),
  }));
  const exchanges = all(".exchange").map((element) => ({ element, operation: element.dataset.operation }));
  const parts = [["findings", "finding", findings], ["facts", "fact", facts], ["exchanges", "exchange", exchanges]];

  const isChosen = () =>
    chosen.words.length > 0 || chosen.operation !== null || chosen.verdicts.size > 0 || chosen.reason !== null;

  // A block of findings may have several operations and topics.
  const has = (value, wanted) => (Array.isArray(value) ? value.includes(wanted) : value === wanted);

  const matches = (item) => {
    if (chosen.operation !== null && !has(item.operation, chosen.operation)) return false;
    if (chosen.words.length > 0) {
      item.text ??= ((item.name || "") + " " + item.element.textContent).toLowerCase();
      if (!chosen.words.every((word) => item.text.includes(word))) return false;
    }
    // An exchange has no topic and no verdict.
    if (item.verdict === undefined) return chosen.topic === null || chosen.operation !== null;
    if (chosen.topic !== null && !has(item.topic, chosen.topic)) return false;
    if (chosen.verdicts.size > 0 && !chosen.verdicts.has(item.verdict)) return false;
    return chosen.reason === null || item.reason === chosen.reason;
  };

  const unfold = (filtering) => {
    const counts = new Map();
    for (const { element, group } of facts) {
      const count = counts.get(group) || 0;
      counts.set(group, element.hidden ? count : count + 1);
    }
    for (const [group, count] of counts) {
      group.hidden = count === 0;
      one(".matching", group).textContent = filtering ? number(count) + " shown" : "";
      if (filtering && count > 0 && !group.open) {
        group.open = true;
        group.dataset.unfolded = "";
      } else if (!filtering && "unfolded" in group.dataset) {
        group.open = false;
        delete group.dataset.unfolded;
      }
    }
  };

  const filter = () => {
    const filtering = isChosen(), shown = [];
    for (const [id, name, items] of parts) {
      let count = 0, of = 0;
      for (const item of items) {
        of += item.count || 1;
        const matching = !filtering || matches(item);
        if (item.element.hidden === matching) item.element.hidden = !matching;
        if (matching) count += item.count || 1;
      }
      one("#" + id + " .no-match").hidden = count > 0 || items.length === 0;
      shown.push(number(count) + " of " + number(of) + " " + name + (of === 1 ? "" : "s"));
    }
    unfold(filtering);
    one("#shown").textContent = filtering ? "Shown: " + shown.join(", ") : "";
    clear.hidden = !filtering;
    place.hidden = chosen.operation === null;
    reason.hidden = chosen.reason === null;
    for (const cell of all(".cell")) {
      const here = cell.dataset.operation === chosen.operation && cell.dataset.topic === chosen.topic;
      here ? cell.setAttribute("aria-current", "true") : cell.removeAttribute("aria-current");
    }
    for (const chip of all(".chip[data-verdict]")) chip.setAttribute("aria-pressed", String(chosen.verdicts.has(chip.dataset.verdict)));
  };

  const showAll = () => {
    words.value = "";
    chosen.words = [];
    chosen.verdicts.clear();
    chosen.operation = chosen.topic = chosen.reason = null;
    filter();
  };

  // Shows what the address names, even if it is folded or filtered out.
  const follow = () => {
    // All ids are plain ASCII, so nothing needs decoding.
    const target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) showAll();
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.scrollIntoView({ block: target.matches("tr, li") ? "center" : "start", behavior: "instant" });
    const entry = target.matches("details") ? one("summary", target) : target;
    if (entry.matches("tr, li")) entry.tabIndex = -1;
    entry.focus({ preventScroll: true });
  };

  const first = (...sections) => {
    const shown = sections.find((id) => parts.find(([known]) => known === id)[2].some((item) => !item.element.hidden));
    if (shown) one("#" + shown).scrollIntoView();
  };

  words.addEventListener("input", () => {
    chosen.words = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    filter();
  });
  one(".filter").addEventListener("submit", (event) => {
    event.preventDefault();
    first("findings", "facts", "exchanges");
  });
  for (const chip of all(".chip[data-verdict]")) chip.addEventListener("click", () => {
    const verdict = chip.dataset.verdict;
    chosen.verdicts.has(verdict) ? chosen.verdicts.delete(verdict) : chosen.verdicts.add(verdict);
    filter();
  });
  for (const cell of all(".cell")) cell.addEventListener("click", (event) => {
    event.preventDefault();
    const { operation, topic } = cell.dataset;
    const again = chosen.operation === operation && chosen.topic === topic;
    [chosen.operation, chosen.topic] = again ? [null, null] : [operation, topic];
    place.textContent = cell.getAttribute("aria-label").replace(/: [^:]*$/, "");
    filter();
    if (!again) first("findings", "facts");
  });
  for (const button of all(".by-reason")) {
    button.hidden = false;
    button.addEventListener("click", () => {
      chosen.reason = button.dataset.reason;
      reason.textContent = one(".why", button.parentElement).textContent;
      filter();
      first("facts");
    });
  }
  place.addEventListener("click", () => { chosen.operation = chosen.topic = null; filter(); words.focus(); });
  reason.addEventListener("click", () => { chosen.reason = null; filter(); words.focus(); });
  clear.addEventListener("click", () => { showAll(); words.focus(); });
  window.addEventListener("hashchange", follow);
  document.addEventListener("click", (event) => {
    // If the same link is followed again, the address does not change, but the target is still to be shown.
    const link = event.target.closest("a[href^='#']");
    if (link && !link.matches(".cell") && link.getAttribute("href") === location.hash) follow();
  });
  one(".filter").hidden = false;
  setUpControls({ one, all, showAll });
  // Runs after the browser has handled the address itself, which takes the focus away again.
  addEventListener("load", () => requestAnimationFrame(() => requestAnimationFrame(follow)));
});
