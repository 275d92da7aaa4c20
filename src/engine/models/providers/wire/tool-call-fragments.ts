import { isRecord } from "../../../../kit/json/is-record.ts";
import { textOf } from "./json.ts";
import { argumentsText, type ToolCallDraft } from "./tool-calls.ts";

/**
 * Assembles the tool calls of one answer. OpenAI's protocol sends a call as fragments with an index; the first has the id and the name.
 * Some servers send whole calls, omit index or id, give every call index 0, repeat id and name in each fragment, or send the arguments as
 * an object.
 */
export class ToolCallFragments {
  readonly drafts: ToolCallDraft[] = [];
  readonly #byIndex = new Map<number, ToolCallDraft>();
  readonly #byId = new Map<string, ToolCallDraft>();

  /** Takes the fragments of one list. Without an index, each fragment except the first begins a call. */
  take(fragments: readonly unknown[]): void {
    for (const [at, fragment] of fragments.entries()) {
      if (isRecord(fragment)) this.#takeOne(fragment, at === 0);
    }
  }

  #takeOne(fragment: Record<string, unknown>, mayContinue: boolean): void {
    const about = isRecord(fragment.function) ? fragment.function : {};
    const id = textOf(fragment.id);
    const name = textOf(about.name);
    const draft = this.#draftOf(fragment.index, id, name, mayContinue);
    draft.id ||= id;
    if (id !== "") this.#byId.set(id, draft);
    draft.name ||= name;
    draft.text += argumentsText(about.arguments);
  }

  #draftOf(index: unknown, id: string, name: string, mayContinue: boolean): ToolCallDraft {
    const hasIndex = typeof index === "number";
    const known = hasIndex ? this.#byIndex.get(index) : (this.#byId.get(id) ?? this.drafts.at(-1));
    const isSame = known && (id === "" || known.id === "" || known.id === id);
    // Without index and id, a second name begins another call.
    const beginsAnother = !hasIndex && (!mayContinue || (id === "" && name !== "" && known?.name !== ""));
    if (isSame && !beginsAnother) return known;
    const draft = { id: "", name: "", text: "" };
    this.drafts.push(draft);
    if (hasIndex) this.#byIndex.set(index, draft);
    return draft;
  }
}
