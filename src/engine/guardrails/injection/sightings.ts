import type { Work } from "../../../kit/concurrency/others-turn.ts";
import { scanText } from "../scanner.ts";
import type { TextBudget } from "../text-budget.ts";
import { phraseScanner } from "../words/phrase-scanner.ts";
import { spacedLetters } from "./hidden-writing.ts";
import { attackWords, compactWords, type Role, roles } from "./lexicon.ts";

/** A word of an attack and its position in a text. */
export interface Sighting {
  role: Role;
  start: number;
  end: number;
  /** True if it is written in a way that hides it from readers. */
  isDisguised: boolean;
}

const roleOf = new Map<string, Role>(
  roles.flatMap((role) => [
    [role, role],
    [`${role}~`, role],
  ]),
);

/** Words of attacks in a text, in order. */
export function* sightings(text: string, budget: TextBudget): Work<Sighting[]> {
  const list: Sighting[] = [];
  const scanner = phraseScanner(attackWords(), (start, end, _at, label) => {
    const role = roleOf.get(label);
    if (role !== undefined) list.push({ role, start, end, isDisguised: label.endsWith("~") });
  });
  yield* scanText([scanner], text, budget);
  const all = list.concat(yield* spacedSightings(text, budget));
  return all.sort((a, b) => a.start - b.start);
}

const compactForms = compactWords.flatMap(({ text, role }) =>
  [text, [...text].reverse().join("")].map((form) => ({ form, role })),
);

/** Words in spaced letters. Their positions say nothing about distances. */
function* spacedSightings(text: string, budget: TextBudget): Work<Sighting[]> {
  const list: Sighting[] = [];
  if (budget.spend(text.length)) yield;
  for (const { letters, start } of spacedLetters(text)) {
    if (budget.spend(compactForms.length * (3 + letters.length / 10))) yield;
    for (const { form, role } of compactForms) {
      if (letters.includes(form)) list.push({ role, start, end: start + 1, isDisguised: true });
    }
  }
  return list;
}
