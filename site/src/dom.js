// SPDX-License-Identifier: Apache-2.0

/** An element: h('p', {class: 'x', onclick: f}, 'text', child, …). Texts are texts, never markup. */
export function h(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === false || value === null) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else if (key === 'value' || key === 'checked') element[key] = value;
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat(9).filter(child => child !== undefined && child !== null && child !== false && child !== ''));
  return element;
}

export const byId = id => document.getElementById(id);

/** Replaces what is in the element, keeping the focus on the control of the same data-key. */
export function fill(element, ...children) {
  const held = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  element.replaceChildren(...children.flat(9).filter(child => child !== undefined && child !== null && child !== false && child !== ''));
  if (held) [...element.querySelectorAll('[data-key]')].find(e => e.dataset.key === held)?.focus();
}
