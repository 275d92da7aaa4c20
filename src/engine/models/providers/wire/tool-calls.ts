import type { NewId } from "../../../../kit/id.ts";
import { parseStrictJson } from "../../../../kit/strict-json.ts";
import type { ToolCall } from "../../model.ts";
import { isRecord, toJson } from "./json.ts";

/** A tool call so far; id and name are empty while they are missing. */
export interface ToolCallDraft {
  id: string;
  name: string;
  /** The arguments as JSON. */
  text: string;
}

/** The calls in the order of the drafts, each with a unique id. Arguments that are not a JSON object become `unparsable`. */
export function finishToolCalls(drafts: readonly ToolCallDraft[], newId: NewId): ToolCall[] {
  const taken = new Set<string>();
  return drafts.map(({ id, name, text }) => {
    const ownId = id === "" || taken.has(id) ? `call_${newId()}` : id;
    taken.add(ownId);
    const input = inputOf(text);
    return input ? { id: ownId, name, input } : { id: ownId, name, input: {}, unparsable: text };
  });
}

/** Arguments as text, from a string or an object. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) ? toJson(value) || "(nested too deep)" : "";
}

/** Parses arguments: an empty text means no arguments; undefined if the text is not a JSON object. */
function inputOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "" || text.trim() === "null") return {};
  try {
    const value = parseStrictJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
