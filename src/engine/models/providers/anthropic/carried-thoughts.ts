import type { ThoughtDetail } from "../../model.ts";
import { textOf } from "../wire/json.ts";

/*
 * Blocks of thoughts in the form in which clients of OpenAI's API carry them between requests. Their `id` says to which instructions and
 * tools they belong, because the API refuses signed thoughts if the text before them has changed.
 */

const format = "anthropic-claude-v1";

/** A finished block as a detail; none for text and calls. */
export function detailsOf(
  block: Readonly<Record<string, unknown>>,
  { text, signature, index }: { text: string; signature: string; index: number },
): ThoughtDetail[] {
  if (block.type === "thinking") return [{ type: "reasoning.text", text, signature, format, index }];
  if (block.type === "redacted_thinking")
    return [{ type: "reasoning.encrypted", data: block.data, format, index }];
  return [];
}

/** The blocks that a caller brings back. Those of other models, or without a signature, would be refused. */
export function broughtBlocks(details: readonly ThoughtDetail[], echoOf: string): object[] {
  const blocks: object[] = [];
  for (const { type, format: of, id, text, signature, data } of details) {
    if (of !== format || (typeof id === "string" && id !== echoOf)) continue;
    if (type === "reasoning.encrypted" && typeof data === "string")
      blocks.push({ type: "redacted_thinking", data });
    if (type === "reasoning.text" && typeof text === "string" && textOf(signature) !== "")
      blocks.push({ type: "thinking", thinking: text, signature });
  }
  return blocks;
}
