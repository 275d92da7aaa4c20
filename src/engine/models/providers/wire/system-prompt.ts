import type { Message } from "../../model.ts";

/** All system messages as one text, for vendors that accept a single one before the conversation; empty if there is none. */
export function systemPrompt(messages: readonly Message[]): string {
  return messages
    .flatMap((message) => (message.role === "system" && message.content !== "" ? [message.content] : []))
    .join("\n\n");
}
