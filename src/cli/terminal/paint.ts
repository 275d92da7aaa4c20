const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof codes;

/** Text with a colour, which a screen without colours omits. */
export interface Painted {
  colour: Colour;
  text: string;
}

export type Inline = string | Painted;

/** Colours `text` on screens with colours. */
export function paint(colour: Colour, text: string): Painted {
  return { colour, text };
}

/** Returns the text without its colour. */
export function textOf(inline: Inline): string {
  return typeof inline === "string" ? inline : inline.text;
}

/** Renders text for a terminal: each part is neutralised, then coloured, so that only our own colours take effect. */
export function rendered(parts: readonly Inline[], colours: boolean): string {
  return parts
    .map((part) => {
      const text = neutralise(textOf(part));
      return typeof part === "string" || !colours || text === ""
        ? text
        : `\u001b[${codes[part.colour]}m${text}\u001b[0m`;
    })
    .join("");
}

const control = /\p{Cc}/gu;

/**
 * Returns text that cannot control a terminal: ESC and the other control characters become visible signs; line ends and tabs stay. For all
 * text that a model, a file or a server may have written.
 */
export function neutralise(text: string): string {
  return text.replace(control, (character) => {
    if (character === "\n" || character === "\t") return character;
    // Alone it would overwrite the line; before a line feed it has no meaning.
    if (character === "\r") return "";
    const code = character.charCodeAt(0);
    // Unicode has control pictures for C0 and DEL, none for C1.
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? "␡" : "\ufffd";
  });
}
