// Elements of the page.

export const element = (id) => document.getElementById(id);

/** A new element with properties and children; undefined children are skipped. */
export const make = (name, properties, ...children) => {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children.filter((child) => child !== undefined));
  return made;
};

const namespace = "http://www.w3.org/2000/svg";

/** An icon of one path in 16 by 16 units, hidden from screen readers. */
export const icon = (path) => {
  const [svg, line] = ["svg", "path"].map((name) => document.createElementNS(namespace, name));
  svg.setAttribute("viewBox", "0 0 16 16");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
};

/** A name of a file or folder, with a text direction independent of its surroundings. */
export const nameOf = (text) => make("bdi", { textContent: text });

/** Moves the focus, for keyboards and screen readers, without scrolling. */
export const focusOn = (target) => target.focus({ preventScroll: true });
