import { neutralise } from "./neutralise.ts";

const codes = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

export type Colour = keyof typeof codes;

/** Text with a colour, which a screen without colours leaves out. */
export interface Painted {
  colour: Colour;
  text: string;
}

export type Inline = string | Painted;

/** Colours `text` where the screen has colours. */
export function paint(colour: Colour, text: string): Painted {
  return { colour, text };
}

/** The bare text. */
export function textOf(inline: Inline): string {
  return typeof inline === "string" ? inline : inline.text;
}

/** What is written to a terminal: each text neutralised, then coloured, so that only our own colours act. */
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
