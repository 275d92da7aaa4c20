import { AppError } from "../../kit/app-error.ts";
import { parseStrictJson } from "../../kit/strict-json.ts";
import { fencedBlocks } from "./fenced-blocks.ts";

/** The JSON of an answer, or why there is none. */
export type FoundJson = { value: unknown } | { fault: string };

/** Maximum characters of a result's data. */
const jsonCharsMax = 1024 * 1024;
/** Maximum blocks tried, from the last one back. */
const blocksMax = 64;

/**
 * The value of the whole answer if it is JSON, else of the last fenced block that is. JSON is read as strictly as request bodies, because
 * it is returned in our answers: ambiguous JSON is refused.
 */
export function findJson(answer: string): FoundJson {
  const whole = read(answer);
  if (whole && "value" in whole) return whole;
  let fault: FoundJson | undefined;
  for (const { body, behindFence } of fencedBlocks(answer).slice(-blocksMax).reverse()) {
    for (const text of [body, behindFence, `${behindFence}\n${body}`]) {
      const found = read(text);
      if (found && "value" in found) return found;
      fault ??= found;
    }
  }
  return (
    fault ??
    whole ?? { fault: "The answer holds no JSON: neither a fenced block of it nor the answer as a whole." }
  );
}

/** Parses a text as JSON; undefined if it was not meant as JSON. Of invalid texts, only objects and lists count as meant. */
function read(text: string): FoundJson | undefined {
  const json = text.trim();
  if (!/^(?:[[{"]|-?[0-9]|true|false|null)/.test(json)) return undefined;
  if (json.length > jsonCharsMax) return { fault: "The JSON in the answer is longer than 1 MiB." };
  try {
    return { value: parseStrictJson(json) };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (!/^[[{]/.test(json)) return undefined;
    return { fault: `The JSON in the answer can't be read: ${thrown.message}` };
  }
}
