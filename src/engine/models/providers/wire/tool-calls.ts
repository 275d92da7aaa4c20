import type { NewId } from "../../../../kit/id.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { defaultJsonLimits, parseCounted } from "../../../../kit/json/strict-json.ts";
import type { ToolCall } from "../../model.ts";
import { ownCallId } from "./call-ids.ts";
import type { AnswerEnd } from "./finish-reason.ts";
import { toJson } from "./json.ts";

/** A tool call so far; id and name are empty while they are missing. */
export interface ToolCallDraft {
  id: string;
  name: string;
  /** The arguments as JSON. */
  text: string;
  /** Data that Google's models need back with the call (ai.google.dev, "Thought signatures"). */
  extra?: Record<string, unknown> | undefined;
}

/** Limits for the arguments of all calls of one answer together: they are read in one piece of at most 20 ms. */
export const argumentCharsMax = 2 * 1024 * 1024;
/** Arguments are checked, copied, hashed and recorded, which takes longer than reading them. */
export const argumentValuesMax = 20_000;

/**
 * The calls in the order of the drafts, each with an id of its own, also among those of the conversation (`used`). `unparsable` are arguments that are not a JSON object, that are too many
 * together, or that the model did not finish: in an answer that a limit cut, the last call; in one without a clear end, calls without
 * any arguments. A cut answer's last call that has no name yet is left out.
 */
export function finishToolCalls(
  drafts: readonly ToolCallDraft[],
  newId: NewId,
  end: AnswerEnd = "whole",
  used: ReadonlySet<string> = new Set(),
): ToolCall[] {
  if (drafts.length === 0) return [];
  const taken = new Set<string>();
  const left = { chars: argumentCharsMax, values: argumentValuesMax };
  const begun = end === "cut" && drafts.at(-1)?.name === "" ? drafts.slice(0, -1) : drafts;
  return begun.map((draft) => {
    const { id, name, text } = draft;
    const ownId = id === "" || taken.has(id) || used.has(id) ? ownCallId(newId) : id;
    taken.add(ownId);
    const isUnfinished = end !== "whole" && (isEmpty(text) || (end === "cut" && draft === drafts.at(-1)));
    const input = isUnfinished ? undefined : inputOf(text, left);
    return input ? { id: ownId, name, input } : { id: ownId, name, input: {}, unparsable: text };
  });
}

/** The further data of calls by the calls' ids; undefined if there is none. `calls` are those of the drafts. */
export function extraOf(
  drafts: readonly ToolCallDraft[],
  calls: readonly ToolCall[],
): Record<string, unknown> | undefined {
  if (calls.length === 0) return undefined;
  const entries = calls.flatMap(({ id }, at) => {
    const extra = drafts[at]?.extra;
    return extra === undefined ? [] : [[id, extra] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

const isEmpty = (text: string) => text.trim() === "" || text.trim() === "null";

/** Arguments as text, from a string or an object. */
export function argumentsText(value: unknown): string {
  if (typeof value === "string") return value;
  if (!isRecord(value)) return "";
  return hasMoreValues(value, argumentValuesMax) ? "(too many values)" : toJson(value) || "(nested too deep)";
}

/** Nothing at all means no arguments; undefined when the text is not a JSON object, or more than is left. */
function inputOf(text: string, left: { chars: number; values: number }): Record<string, unknown> | undefined {
  if (text.length > left.chars) return undefined;
  left.chars -= text.length;
  if (isEmpty(text)) return {};
  try {
    const { value, values } = parseCounted(text, { ...defaultJsonLimits, valuesMax: left.values });
    left.values -= values;
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns true if a value consists of more than `max` values, nested ones included. Visits no more than that. */
function hasMoreValues(value: unknown, max: number): boolean {
  const waiting: unknown[] = [value];
  let seen = 0;
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (++seen > max) return true;
    if (typeof one !== "object" || one === null) continue;
    const inside = Object.values(one);
    if (inside.length > max) return true;
    for (const item of inside) waiting.push(item);
  }
  return false;
}
