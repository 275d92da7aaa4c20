/** A piece of text as it stands on a page. */
export interface PlacedText {
  str: string;
  hasEOL: boolean;
  height: number;
  /** The last two numbers are where it begins, counted from the lower left. */
  transform: readonly unknown[];
}

/** Lines further apart than this many heights are of different paragraphs. */
const PARAGRAPH_GAP = 1.6;

/** Puts the pieces of a page together: lines as the page has them, an empty line between what stands apart. */
export class PageLines {
  readonly #parts: string[] = [];
  /** What has to stand before the next piece. */
  #break = "";
  /** Where the last piece stood, and how high it is. */
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
      // Spaces are placed as if they had no height.
      if (height > 0) this.#last = place;
    }
    if (hasEOL && this.#length > 0) this.#break = "\n";
  }

  /** Far below what stood before, or above it, as the next column is. */
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

/** Without what is no character, or none that anybody sees. */
function clean(text: string): string {
  return text.replace(/(?![\t\n])\p{Cc}|\u00ad/gu, "").toWellFormed();
}
