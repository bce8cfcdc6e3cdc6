(() => {
  // Search: names and prose, all words, in any case.
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = "Search (key /)";
  field.setAttribute("aria-label", "search names and prose");
  const found = document.createElement("p");
  found.className = "dim";
  found.setAttribute("role", "status");
  document.getElementById("search").append(field, found);
  const entries = [...document.querySelectorAll(".group .entry")].map((part) => ({
    part,
    text: part.textContent.toLowerCase(),
    links: document.querySelectorAll(`nav li a[href="#${part.id}"]`),
  }));
  const search = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let count = 0;
    for (const {part, text, links} of entries) {
      const hidden = !words.every((word) => text.includes(word));
      part.hidden = hidden;
      links.forEach((link) => (link.parentElement.hidden = hidden));
      if (!hidden) ++count;
    }
    for (const group of document.querySelectorAll(".group"))
      group.hidden = group.querySelector(".entry:not([hidden])") === null;
    for (const list of document.querySelectorAll("nav ul"))
      list.hidden = list.previousElementSibling.hidden =
        list.querySelector("li:not([hidden])") === null;
    found.textContent = words.length === 0 ? "" : `${count} of ${entries.length}`;
  };
  field.addEventListener("input", search);
  addEventListener("keydown", (event) => {
    if (event.key === "/" && document.activeElement !== field) {
      event.preventDefault();
      field.focus();
    } else if (event.key === "Escape" && document.activeElement === field) {
      field.value = "";
      search();
    }
  });
  // The lines of a node stand out while it has the pointer or the focus.
  const graph = document.querySelector("svg.graph");
  if (graph !== null) {
    const show = (node) => {
      graph.classList.toggle("some", node !== null);
      const number = node === null ? "" : node.dataset.n;
      const near = new Set([number]);
      for (const line of graph.querySelectorAll(".line")) {
        const on = line.dataset.a === number || line.dataset.b === number;
        line.classList.toggle("on", on);
        if (on) near.add(line.dataset.a).add(line.dataset.b);
      }
      for (const other of graph.querySelectorAll(".node"))
        other.classList.toggle("on", near.has(other.dataset.n));
    };
    for (const node of graph.querySelectorAll(".node")) {
      node.addEventListener("pointerenter", () => show(node));
      node.addEventListener("pointerleave", () => show(null));
      node.addEventListener("focus", () => show(node));
      node.addEventListener("blur", () => show(null));
    }
  }
  const narrow = matchMedia("(max-width: 56rem)");
  if (narrow.matches) document.querySelector("nav details").open = false;
})();
