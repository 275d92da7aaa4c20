import type { ToolSpec } from "../../model.ts";
import { type Filled, fillArguments } from "./fill-arguments.ts";
import { findTimeZones } from "./places.ts";
import { readFacts } from "./query-facts.ts";
import { hasKin, isWeak, stemsOf, wordsOf } from "./words.ts";

/** A tool that a query asks for, with the arguments that the query contains. */
export interface Choice {
  tool: ToolSpec;
  filled: Filled;
}

const choicesMax = 3;

/*
 * Minimum score of a tool for a clause. Each meaningful word of the clause counts by where the tool has it too. Words used as particular
 * arguments (a zone, an address, a number) count as explained, and unexplained words lower the score: sum / √(number of words). One word of
 * the description suffices for a bare question ("What time is it?"), but not in small talk ("I had a great time with them").
 */
const threshold = 1;
const weight = { name: 3, kin: 1.2, description: 1, parameter: 0.8, evidence: 1, weak: 0.4 };

/** The tools that `query` asks for, best first; none for small talk. Each clause of the query has its own best tool. */
export function chooseTools(query: string, tools: readonly ToolSpec[]): Choice[] {
  const parts = clausesOf(query);
  const chosen = new Map<ToolSpec, { score: number; clause: string }>();
  for (const clause of parts) {
    const best = bestTool(clause, tools);
    if (best && best.score > (chosen.get(best.tool)?.score ?? 0))
      chosen.set(best.tool, { score: best.score, clause });
  }
  const ranked = [...chosen].sort(([, a], [, b]) => b.score - a.score).slice(0, choicesMax);
  const [only] = ranked;
  if (ranked.length === 1 && only) return perTimeZone(only[0], query);
  return ranked.map(([tool, { clause }]) => ({ tool, filled: fillFrom(tool, clause, query) }));
}

/** The whole text and its clauses. */
function clausesOf(query: string): string[] {
  const text = query.slice(0, 4000);
  const parts = partsOf(text);
  return parts.length > 1 ? [text, ...parts] : [text];
}

/** Clauses between punctuation marks, "and" and "then". */
export function partsOf(query: string): string[] {
  return query
    .slice(0, 4000)
    .split(/[;?!]|\.(?=\s|$)|,(?=\s)|\b(?:and|then|y)\b/i)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .slice(0, 20);
}

function bestTool(clause: string, tools: readonly ToolSpec[]): { tool: ToolSpec; score: number } | undefined {
  let best: { tool: ToolSpec; score: number } | undefined;
  for (const tool of tools) {
    const score = fitOf(clause, tool);
    if (score >= threshold && score > (best?.score ?? 0)) best = { tool, score };
  }
  return best;
}

function fitOf(clause: string, tool: ToolSpec): number {
  if (names(clause, tool)) return Number.MAX_SAFE_INTEGER;
  const words = stemsOf(clause);
  if (words.size === 0) return 0;
  const name = stemsOf(tool.name);
  const description = stemsOf(tool.description);
  const parameters = stemsOf(JSON.stringify(tool.parameters.properties ?? {}));
  const { evidence, telling } = fillArguments(tool.parameters, readFacts(clause));
  let sum = 0;
  let named = 0;
  for (const word of words) {
    const found =
      (name.has(word) && weight.name) ||
      (hasKin(word, name) && weight.kin) ||
      (description.has(word) && weight.description) ||
      (evidence.has(word) && weight.evidence) ||
      (parameters.has(word) && weight.parameter) ||
      0;
    sum += isWeak(word) ? Math.min(found, weight.weak) : found;
    if (found >= weight.description && !evidence.has(word)) named++;
  }
  // Arguments alone select no tool, because a number or a city may occur in any sentence. The exception is a clause that consists only of
  // telling arguments.
  if (named === 0) return telling && evidence.isSupersetOf(words) ? threshold : 0;
  const counted = [...words].filter((word) => !isWeak(word)).length;
  return sum / Math.sqrt(Math.max(1, counted));
}

/** Returns true if the clause contains the tool's full name. */
function names(clause: string, tool: ToolSpec): boolean {
  const name = wordsOf(tool.name);
  return name.length > 1 && wordsOf(clause).join(" ").includes(name.join(" "));
}

/** Arguments from the tool's own clause; missing ones come from the whole query. */
function fillFrom(tool: ToolSpec, clause: string, query: string): Filled {
  const own = fillArguments(tool.parameters, readFacts(clause));
  const whole = fillArguments(tool.parameters, readFacts(query));
  return {
    input: { ...whole.input, ...own.input },
    missing: own.missing.filter((name) => whole.missing.includes(name)),
    evidence: own.evidence,
    telling: own.telling,
  };
}

/** One call, or one for each zone when the tool takes a time zone and the query names several. */
function perTimeZone(tool: ToolSpec, query: string): Choice[] {
  const filled = fillArguments(tool.parameters, readFacts(query));
  const zones = findTimeZones(query);
  const property = Object.keys(filled.input).find((name) => filled.input[name] === zones[0]?.zone);
  if (property === undefined) return [{ tool, filled }];
  return zones.slice(0, choicesMax).map(({ zone }) => ({
    tool,
    filled: { ...filled, input: { ...filled.input, [property]: zone } },
  }));
}
