import type { Message } from "../models/model.ts";
import type { Thread } from "./thread.ts";

/** The thread with its pattern's instruction at the end of the system prompt. The text is the same in every call, so it is cached. */
export function instructed(thread: Thread, instruction: string): Thread {
  const at = thread.preamble.findLastIndex(({ role }) => role === "system");
  const system = thread.preamble[at];
  if (system === undefined) {
    const only: Message = { role: "system", content: instruction };
    return { ...thread, preamble: [only, ...thread.preamble] };
  }
  const longer = { ...system, content: `${system.content}\n\n${instruction}` };
  return { ...thread, preamble: thread.preamble.with(at, longer) };
}
