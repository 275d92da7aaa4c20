import type { ImagePart, Message, ToolCall } from "../../model.ts";
import { callIdsWithin } from "../wire/call-ids.ts";
import { broughtBlocks } from "./carried-thoughts.ts";

/** One turn in the format of the Messages API. */
export interface AnthropicTurn {
  role: "user" | "assistant";
  content: unknown[];
}

/**
 * The conversation without system messages, in alternating turns: all tool results of one answer share a user turn. Blank texts are left
 * out, because the API refuses them. Echoes are kept only if their `of` is `echoOf`.
 */
export function toTurns(messages: readonly Message[], echoOf: string): AnthropicTurn[] {
  const turns: AnthropicTurn[] = [];
  for (const message of messages) {
    const blocks = toBlocks(message, echoOf);
    if (blocks.length === 0) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return turns;
}

function toBlocks(message: Message, echoOf: string): unknown[] {
  switch (message.role) {
    case "system":
      return [];
    case "user":
      return [...(message.images ?? []).map(imageBlock), ...textBlocks(message.content)];
    case "tool":
      return [{ type: "tool_result", tool_use_id: callId(message.callId), content: message.content }];
    case "assistant":
      if (message.echo?.of === echoOf && Array.isArray(message.echo.content))
        return [...message.echo.content];
      return [
        ...broughtBlocks(message.thoughts?.details ?? [], echoOf),
        ...textBlocks(message.content),
        ...(message.toolCalls ?? []).map(toToolUse),
      ];
  }
}

function imageBlock({ mediaType, data }: ImagePart): object {
  return { type: "image", source: { type: "base64", media_type: mediaType, data } };
}

function textBlocks(text: string): unknown[] {
  return text.trim() === "" ? [] : [{ type: "text", text }];
}

/** A tool call as a block. Arguments that could not be parsed are sent as `{}`. */
export function toToolUse({ id, name, input }: ToolCall): object {
  return { type: "tool_use", id: callId(id), name, input };
}

/** The API refuses other ids. */
const callId = callIdsWithin(/^[a-zA-Z0-9_-]+$/, 24);
