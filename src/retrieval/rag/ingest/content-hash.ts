import { othersTurn } from "../../../kit/concurrency/others-turn.ts";
import { canonicalJson } from "../../../kit/json/canonical-json.ts";

/** Hashing more than this at once would block other work. */
const sliceLength = 1024 * 1024;

/** Hash of a document's content: SHA-256 in hex, independent of the order of metadata keys. */
export async function contentHash(
  text: string,
  metadata: Readonly<Record<string, unknown>>,
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  hasher.update(`${text.length} ${canonicalJson(metadata)} `);
  for (let from = 0; from < text.length; ) {
    // A surrogate pair is one character in UTF-8.
    const cut = from + sliceLength;
    const to = isHighSurrogate(text.charCodeAt(cut - 1)) ? cut + 1 : cut;
    hasher.update(text.slice(from, to));
    from = to;
    if (from < text.length) await othersTurn();
  }
  return hasher.digest("hex");
}

const isHighSurrogate = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
