import type { Tokenizer } from "@huggingface/tokenizers";

/** A text encoded for a model: its tokens, and for each the index of its text in a pair. */
export interface Encoded {
  ids: number[];
  types: number[];
}

/** Special tokens that a tokenizer adds, with placeholders for the texts. */
export type Frame = readonly ({ id: number; type: number } | { text: 0 | 1; type: number })[];

/** Placeholder texts for detecting the frame; no vocabulary has them. */
const marks = ["\0first", "\0second"] as const;

/** Detects the frame of one text or of a pair. */
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

/** Number of special tokens in a frame. */
export function frameSize(frame: Frame): number {
  return frame.filter((part) => "id" in part).length;
}

/** Inserts texts into their frame. */
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
