import { Tokenizer } from "@huggingface/tokenizers";
import type { TokenizerRef } from "../process/messages.ts";
import { ModelFault } from "./model-fault.ts";
import { readUnchanged } from "./read-unchanged.ts";
import { createTextEncoding, type TextEncoding } from "./text-encoding.ts";

const TOKENIZERS_MAX = 4;
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Cache of the most recently used tokenizers. */
export class Tokenizers {
  readonly #open = new Map<string, TextEncoding>();

  /** Throws ModelFault if the files are not a valid tokenizer. */
  get(ref: TokenizerRef): TextEncoding {
    const key = [ref.file, ref.config].map((file) => `${file?.path}\0${file?.stamp}`).join("\0");
    const found = this.#open.get(key) ?? read(ref);
    this.#open.delete(key);
    this.#open.set(key, found);
    for (const oldest of this.#open.keys()) {
      if (this.#open.size <= TOKENIZERS_MAX) break;
      this.#open.delete(oldest);
    }
    return found;
  }
}

function read({ file, config }: TokenizerRef): TextEncoding {
  try {
    return createTextEncoding(new Tokenizer(readJson(file), config ? readJson(config) : {}));
  } catch (thrown) {
    if (thrown instanceof ModelFault) throw thrown;
    const reason = thrown instanceof Error ? thrown.message.slice(0, 200) : "it could not be read";
    throw new ModelFault("model_invalid", `has a ${file.name} that is no tokenizer: ${reason}`);
  }
}

function readJson(file: TokenizerRef["file"]): object {
  const bytes = readUnchanged(file, (size) => {
    if (size > FILE_BYTES_MAX) throw new Error(`it is larger than ${FILE_BYTES_MAX / 2 ** 20} MiB`);
  });
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
}
