import type { Message } from "../models/model.ts";

/** Messages before a conversation: the system prompt, or none if it is empty. */
export type Preamble = readonly Message[];

/**
 * Creates preambles. An unchanged text returns the same object, so that caches by identity (the writers of request bodies) can reuse it.
 */
export function createPreambles(): (system: string) => Preamble {
  let last: { system: string; preamble: Preamble } | undefined;
  return (system) => {
    if (last?.system !== system) {
      last = { system, preamble: system === "" ? [] : [{ role: "system", content: system }] };
    }
    return last.preamble;
  };
}
