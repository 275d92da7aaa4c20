import { type RunTurn, turnBytesMax } from "../../contracts/daemon/runs/turns.ts";
import type { Problem } from "../../kit/app-error.ts";

const queryBytesMax = 256 * 1024;
const contextBytesMax = 64 * 1024;

/** Returns the problem of a run's query that is too long. */
export const queryProblem = (query: string): Problem | undefined =>
  sizeProblem("query", query, queryBytesMax);

/** Returns the problem of a run's context: a key that is reserved for the platform, or too large a value. */
export function contextProblem(context: Record<string, unknown>): Problem | undefined {
  const keys = Object.keys(context);
  if (keys.length === 0) return undefined;
  const reserved = keys.find((key) => key.startsWith("_"));
  if (reserved !== undefined) {
    return { path: `context.${reserved}`, message: "is reserved: keys may not start with `_`" };
  }
  return sizeProblem("context", JSON.stringify(context), contextBytesMax);
}

/** Returns the problem of the turns that a caller tells: too many bytes, a time that is none, or a blank text. */
export function turnsProblem(turns: readonly RunTurn[] | undefined): Problem | undefined {
  if (turns === undefined || turns.length === 0) return undefined;
  for (const [index, { at, content }] of turns.entries()) {
    if (Number.isNaN(Date.parse(at)))
      return { path: `turns.${index}.at`, message: "must be an ISO 8601 time" };
    if (content.trim() === "") return { path: `turns.${index}.content`, message: "must not be blank" };
  }
  return sizeProblem("turns", JSON.stringify(turns), turnBytesMax);
}

function sizeProblem(path: string, text: string, bytesMax: number): Problem | undefined {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= bytesMax || Buffer.byteLength(text) <= bytesMax) return undefined;
  return { path, message: `must be at most ${bytesMax / 1024} KiB` };
}
