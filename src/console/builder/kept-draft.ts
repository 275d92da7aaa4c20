import type { Tagged } from "../../contracts/tagged.ts";
import { draftPrefix as prefix } from "../api/draft-shelf.ts";

/** A manifest that was changed and not saved, with the version that the change began with. */
export interface KeptDraft {
  text: string;
  base: Tagged<string>;
  /** ISO 8601. */
  at: string;
}

/** The drafts that a browser keeps: they outlive the page and end with the session. */
export type DraftStore = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Returns the draft of an address, if it is of this form. */
export function readDraft(store: DraftStore, name: string): KeptDraft | undefined {
  const text = store.getItem(prefix + name);
  if (text === null) return undefined;
  try {
    const draft = JSON.parse(text) as Partial<KeptDraft>;
    const isDraft =
      typeof draft.text === "string" && typeof draft.base?.value === "string" && typeof draft.at === "string";
    return isDraft ? (draft as KeptDraft) : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a draft. Returns false if the browser has no room for it. */
export function keepDraft(store: DraftStore, name: string, draft: KeptDraft): boolean {
  try {
    store.setItem(prefix + name, JSON.stringify(draft));
    return true;
  } catch {
    store.removeItem(prefix + name);
    return false;
  }
}

export const forgetDraft = (store: DraftStore, name: string): void => store.removeItem(prefix + name);
