import { AppError } from "../../kit/app-error.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";
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
export function* findJson(answer: string): Work<FoundJson> {
  const whole = yield* read(answer);
  if (whole && "value" in whole) return whole;
  let fault: FoundJson | undefined;
  for (const { body, behindFence } of (yield* fencedBlocks(answer)).slice(-blocksMax).reverse()) {
    for (const text of [body, behindFence, `${behindFence}\n${body}`]) {
      const found = yield* read(text);
      if (found && "value" in found) return found;
      fault ??= found;
    }
  }
  return (
    fault ??
    whole ?? { fault: "The answer holds no JSON: neither a fenced block of it nor the answer as a whole." }
  );
}

/** Undefined for a text that was never meant as JSON: of what can't be read, that is all but objects and lists. */
function* read(text: string): Work<FoundJson | undefined> {
  const json = text.trim();
  if (!/^(?:[[{"]|-?[0-9]|true|false|null)/.test(json)) return undefined;
  if (json.length > jsonCharsMax) return { fault: "The JSON in the answer is longer than 1 MiB." };
  try {
    return { value: yield* readStrictJson(json) };
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (!/^[[{]/.test(json)) return undefined;
    return { fault: `The JSON in the answer can't be read: ${thrown.message}` };
  }
}
