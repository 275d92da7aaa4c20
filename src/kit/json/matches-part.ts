import type { Work } from "../concurrency/others-turn.ts";

const stepsOfValue = 20;

/**
 * Returns true if a JSON value has everything that `part` has: mappings may have more keys, and lists and other values must be equal. Item
 * by item, mappings in lists may have more keys too. `spend` counts steps and returns true for a pause.
 */
export function* matchesPart(
  part: unknown,
  value: unknown,
  spend: (steps: number) => boolean,
): Work<boolean> {
  if (spend(stepsOfValue)) yield;
  if (typeof part !== "object" || part === null) return Object.is(part, value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(part) || Array.isArray(value)) {
    if (!Array.isArray(part) || !Array.isArray(value) || part.length !== value.length) return false;
    for (const [index, item] of part.entries())
      if (!(yield* matchesPart(item, value[index], spend))) return false;
    return true;
  }
  const entries = Object.entries(part);
  if (spend(entries.length * stepsOfValue)) yield;
  for (const [key, item] of entries) {
    if (!Object.hasOwn(value, key)) return false;
    if (!(yield* matchesPart(item, (value as Record<string, unknown>)[key], spend))) return false;
  }
  return true;
}
