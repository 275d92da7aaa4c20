type Attributes = Readonly<Record<string, string>>;

/** Creates an element. Texts become text nodes, so no text of a message is ever read as markup. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const svg = "http://www.w3.org/2000/svg";

/** An icon of one path in a square of 24. */
export function icon(path: string): SVGElement {
  const made = document.createElementNS(svg, "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(svg, "path");
  line.setAttribute("d", path);
  made.append(line);
  return made;
}

export const icons = {
  chat: "M4 5.5h16v11H9.5L5.5 20v-3.5H4z",
  close: "M6 6l12 12M18 6L6 18",
  up: "M7 10.5v9H3.5v-9zM7 10.5L11 3.5c1.8 0 2.7 1.2 2.4 2.9L12.8 9.5h5.7c1.3 0 2.2 1.2 1.9 2.4l-1.500 6c-.2 1-1.1 1.6-2.1 1.6H7",
  send: "M12 19V5M5.5 11.5L12 5l6.5 6.5",
};

/** Returns black or white, whichever is easier to read on a color of any notation. */
export function readableOn(color: string): "#000" | "#fff" {
  const canvas = element("canvas", { width: "1", height: "1" }).getContext("2d");
  if (canvas === null) return "#fff";
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0] = [...canvas.getImageData(0, 0, 1, 1).data].map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  // Relative luminance; at this value both contrasts are equal (WCAG 2.2).
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? "#000" : "#fff";
}
