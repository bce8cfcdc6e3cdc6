(() => {
  const parts = () => document.querySelectorAll("details");
  const reveal = () => {
    const at = document.getElementById(location.hash.slice(1));
    if (at === null) return;
    for (let up = at; up !== null; up = up.parentElement)
      if (up.tagName === "DETAILS") up.open = true;
    at.scrollIntoView({block: at.classList.contains("line") ? "center" : "start"});
  };
  const list = document.querySelector("nav ul");
  for (const [label, open] of [["Open all", true], ["Close all", false]]) {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = label;
    button.addEventListener("click", () => parts().forEach((part) => (part.open = open)));
    list.appendChild(document.createElement("li")).appendChild(button);
  }
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = [...parts()].filter((part) => !part.open);
    closed.forEach((part) => (part.open = true));
  });
  addEventListener("afterprint", () => closed.forEach((part) => (part.open = false)));
  addEventListener("hashchange", reveal);
  reveal();
})();
