import { useCallback, useState } from "react";
import type { Tagged } from "../../contracts/tagged.ts";
import { forgetDraft, keepDraft, readDraft } from "./kept-draft.ts";

/** A manifest's text over the version that it began with, kept by the browser until it is saved. */
export interface Draft {
  text: string;
  base: Tagged<string>;
  isDirty: boolean;
  /** Time of the last change, if the draft was kept before the page was opened. */
  restoredAt: string | undefined;
  /** False if the browser could not keep it. */
  isKept: boolean;
  setText: (text: string) => void;
  /** Ends the draft: what is stored is shown again. */
  end: () => void;
}

/** `begun`: a text that the page itself begins with, which wins over a kept one. */
export function useDraft(name: string, initial: Tagged<string>, begun: string = initial.value): Draft {
  const [state, setState] = useState(() => {
    if (begun !== initial.value)
      return { draft: { text: begun, base: initial }, restoredAt: undefined, isKept: true };
    const kept = readDraft(localStorage, name);
    const isOld = kept === undefined || kept.text === initial.value;
    return isOld
      ? { draft: undefined, restoredAt: undefined, isKept: true }
      : { draft: { text: kept.text, base: kept.base }, restoredAt: kept.at, isKept: true };
  });
  // A draft keeps the version that it began with, even if a newer one is read meanwhile.
  const base = state.draft?.base ?? initial;
  const text = state.draft?.text ?? initial.value;
  const end = useCallback(() => {
    forgetDraft(localStorage, name);
    setState({ draft: undefined, restoredAt: undefined, isKept: true });
  }, [name]);
  const setText = useCallback(
    (next: string) => {
      if (next === base.value) return end();
      const isKept = keepDraft(localStorage, name, { text: next, base, at: new Date().toISOString() });
      setState(({ restoredAt }) => ({ draft: { text: next, base }, restoredAt, isKept }));
    },
    [name, base, end],
  );
  return { text, base, isDirty: text !== base.value, setText, end, ...state };
}
