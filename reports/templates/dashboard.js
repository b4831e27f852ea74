"use strict";
(() => {
  const one = (query, at = document) => at.querySelector(query);
  const all = (query, at = document) => [...at.querySelectorAll(query)];
  const filter = one("#filter"), chips = all(".chip"), heads = all("#table thead th");
  const body = one("#table tbody"), help = one("#help");
  const ranks = ["active", "paused", "archived", "unknown", "missing"];
  const order = new Intl.Collator("en", { numeric: true, sensitivity: "base" }).compare;

  // The age of the page goes on while it lies there.
  const asOf = one("#as-of");
  const age = () => {
    const hours = Math.max(0, Date.now() / 1000 - asOf.dataset.taken) / 3600;
    const [count, unit] = hours < 1 ? [hours * 60, "minute"] : hours < 48 ? [hours, "hour"] : [hours / 24, "day"];
    const whole = Math.floor(count);
    one("#ago").textContent = hours < 1 / 60 ? ", just now" : `, ${whole} ${unit}${whole === 1 ? "" : "s"} ago`;
    asOf.className = hours > 36 ? "dead" : hours > 26 ? "ageing" : "fresh";
  };
  age();
  setInterval(age, 60000);

  const rows = [...body.rows].map((tr) => ({
    tr,
    text: tr.textContent.toLowerCase(),
    status: tr.cells[1].textContent.trim(),
    risk: tr.cells[4].textContent.trim() !== "",
    about: document.getElementById(one("a", tr).hash.slice(1))?.closest("details:not(.quiet)"),
  }));

  // What a column is sorted by: a number where it has one, null where nothing is known.
  const value = (row, at, kind) => {
    const cell = row.tr.cells[at], text = cell.textContent.trim();
    if (kind === "status") return (ranks.indexOf(text) + 6) % 6;
    if (kind === "idle" || kind === "risk") return cell.dataset.v ? +cell.dataset.v : null;
    if (kind === "memory" || kind === "tokens") return text ? +text.replace(/[,%]/g, "") : null;
    return text || null;
  };

  const state = { column: "", down: false };

  const sort = () => {
    const at = heads.findIndex((th) => th.dataset.k === state.column);
    heads.forEach((th, place) => {
      if (place === at) th.setAttribute("aria-sort", state.down ? "descending" : "ascending");
      else th.removeAttribute("aria-sort");
    });
    const sorted = [...rows];
    if (at >= 0) {
      sorted.forEach((row) => { row.by = value(row, at, state.column); });
      sorted.sort((a, b) => {
        if (a.by === null || b.by === null) return (a.by === null) - (b.by === null);
        const told = typeof a.by === "number" ? a.by - b.by : order(a.by, b.by);
        return state.down ? -told : told;
      });
    }
    body.append(...sorted.map((row) => row.tr));
  };

  const show = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const pressed = chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.s);
    const statuses = pressed.filter((name) => name !== "!"), risky = pressed.includes("!");
    let count = 0;
    for (const row of rows) {
      const fits = words.every((word) => row.text.includes(word)) &&
        (!statuses.length || statuses.includes(row.status)) && (!risky || row.risk);
      row.tr.hidden = !fits;
      if (row.about) row.about.hidden = !fits;
      count += fits;
    }
    one("#count").textContent = `${count} of ${rows.length} projects`;
    one("#none").hidden = count > 0;
  };

  const keep = () => {
    const pressed = chips.filter((chip) => chip.ariaPressed === "true").map((chip) => chip.dataset.s);
    const kept = new URLSearchParams();
    if (filter.value) kept.set("q", filter.value);
    if (pressed.length) kept.set("s", pressed.join(" "));
    if (state.column) kept.set("o", (state.down ? "-" : "") + state.column);
    try { history.replaceState(null, "", `#${kept}`); } catch { /* some viewers allow no address */ }
  };

  const restore = () => {
    if (/^#p\d+$/.test(location.hash)) {
      const target = one(location.hash), about = target?.closest("details");
      if (about) { about.open = true; target.scrollIntoView({ block: "center" }); }
    }
    if (location.hash.length > 1 && !location.hash.includes("=")) return;
    const kept = new URLSearchParams(location.hash.slice(1)), column = kept.get("o") ?? "";
    const pressed = (kept.get("s") ?? "").split(" ");
    filter.value = kept.get("q") ?? "";
    chips.forEach((chip) => { chip.ariaPressed = pressed.includes(chip.dataset.s); });
    state.down = column.startsWith("-");
    state.column = column.replace("-", "");
    sort();
    show();
  };

  heads.forEach((th) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...th.childNodes);
    button.addEventListener("click", () => {
      const same = state.column === th.dataset.k;
      state.column = same && state.down ? "" : th.dataset.k;
      state.down = same && !state.down;
      sort();
      keep();
    });
    th.append(button);
  });
  chips.forEach((chip) => chip.addEventListener("click", () => {
    chip.ariaPressed = chip.ariaPressed !== "true";
    show();
    keep();
  }));
  filter.addEventListener("input", () => { show(); keep(); });
  one("#clear").addEventListener("click", () => {
    filter.value = "";
    chips.forEach((chip) => { chip.ariaPressed = "false"; });
    show();
    keep();
    filter.focus();
  });
  one("#ask").addEventListener("click", () => help.showModal());
  addEventListener("hashchange", restore);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    const writes = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (event.key === "Escape" && event.target === filter && filter.value) {
      filter.value = "";
      show();
      keep();
    } else if (!writes && event.key === "/") filter.focus();
    else if (!writes && event.key === "?") help.showModal();
    else return;
    event.preventDefault();
  });
  one("#tools").hidden = false;
  show();
  restore();
})();
