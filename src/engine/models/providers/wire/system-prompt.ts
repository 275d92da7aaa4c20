import type { Message } from "../../model.ts";

/** The system messages as one text, for vendors that take a single one ahead of the conversation; empty without any. */
export function systemPrompt(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => (message.role === "system" && message.content !== "" ? [message.content] : []))
    .join("\n\n");
}
