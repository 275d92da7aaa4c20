/** The declarations that hide an element and its content. */
const hiding: ReadonlyMap<string, readonly string[]> = new Map([
  ["display", ["none"]],
  ["visibility", ["hidden", "collapse"]],
]);

/** The rest of a longer style is ignored: no author writes that much. */
const styleCharsMax = 16_384;

/** Returns true if a `style` attribute hides its element. The last of several declarations counts, `!important` or not. */
export function hidesElement(style: string): boolean {
  const values = new Map<string, string>();
  for (const declaration of withoutComments(style.slice(0, styleCharsMax)).toLowerCase().split(";")) {
    const colon = declaration.indexOf(":");
    if (colon === -1) continue;
    const property = declaration.slice(0, colon).trim();
    if (!hiding.has(property)) continue;
    const value = declaration.slice(colon + 1).trim();
    const important = value.indexOf("!");
    values.set(property, important === -1 ? value : value.slice(0, important).trimEnd());
  }
  return [...values].some(([property, value]) => hiding.get(property)?.includes(value));
}

function withoutComments(style: string): string {
  let from = style.indexOf("/*");
  if (from === -1) return style;
  let visibleStyle = style.slice(0, from);
  while (from !== -1) {
    const end = style.indexOf("*/", from + 2);
    if (end === -1) return visibleStyle;
    const next = style.indexOf("/*", end + 2);
    visibleStyle += style.slice(end + 2, next === -1 ? style.length : next);
    from = next;
  }
  return visibleStyle;
}
