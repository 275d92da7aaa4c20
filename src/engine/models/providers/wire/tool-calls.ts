import type { NewId } from "../../../../kit/id.ts";
import { parseStrictJson } from "../../../../kit/strict-json.ts";
import type { ToolCall } from "../../model.ts";
import { isRecord, toJson } from "./json.ts";

/** A tool call as it came so far; id and name are empty while they are missing. */
export interface ToolCallDraft {
  id: string;
  name: string;
  /** The arguments as JSON. */
  text: string;
}

/** The calls in the order of the drafts, each with an id of its own; arguments that are no JSON object are `unparsable`. */
export function finishToolCalls(drafts: readonly ToolCallDraft[], newId: NewId): ToolCall[] {
  const taken = new Set<string>();
  return drafts.map(({ id, name, text }) => {
    const ownId = id === "" || taken.has(id) ? `call_${newId()}` : id;
    taken.add(ownId);
    const input = inputOf(text);
    return input ? { id: ownId, name, input } : { id: ownId, name, input: {}, unparsable: text };
  });
}

/** Arguments as text, in whichever of the two forms they came. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  return isRecord(value) ? toJson(value) || "(nested too deep)" : "";
}

/** Nothing at all means no arguments; undefined when the text is no JSON object. */
function inputOf(text: string): Record<string, unknown> | undefined {
  if (text.trim() === "" || text.trim() === "null") return {};
  try {
    const value = parseStrictJson(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
