import { isRecord } from "../../../../kit/json/is-record.ts";
import type { ThoughtDetail } from "../../model.ts";

/** Fields that grow from piece to piece. */
const texts = ["text", "summary", "data", "signature"];

const detailsMax = 1000;

/**
 * Assembles the `reasoning_details` of one answer (openrouter.ai, "Reasoning Tokens"). A stream sends each entry in pieces with its index;
 * the server needs the entries back whole and in their order.
 */
export class ThoughtDetails {
  readonly #all: Record<string, unknown>[] = [];

  get all(): readonly ThoughtDetail[] {
    return this.#all;
  }

  take(pieces: readonly unknown[]): void {
    for (const piece of pieces) if (isRecord(piece)) this.#takeOne(piece);
  }

  #takeOne(piece: Record<string, unknown>): void {
    const last = this.#all.at(-1);
    const continues =
      last !== undefined &&
      piece.index !== undefined &&
      last.index === piece.index &&
      last.type === piece.type &&
      (last.id ?? piece.id) === (piece.id ?? last.id);
    if (!continues) {
      if (this.#all.length < detailsMax) this.#all.push({ ...piece });
      return;
    }
    for (const [field, value] of Object.entries(piece)) {
      const known = last[field];
      if (value === null || value === undefined) continue;
      const grows = texts.includes(field) && typeof known === "string" && typeof value === "string";
      last[field] = grows ? known + value : value;
    }
  }
}
