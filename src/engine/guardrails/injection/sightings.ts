import { phraseScanner } from "../words/phrase-scanner.ts";
import { spacedLetters } from "./hidden-writing.ts";
import { attackWords, compactWords, type Role, roles } from "./lexicon.ts";

/** A word of an attack where it stands in a text. */
export interface Sighting {
  role: Role;
  start: number;
  end: number;
  /** Whether it is written so that readers pass over it. */
  isDisguised: boolean;
}

const roleOf = new Map<string, Role>(
  roles.flatMap((role) => [
    [role, role],
    [`${role}~`, role],
  ]),
);

/** The words of attacks in a text, in order. */
export function sightings(text: string): Sighting[] {
  const found: Sighting[] = [];
  const scanner = phraseScanner(attackWords, (start, end, _at, label) => {
    const role = roleOf.get(label);
    if (role !== undefined) found.push({ role, start, end, isDisguised: label.endsWith("~") });
  });
  scanner.read(text);
  scanner.end();
  return found.concat(spacedSightings(text)).sort((a, b) => a.start - b.start);
}

/** Words whose letters stand apart; how far they are from each other says nothing then. */
function spacedSightings(text: string): Sighting[] {
  return spacedLetters(text).flatMap(({ letters, start }) =>
    compactWords.flatMap(({ text: word, role }) =>
      [word, [...word].reverse().join("")].some((form) => letters.includes(form))
        ? [{ role, start, end: start + 1, isDisguised: true }]
        : [],
    ),
  );
}
