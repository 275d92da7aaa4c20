import { type FoundJson, findJson } from "../../engine/structured/find-json.ts";
import type { Work } from "../../kit/concurrency/others-turn.ts";
import { createWorkBudget, type WorkBudget } from "../../kit/concurrency/work-budget.ts";
import { normalized } from "../../kit/text/normalize.ts";
import type { Observation } from "./observation.ts";

/** Most steps of all checks of one case, its turns included: about a second of one core. */
export const caseStepsMax = 50_000_000;

/** Characters of a text that are read in one piece. */
const windowChars = 65_536;
/** A piece ends before a character that belongs to none before it, if there is one among so many. */
const lookAheadChars = 4096;
const stepsOfFolding = 4;
const stepsOfReadingJson = 2;

/** The allowance that all checks of a case draw from, and what they share about its answers. */
export interface CaseWork extends WorkBudget {
  /** The answer for comparing: one Unicode form, in lower case. */
  folded(seen: Observation): Work<string>;
  /** The data of a structured answer, or the JSON in its text. */
  json(seen: Observation): Work<FoundJson>;
}

export function createCaseWork(stepsMax = caseStepsMax): CaseWork {
  const budget = createWorkBudget(stepsMax);
  const texts = new WeakMap<Observation, string>();
  const values = new WeakMap<Observation, FoundJson>();
  return {
    spend: (steps) => budget.spend(steps),
    *folded(seen) {
      const known = texts.get(seen);
      if (known !== undefined) return known;
      const text = yield* foldText(seen.response, budget);
      texts.set(seen, text);
      return text;
    },
    *json(seen) {
      const { data, response } = seen;
      if (data !== undefined && data !== null) return { value: data };
      const known = values.get(seen);
      if (known !== undefined) return known;
      if (budget.spend(response.length * stepsOfReadingJson)) yield;
      const json = yield* findJson(response);
      values.set(seen, json);
      return json;
    },
  };
}

/** Folds a text for comparing, in pieces. */
export function* foldText(text: string, budget: WorkBudget): Work<string> {
  let folded = "";
  for (let at = 0; at < text.length; ) {
    const end = pieceEnd(text, at);
    if (budget.spend((end - at) * stepsOfFolding)) yield;
    folded += normalized(text.slice(at, end), "NFC").toLowerCase().replaceAll("ς", "σ");
    at = end;
  }
  return folded;
}

/** Returns true if a text has a part. */
export function* includesText(text: string, part: string, budget: WorkBudget): Work<boolean> {
  for (let at = 0; at === 0 || at < text.length; at += windowChars) {
    const piece = text.slice(at, at + windowChars + part.length - 1);
    if (budget.spend(piece.length / 16 + (piece.length * part.length) / 512)) yield;
    if (piece.includes(part)) return true;
  }
  return false;
}

function pieceEnd(text: string, from: number): number {
  const end = from + windowChars;
  if (end >= text.length) return text.length;
  // No character below U+0300 combines with one before it.
  for (let at = end; at < end + lookAheadChars && at < text.length; at++)
    if (text.charCodeAt(at) < 0x300) return at;
  return end;
}
