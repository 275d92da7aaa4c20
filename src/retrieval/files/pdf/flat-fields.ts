import { PageLines, type PageNote, type PlacedText } from "./page-lines.ts";

/** The start or end of marked content (PDF 32000-1, 14.6). */
interface ContentMark {
  type: string;
  tag?: string;
}

/** The mark around the text of a field (PDF 32000-1, 12.7.3.3). It stays when a form is flattened, so that its values become text of the page. */
const fieldTag = "Tx";

/** Values of the fields of a flattened form. They are drawn after the page, so each belongs beside the text at its place. */
export class FlatFields {
  readonly notes: PageNote[] = [];
  #depth = 0;
  /** Depth of the mark around the current field. */
  #fieldDepth = 0;
  #texts: PlacedText[] = [];

  mark({ type, tag }: ContentMark): void {
    if (type !== "endMarkedContent") {
      this.#depth++;
      if (tag === fieldTag && this.#fieldDepth === 0) this.#fieldDepth = this.#depth;
      return;
    }
    if (this.#depth === this.#fieldDepth) this.#end();
    this.#depth = Math.max(0, this.#depth - 1);
  }

  /** Returns true if the text is a part of a field. */
  take(text: PlacedText): boolean {
    if (this.#fieldDepth === 0) return false;
    this.#texts.push(text);
    return true;
  }

  #end(): void {
    this.#fieldDepth = 0;
    const shown = this.#texts.filter(({ str, height }) => str.trim() !== "" && height > 0);
    const lines = new PageLines();
    for (const text of this.#texts) lines.add(text);
    this.#texts = [];
    const text = lines.text;
    if (text === "") return;
    const places = shown.map(({ transform, width = 0, height }) => {
      const [x, y] = [Number(transform[4]), Number(transform[5])];
      return { left: x, bottom: y, right: x + width, top: y + height };
    });
    const rect: PageNote["rect"] = [
      Math.min(...places.map(({ left }) => left)),
      Math.min(...places.map(({ bottom }) => bottom)),
      Math.max(...places.map(({ right }) => right)),
      Math.max(...places.map(({ top }) => top)),
    ];
    if (rect.every(Number.isFinite)) this.notes.push({ text, rect, label: "" });
  }
}
