import type { NewId } from "../../../../kit/id.ts";
import { parseStrictJson } from "../../../../kit/strict-json.ts";
import type { ToolCall } from "../../model.ts";
import { isRecord, toJson } from "./wire.ts";

interface Slot {
  id: string;
  name: string;
  text: string;
}

/**
 * Puts the tool calls of one answer together. The protocol sends a call as fragments with an index, the id and the name in
 * the first; servers are known to send whole calls, to leave out index or id, to give every call index 0, to repeat id and
 * name in each fragment, and to send the arguments as an object.
 */
export class ToolCallFragments {
  readonly #slots: Slot[] = [];
  readonly #byIndex = new Map<number, Slot>();

  get count(): number {
    return this.#slots.length;
  }

  take(fragments: readonly unknown[]): void {
    for (const fragment of fragments) if (isRecord(fragment)) this.#takeOne(fragment);
  }

  #takeOne(fragment: Record<string, unknown>): void {
    const about = isRecord(fragment.function) ? fragment.function : {};
    const id = textOf(fragment.id);
    const name = textOf(about.name);
    const slot = this.#slotOf(fragment.index, id, name);
    slot.id ||= id;
    slot.name ||= name;
    slot.text += argumentsText(about.arguments);
  }

  #slotOf(index: unknown, id: string, name: string): Slot {
    const known =
      typeof index === "number"
        ? this.#byIndex.get(index)
        : (this.#slots.find((slot) => id !== "" && slot.id === id) ?? this.#slots.at(-1));
    const isSame = known && (id === "" || known.id === "" || known.id === id);
    // Without index and id, a second name can only begin another call.
    const beginsAnother = typeof index !== "number" && id === "" && name !== "" && known?.name !== "";
    if (isSame && !beginsAnother) return known;
    const slot = { id: "", name: "", text: "" };
    this.#slots.push(slot);
    if (typeof index === "number") this.#byIndex.set(index, slot);
    return slot;
  }

  /** The calls in the order in which they began, each with an id of its own. */
  finish(newId: NewId): ToolCall[] {
    const taken = new Set<string>();
    return this.#slots.map(({ id, name, text }) => {
      const ownId = id === "" || taken.has(id) ? `call_${newId()}` : id;
      taken.add(ownId);
      const input = inputOf(text);
      return input ? { id: ownId, name, input } : { id: ownId, name, input: {}, unparsable: text };
    });
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function argumentsText(value: unknown): string {
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
