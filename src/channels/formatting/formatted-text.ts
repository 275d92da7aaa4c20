/** Part of a text that is marked. Spans nest. */
export interface MarkedSpan {
  kind: "strong" | "emphasis" | "strike" | "code" | "block" | "link" | "quote";
  href?: string;
  /** Language of a block of code. */
  language?: string;
}

export interface PlacedSpan extends MarkedSpan {
  start: number;
  end: number;
}

/** A text without marks, and what is marked of it; outer spans come before those inside. */
export interface FormattedText {
  text: string;
  spans: readonly PlacedSpan[];
}

/** Returns a part of a text. What is marked across its ends is marked inside it. */
export const sliceOf = ({ text, spans }: FormattedText, start: number, end: number): FormattedText => ({
  text: text.slice(start, end),
  spans: spans
    .filter((span) => span.start < end && span.end > start)
    .map((span) => ({
      ...span,
      start: Math.max(span.start, start) - start,
      end: Math.min(span.end, end) - start,
    })),
});

/** Lays out blocks: it breaks and indents lines, and notes where spans begin and end. */
export class LayoutWriter {
  #text = "";
  /** Newlines that come before the next character. */
  #breaks = 0;
  readonly #indents: string[] = [];
  readonly #spans: PlacedSpan[] = [];
  /** Open spans, the innermost last. */
  readonly #open: PlacedSpan[] = [];

  write(text: string): void {
    for (const [index, line] of text.split("\n").entries()) {
      if (index > 0 && this.#text !== "") this.#text += "\n";
      if (line !== "") this.#append(line);
    }
  }

  /** Lets what follows begin on a new line (1), or after an empty one (2). */
  break(lines: number): void {
    this.#breaks = Math.max(this.#breaks, lines);
  }

  indent(by: string): void {
    this.#indents.push(by);
  }

  dedent(): void {
    this.#indents.pop();
  }

  /** It begins at the next character. */
  open(span: MarkedSpan): void {
    const placed = { ...span, start: Number.POSITIVE_INFINITY, end: 0 };
    this.#open.push(placed);
    this.#spans.push(placed);
  }

  close(): void {
    const span = this.#open.pop();
    if (span !== undefined) span.end = this.#text.length;
  }

  end(): FormattedText {
    const text = this.#text.trimEnd();
    const spans = this.#spans
      .map((span) => ({ ...span, end: Math.min(span.end, text.length) }))
      .filter(({ start, end }) => start < end);
    return { text, spans };
  }

  #append(line: string): void {
    if (this.#breaks > 0 && this.#text !== "") {
      const [breaks = ""] = /\n*$/.exec(this.#text.slice(-this.#breaks)) ?? [];
      this.#text += "\n".repeat(this.#breaks - breaks.length);
    }
    this.#breaks = 0;
    if (this.#text === "" || this.#text.endsWith("\n")) this.#text += this.#indents.join("");
    for (const span of this.#open) span.start = Math.min(span.start, this.#text.length);
    this.#text += line;
  }
}
