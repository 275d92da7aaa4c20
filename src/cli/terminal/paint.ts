import { escapeControls } from "../../kit/text/terminal-text.ts";

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

/**
 * Returns text that can't control a terminal, for all text that a model, a file or a server may have written. A carriage return is left out:
 * alone it would overwrite the line, and before a line feed it has no meaning.
 */
export function neutralise(text: string): string {
  return escapeControls(text.replaceAll("\r", ""));
}
