import type { Work } from "../../kit/concurrency/others-turn.ts";
import type { WorkBudget } from "../../kit/concurrency/work-budget.ts";

/** One step of a path: a key, an index, or every item. */
type Step = string | number | typeof everything;
const everything = Symbol("every item");

/** The steps of a path, or what is wrong with it. */
export type JsonPath = { steps: readonly Step[] } | { problem: string };

const stepPattern =
  /\.([A-Za-z_][A-Za-z0-9_-]*)|\[(0|[1-9][0-9]{0,6})\]|\["((?:[^"\\]|\\.)*)"\]|(\.\*|\[\*\])/y;
const stepsMax = 32;
/** Largest number of values that `*` may reach, so that a path over nested lists ends. */
const valuesMax = 10_000;

/** Reads `$.items[0]["first name"].price`; `*` in place of a key or index is every value there. */
export function readJsonPath(text: string): JsonPath {
  if (!text.startsWith("$")) return { problem: "must start with `$`, such as `$.items[0].name`" };
  const steps: Step[] = [];
  stepPattern.lastIndex = 1;
  while (stepPattern.lastIndex < text.length) {
    const at = stepPattern.lastIndex;
    const [, key, index, quotedKey, star] = stepPattern.exec(text) ?? [];
    if (key !== undefined) steps.push(key);
    else if (index !== undefined) steps.push(Number(index));
    else if (quotedKey !== undefined) {
      const name = readKey(quotedKey);
      if (name === undefined)
        return { problem: `has a key at character ${at + 1} that is not a JSON string` };
      steps.push(name);
    } else if (star !== undefined) steps.push(everything);
    else
      return {
        problem: `can't be read at character ${at + 1}; use \`.key\`, \`[0]\`, \`["key"]\` or \`[*]\``,
      };
    if (steps.length > stepsMax) return { problem: `may have at most ${stepsMax} steps` };
  }
  return { steps };
}

const stepsOfValue = 10;

/** Returns the values at a path, in order. */
export function* valuesAt(root: unknown, steps: readonly Step[], work: WorkBudget): Work<unknown[]> {
  let values: unknown[] = [root];
  for (const step of steps) {
    const next: unknown[] = [];
    for (const value of values) {
      const innerValues = inside(value, step);
      if (work.spend((1 + innerValues.length) * stepsOfValue)) yield;
      for (const one of innerValues) if (next.length < valuesMax) next.push(one);
      if (next.length >= valuesMax) break;
    }
    values = next;
  }
  return values;
}

function inside(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  if (step === everything) return Object.values(value);
  if (Array.isArray(value)) return typeof step === "number" && step < value.length ? [value[step]] : [];
  const key = String(step);
  return Object.hasOwn(value, key) ? [(value as Record<string, unknown>)[key]] : [];
}

function readKey(quoted: string): string | undefined {
  try {
    return JSON.parse(`"${quoted}"`) as string;
  } catch {
    return undefined;
  }
}
