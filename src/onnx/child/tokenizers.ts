import { Tokenizer } from "@huggingface/tokenizers";
import { LatestMap } from "../../kit/latest-map.ts";
import type { TokenizerRef } from "../process/messages.ts";
import { ModelFault } from "./model-fault.ts";
import { readUnchanged } from "./read-unchanged.ts";
import { type Encoded, findFrame, frameSize, inFrame } from "./text-frame.ts";

const TOKENIZERS_MAX = 4;
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Cache of the most recently used tokenizers. */
export class Tokenizers {
  readonly #open = new LatestMap<string, TextEncoding>(TOKENIZERS_MAX);

  /** Throws ModelFault if the files are not a valid tokenizer. */
  get(ref: TokenizerRef): TextEncoding {
    const key = [ref.file, ref.config].map((file) => `${file?.path}\0${file?.stamp}`).join("\0");
    const tokenizer = this.#open.get(key) ?? read(ref);
    this.#open.set(key, tokenizer);
    return tokenizer;
  }
}

function read({ file, config }: TokenizerRef): TextEncoding {
  try {
    return createTextEncoding(new Tokenizer(readJson(file), config ? readJson(config) : {}));
  } catch (thrown) {
    if (thrown instanceof ModelFault) throw thrown;
    const reason = thrown instanceof Error ? thrown.message.slice(0, 200) : "it could not be read";
    throw new ModelFault("model_invalid", `has a ${file.name} that is not a tokenizer: ${reason}`);
  }
}

function readJson(file: TokenizerRef["file"]): object {
  const bytes = readUnchanged(file, (size) => {
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX / 2 ** 20} MiB`);
  });
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}

/** A tokenizer that cuts texts by tokens, in time proportional to the kept text. */
export interface TextEncoding {
  /** Encodes a text with special tokens, cut to at most `tokensMax` tokens in total. */
  one(text: string, tokensMax: number): Encoded;
  /** Encodes two texts with special tokens; the longer one is cut first. */
  pair(first: string, second: string, tokensMax: number): Encoded;
  /** All tokens of a text; `special`: with special tokens. */
  whole(text: string, special: boolean): number[];
  /** The text of tokens, without special ones. */
  decode(ids: readonly number[]): string;
}

/** Characters read first per wanted token; if they give too few tokens, more of the text is read. */
const charsPerToken = 16;

export function createTextEncoding(tokenizer: Tokenizer): TextEncoding {
  const [single, double] = [findFrame(tokenizer, 1), findFrame(tokenizer, 2)];

  /** A text's own tokens. Words missing from a vocabulary without an unknown token are skipped. */
  const plain = (text: string): number[] =>
    tokenizer.encode(text, { add_special_tokens: false }).ids.filter((id) => id !== undefined && id >= 0);

  /** One extra token shows that the last kept one does not depend on the cut. */
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
      const ownTokens =
        ids.length <= others.length ? Math.min(ids.length, half) : room - Math.min(others.length, half);
      return inFrame(double, [ids.slice(0, ownTokens), others.slice(0, room - ownTokens)]);
    },
    whole: (text, special) => (special ? inFrame(single, [plain(text)]).ids : plain(text)),
    decode: (ids) =>
      ids.length === 0
        ? ""
        : tokenizer.decode([...ids], { skip_special_tokens: true, clean_up_tokenization_spaces: false }),
  };
}
