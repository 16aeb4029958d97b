
// Keys, copying, the order of exchanges, light and dark themes, printing.
const setUpControls = ({ one, all, showAll }) => {
  const shown = () => all("main summary").filter((summary) => summary.checkVisibility({ contentVisibilityAuto: false }));

  const step = (by) => {
    const stops = shown(), at = stops.indexOf(document.activeElement);
    const middle = window.innerHeight / 3;
    // If the focus is elsewhere, start at what is visible.
    const next = at >= 0 ? at + by : stops.findIndex((stop) => stop.getBoundingClientRect().top > (by > 0 ? 0 : middle));
    const stop = stops[Math.min(Math.max(next, 0), stops.length - 1)];
    if (stop) {
      stop.focus();
      stop.scrollIntoView({ block: "nearest" });
    }
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const typing = event.target.matches("input, textarea, select");
    if (event.key === "Escape") {
      showAll();
      if (typing) event.target.blur();
    } else if (typing) {
      return;
    } else if (event.key === "/") {
      event.preventDefault();
      one("#words").focus();
      one("#words").select();
    } else if (event.key === "j" || event.key === "k") {
      event.preventDefault();
      step(event.key === "j" ? 1 : -1);
    }
  });

  const copied = (text) => {
    if (navigator.clipboard) return navigator.clipboard.writeText(text);
    return Promise.reject(new Error("no clipboard"));
  };
  for (const button of all(".copy")) {
    const code = one("code", button.closest(".again")), words = button.firstChild;
    button.hidden = false;
    button.addEventListener("click", async () => {
      try {
        await copied(code.textContent);
        words.data = "Copied";
      } catch {
        // If the browser refuses, select the text, so that the reader can copy it.
        getSelection().selectAllChildren(code);
        words.data = "Selected";
      }
      one("#shown").textContent = words.data + ".";
      setTimeout(() => { words.data = "Copy"; }, 2000);
    });
  }

  const list = one("#exchanges .list");
  const ended = all(".exchange");
  const time = (exchange) => Number(exchange.dataset.ms ?? Infinity);
  for (const chip of all("[data-order]")) chip.addEventListener("click", () => {
    for (const other of all("[data-order]")) other.setAttribute("aria-pressed", String(other === chip));
    const slow = chip.dataset.order === "slow";
    list.append(...(slow ? ended.toSorted((one, other) => time(other) - time(one)) : ended));
  });
  for (const orders of all(".orders")) orders.hidden = false;
  for (const lane of all(".lane")) lane.addEventListener("click", (event) => {
    const mark = event.target.closest("[data-exchange]");
    if (mark) location.hash = "exchange-" + mark.dataset.exchange;
  });

  const dark = matchMedia("(prefers-color-scheme: dark)"), theme = one("#theme"), root = document.documentElement;
  const isDark = () => (root.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const named = () => { theme.textContent = isDark() ? "Light" : "Dark"; };
  theme.addEventListener("click", () => {
    root.dataset.theme = isDark() ? "light" : "dark";
    named();
  });
  dark.addEventListener("change", named);
  named();

  // Does what print.css does, for browsers whose style cannot unfold.
  let folded = [];
  addEventListener("beforeprint", () => {
    folded = all("details:not(.exchange):not([open]), .exchange.at-fault:not([open])");
    for (const fold of folded) fold.open = true;
  });
  addEventListener("afterprint", () => { for (const fold of folded) fold.open = false; });
  one(".keys").hidden = false;
};
