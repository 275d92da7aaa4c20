import { isRecord } from "../../../../kit/json/is-record.ts";
import { textOf } from "./json.ts";
import { argumentsText, type ToolCallDraft } from "./tool-calls.ts";

/**
 * Assembles the tool calls of one answer. OpenAI's protocol sends a call as fragments with an index; the first has the id and the name.
 * Servers deviate in every part of it: whole calls, no index or id, one index for every call, an index that differs between a call's
 * fragments, id and name repeated in each fragment, a new id in each fragment, arguments as an object.
 */
export class ToolCallFragments {
  readonly #drafts: Draft[] = [];
  readonly #byIndex = new Map<number, Draft>();
  readonly #byId = new Map<string, Draft>();

  /** The calls so far. Fragments that never got a name or arguments are none. */
  get drafts(): readonly ToolCallDraft[] {
    return this.#drafts.filter(({ name, text }) => name !== "" || text !== "");
  }

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
    const draft = this.#draftOf(indexOf(fragment.index), id, name, mayContinue);
    draft.id ||= id;
    if (id !== "") this.#byId.set(id, draft);
    draft.name ||= name;
    if (isRecord(fragment.extra_content)) draft.extra ??= fragment.extra_content;
    draft.grow(argumentsText(about.arguments));
  }

  #draftOf(index: number | undefined, id: string, name: string, mayContinue: boolean): Draft {
    const known = this.#knownDraft(index, id, name, mayContinue);
    if (known !== undefined) {
      if (index !== undefined && !this.#byIndex.has(index)) this.#byIndex.set(index, known);
      return known;
    }
    const draft = new Draft();
    this.#drafts.push(draft);
    if (index !== undefined) this.#byIndex.set(index, draft);
    return draft;
  }

  /** The call that a fragment continues; undefined if it begins one. */
  #knownDraft(index: number | undefined, id: string, name: string, mayContinue: boolean): Draft | undefined {
    const atIndex = index === undefined ? undefined : this.#byIndex.get(index);
    if (atIndex !== undefined) return continues(atIndex, id, name) ? atIndex : undefined;
    const withId = id === "" ? undefined : this.#byId.get(id);
    if (withId !== undefined) return name === "" || (mayContinue && !withId.isWhole()) ? withId : undefined;
    const last = this.#drafts.at(-1);
    if (last === undefined || !mayContinue) return undefined;
    // Arguments alone belong to the last call, whatever their index.
    if (id === "" && name === "") return last;
    if (index !== undefined) return undefined;
    return (id !== "" || name === "" || last.isUnfinished()) && continues(last, id, name) ? last : undefined;
  }
}

/** True if a fragment with that id and name continues the draft. */
function continues(draft: Draft, id: string, name: string): boolean {
  const hasOtherId = id !== "" && draft.id !== "" && id !== draft.id;
  if (id !== "" && id === draft.id) return true;
  if (name !== "" && draft.name !== "" && name !== draft.name) return false;
  if (name === "" || draft.name === "") return !hasOtherId || !draft.isWhole();
  return hasOtherId ? draft.isUnfinished() : !draft.isWhole();
}

/** Some servers write the index as text. */
function indexOf(value: unknown): number | undefined {
  const index = typeof value === "string" && value !== "" ? Number(value) : value;
  return typeof index === "number" && !Number.isNaN(index) ? index : undefined;
}

/**
 * A call that knows whether its arguments are a whole object. Each piece is looked at once, when it comes: a server that leaves the end in
 * doubt with every fragment must not make us look at all of them again.
 */
class Draft implements ToolCallDraft {
  id = "";
  name = "";
  text = "";
  extra: Record<string, unknown> | undefined;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #endsInBrace = false;

  grow(piece: string): void {
    this.text += piece;
    for (let at = 0; at < piece.length; at++) this.#look(piece.charCodeAt(at));
  }

  /** True if the arguments have begun and are an object that is closed. */
  isWhole(): boolean {
    return this.#depth === 0 && this.#endsInBrace;
  }

  isUnfinished(): boolean {
    return this.text !== "" && !this.isWhole();
  }

  #look(code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (this.#isInString && code === backslash) this.#isEscaped = true;
    else if (code === quote) this.#isInString = !this.#isInString;
    else if (!this.#isInString && code > blank) {
      if (code === openBrace) this.#depth++;
      if (code === closeBrace) this.#depth--;
      this.#endsInBrace = code === closeBrace;
    }
  }
}

const [blank, quote, backslash, openBrace, closeBrace] = [0x20, 0x22, 0x5c, 0x7b, 0x7d];
