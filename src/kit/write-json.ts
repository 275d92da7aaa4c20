import { countSteps, type Work } from "./concurrency/others-turn.ts";

/** Levels of arrays and objects whose parts are written one by one. */
const levelsInPieces = 3;
const stepsPerCharacter = 1;
/** A part takes about 150 ns besides its text. */
const stepsPerPart = 15;

/** The text of a JSON value as `JSON.stringify` writes it, as work in pieces: for a large value of many parts. */
export function* writeJson(value: unknown, levels = levelsInPieces): Work<string> {
  if (levels === 0 || typeof value !== "object" || value === null) {
    const text = JSON.stringify(value) ?? "null";
    if (countSteps(stepsPerPart + text.length * stepsPerCharacter)) yield;
    return text;
  }
  const parts: string[] = [];
  if (Array.isArray(value)) {
    for (const item of value) parts.push(yield* writeJson(item, levels - 1));
    return `[${parts.join(",")}]`;
  }
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    parts.push(`${JSON.stringify(key)}:${yield* writeJson(item, levels - 1)}`);
  }
  return `{${parts.join(",")}}`;
}
