import type { Tokenizer } from "@huggingface/tokenizers";

/** What a model reads of a text: its tokens, and to which of a pair's texts each belongs. */
export interface Encoded {
  ids: number[];
  types: number[];
}

/** The tokens that a tokenizer puts around texts, with a place for each text. */
export type Frame = readonly ({ id: number; type: number } | { text: 0 | 1; type: number })[];

/** Stand for the texts while the frame is looked for: no vocabulary has them. */
const marks = ["\0first", "\0second"] as const;

/** The frame of one text, or of a pair. */
export function findFrame(tokenizer: Tokenizer, texts: 1 | 2): Frame {
  const [first, second] = marks;
  const framed = tokenizer.post_processor?.post_process([first], texts === 2 ? [second] : null, true);
  const tokens = framed?.tokens ?? marks.slice(0, texts);
  return tokens.flatMap((token, index) => {
    const type = framed?.token_type_ids?.[index] ?? 0;
    const text = (marks as readonly string[]).indexOf(token);
    if (text === 0 || text === 1) return { text, type };
    const id = tokenizer.token_to_id(token);
    return id === undefined ? [] : { id, type };
  });
}

/** How many tokens the frame itself has. */
export function frameSize(frame: Frame): number {
  return frame.filter((part) => "id" in part).length;
}

/** Texts in their frame. */
export function inFrame(frame: Frame, texts: readonly (readonly number[])[]): Encoded {
  const ids: number[] = [];
  const types: number[] = [];
  for (const part of frame) {
    const own = "id" in part ? [part.id] : (texts[part.text] ?? []);
    for (const id of own) {
      ids.push(id);
      types.push(part.type);
    }
  }
  return { ids, types };
}
