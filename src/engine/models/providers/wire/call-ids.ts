import type { NewId } from "../../../../kit/id.ts";
import type { Message } from "../../model.ts";

/*
 * Ids of tool calls. Each vendor accepts only some: OpenAI at most 40 characters, Mistral exactly nine letters or digits, Anthropic letters,
 * digits, `_` and `-`, and none twice in a conversation. Servers of other vendors, and clients that bring their own conversation, use
 * others, such as `call_0` in every turn.
 */

/** An id of our own: letters and digits, at most 40. */
export function ownCallId(newId: NewId): string {
  return `call${newId().replaceAll(/[^a-zA-Z0-9]/g, "")}`.slice(0, 40);
}

const noIds: ReadonlySet<string> = new Set();

/** The ids of the conversation's calls; empty if the answer has no calls. */
export function usedCallIds(drafts: readonly unknown[], messages: readonly Message[]): ReadonlySet<string> {
  if (drafts.length === 0) return noIds;
  const used = new Set<string>();
  for (const message of messages)
    if (message.role === "assistant") for (const { id } of message.toolCalls ?? []) used.add(id);
  return used;
}

/** Converts ids that don't match `accepted` to `length` letters and digits. Equal ids give equal results. */
export function callIdsWithin(accepted: RegExp, length: number): (id: string) => string {
  return (id) => (accepted.test(id) ? id : hashed(id, length));
}

function hashed(id: string, length: number): string {
  const hash = Bun.hash(id).toString(36) + Bun.hash(id, 1).toString(36);
  return hash.padStart(length, "0").slice(-length);
}

/** The messages with an id of its own for each call: of equal ones, the later ones get a suffix, and so do their results. */
export function withUniqueCallIds(messages: readonly Message[]): readonly Message[] {
  const uses = new Map<string, number>();
  const freeId = (id: string): string => {
    const use = (uses.get(id) ?? 0) + 1;
    uses.set(id, use);
    return use === 1 ? id : freeId(`${id}_${use}`);
  };
  let renamed = new Map<string, string>();
  let isChanged = false;
  const unique = messages.map((message): Message => {
    if (message.role === "tool") {
      const callId = renamed.get(message.callId);
      return callId === undefined ? message : { ...message, callId };
    }
    if (message.role !== "assistant" || message.toolCalls === undefined) return message;
    renamed = new Map();
    const toolCalls = message.toolCalls.map((call) => {
      const id = freeId(call.id);
      if (id === call.id) return call;
      renamed.set(call.id, id);
      return { ...call, id };
    });
    if (renamed.size === 0) return message;
    isChanged = true;
    // The echo has the ids as they were.
    const { echo: _, ...rest } = message;
    return { ...rest, toolCalls };
  });
  return isChanged ? unique : messages;
}
