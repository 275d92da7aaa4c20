import type { Tokenizer } from "@huggingface/tokenizers";
import { type Encoded, findFrame, frameSize, inFrame } from "./text-frame.ts";

/** A tokenizer that cuts by tokens, in time that goes by what is kept of a text. */
export interface TextEncoding {
  /** A text in the tokenizer's frame, cut so that all is at most `tokensMax` tokens. */
  one(text: string, tokensMax: number): Encoded;
  /** Two texts in the tokenizer's frame; the longer is cut first. */
  pair(first: string, second: string, tokensMax: number): Encoded;
  /** All tokens of a text; `special`: with the frame. */
  whole(text: string, special: boolean): number[];
  /** The text of tokens, special ones left out. */
  decode(ids: readonly number[]): string;
}

/** Characters that are read first for each token wanted; where that gives too few tokens, more of the text is read. */
const charsPerToken = 16;

export function createTextEncoding(tokenizer: Tokenizer): TextEncoding {
  const [single, double] = [findFrame(tokenizer, 1), findFrame(tokenizer, 2)];

  /** A text's own tokens; of what a vocabulary without a token for the unknown lacks, nothing is left. */
  const plain = (text: string): number[] =>
    tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id) => id !== undefined && id >= 0);

  /** One token more than wanted shows that the last one kept does not depend on where the text was cut. */
  const first = (text: string, tokensMax: number): number[] => {
    for (let chars = (tokensMax + 16) * charsPerToken; ; chars *= 4) {
      const ids = plain(chars < text.length ? text.slice(0, chars).toWellFormed() : text);
      if (ids.length > tokensMax + 1 || chars >= text.length) return ids.slice(0, tokensMax);
    }
  };

  return {
    one: (text, tokensMax) => inFrame(single, [first(text, Math.max(0, tokensMax - frameSize(single)))]),
    pair(text, other, tokensMax) {
      const room = Math.max(0, tokensMax - frameSize(double));
      const [ids, others] = [first(text, room), first(other, room)];
      const half = Math.floor(room / 2);
      const kept =
        ids.length <= others.length ? Math.min(ids.length, half) : room - Math.min(others.length, half);
      return inFrame(double, [ids.slice(0, kept), others.slice(0, room - kept)]);
    },
    whole: (text, special) => (special ? inFrame(single, [plain(text)]).ids : plain(text)),
    decode: (ids) =>
      ids.length === 0
        ? ""
        : tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
  };
}
