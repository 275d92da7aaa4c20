import { formatInstant, formatPercent } from "../../parts/format.ts";
import { recallTexts as texts } from "../../texts/studio-parts.ts";

/** A remembered text, from a list or a search. */
export interface ShownText {
  id?: string;
  text: string;
  metadata: Record<string, unknown>;
  score?: number;
  source?: string;
}

/** Returns the facts below a remembered text: its similarity to the question, its speaker, session and time. */
export function textFacts({ score, metadata }: ShownText): { session?: string; facts: string[] } {
  const read = (key: string) => {
    const value = metadata[key];
    return typeof value === "string" && value !== "" ? value : undefined;
  };
  const facts: string[] = [];
  if (score !== undefined) facts.push(texts.score(formatPercent(score)));
  for (const key of ["role", "user", "source"] as const) {
    const value = read(key);
    if (value !== undefined) facts.push(`${texts.facts[key]}: ${value}`);
  }
  const { piece, pieces } = metadata;
  if (typeof piece === "number" && typeof pieces === "number") {
    facts.push(`${texts.facts.piece} ${piece} / ${pieces}`);
  }
  const timestamp = read("timestamp");
  if (timestamp !== undefined && !Number.isNaN(Date.parse(timestamp))) facts.push(formatInstant(timestamp));
  const session = read("session_id");
  return { facts, ...(session === undefined ? {} : { session }) };
}
