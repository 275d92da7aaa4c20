/** A piece of text with its position on a page. */
export interface PlacedText {
  str: string;
  hasEOL: boolean;
  height: number;
  /** The last two numbers are its start, measured from the lower left. */
  transform: readonly unknown[];
}

/** Lines separated by more than this many line heights belong to different paragraphs. */
const PARAGRAPH_GAP = 1.6;

/** Joins the pieces of a page: line breaks as on the page, an empty line between separate paragraphs. */
export class PageLines {
  readonly #parts: string[] = [];
  /** Text to insert before the next piece. */
  #break = "";
  /** Position and height of the last piece. */
  #last: { y: number; height: number } | undefined;
  #length = 0;

  /** Code units so far. */
  get length(): number {
    return this.#length;
  }

  get text(): string {
    return this.#parts.join("").trim();
  }

  add({ str, hasEOL, height, transform }: PlacedText): void {
    const piece = clean(str);
    if (piece !== "") {
      const place = { y: Number(transform[5]), height };
      if (this.#break !== "") this.#append(this.#isApart(place) ? "\n\n" : this.#break);
      this.#append(piece);
      this.#break = "";
      // Spaces are reported with height 0.
      if (height > 0) this.#last = place;
    }
    if (hasEOL && this.#length > 0) this.#break = "\n";
  }

  /** Returns true if the piece is far below the last one, or above it, as in the next column. */
  #isApart(place: { y: number; height: number }): boolean {
    if (this.#last === undefined) return false;
    const down = this.#last.y - place.y;
    const height = Math.max(this.#last.height, place.height);
    return down > PARAGRAPH_GAP * height || down < -height;
  }

  #append(text: string): void {
    this.#parts.push(text);
    this.#length += text.length;
  }
}

/** Removes control characters and soft hyphens. */
function clean(text: string): string {
  return text.replace(/(?![\t\n])\p{Cc}|\u00ad/gu, "").toWellFormed();
}
