import { countSteps, type Work } from "../../../../kit/concurrency/others-turn.ts";
import type { ToolSpec } from "../../model.ts";
import { type Filled, fillArguments } from "./fill-arguments.ts";
import { findTimeZones } from "./places.ts";
import { readFacts } from "./query-facts.ts";
import { hasKin, isWeak, stem, stemsOf, wordsOf } from "./words.ts";

/** A tool that a query asks for, with the arguments that the query contains. */
export interface RehearsedChoice {
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

/** Maximum pairs of a clause and a tool that are compared. */
const pairsMax = 640;
/** A pair takes 30 µs, and 10 µs for each property of the tool. */
const stepsPerPair = 3000;
const stepsPerProperty = 1000;
/** Reading a tool's texts or a clause takes up to 500 µs. */
const stepsPerText = 40_000;

/** Longer queries are read up to here. */
const queryCharsMax = 4000;

/** The tools that `query` asks for, best first; none for small talk. Each clause of the query has its own best tool. */
export function* chooseTools(whole: string, tools: readonly ToolSpec[]): Work<RehearsedChoice[]> {
  const query = whole.slice(0, queryCharsMax);
  const clausesMax = Math.max(4, Math.floor(pairsMax / Math.max(1, tools.length)));
  const parts = clausesOf(query).slice(0, clausesMax);
  const known: KnownTool[] = [];
  for (const tool of tools) {
    known.push(wordsOfTool(tool));
    if (countSteps(stepsPerText)) yield;
  }
  const chosen = new Map<ToolSpec, { score: number; clause: string }>();
  for (const clause of parts) {
    const best = yield* bestTool(clause, known);
    if (best && best.score > (chosen.get(best.tool)?.score ?? 0))
      chosen.set(best.tool, { score: best.score, clause });
  }
  const ranked = [...chosen].sort(([, a], [, b]) => b.score - a.score).slice(0, choicesMax);
  const [only] = ranked;
  if (ranked.length === 1 && only) return perNamed(only[0], query);
  return ranked.map(([tool, { clause }]) => ({ tool, filled: fillFrom(tool, clause, query) }));
}

const question =
  /\?|^\P{L}*(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|may|must|should|will|explain|tell me|qu[eé]|cu[aá]l|qui[eé]n|cu[aá]ndo|d[oó]nde|c[oó]mo)(?!\p{L})/iu;
const searches = new Set(["search", "find", "look", "retrieve"].map(stem));
const documents = new Set(["document", "passage", "knowledge"].map(stem));

/** Returns true for a question that is about something. */
export function isQuestion(whole: string): boolean {
  const query = whole.slice(0, queryCharsMax);
  return question.test(query) && [...stemsOf(query)].some((word) => !isWeak(word));
}

/**
 * The tools that search documents, for a question that asks for no tool: a reader expects an answer from them. None for small talk, and none
 * that needs more than the question.
 */
export function* chooseSearches(whole: string, tools: readonly ToolSpec[]): Work<RehearsedChoice[]> {
  const query = whole.slice(0, queryCharsMax);
  if (!isQuestion(query)) return [];
  const chosen = new Map<string, RehearsedChoice>();
  for (const tool of tools) {
    if (chosen.size === choicesMax) break;
    const words = stemsOf(`${tool.name} ${tool.description}`.slice(0, toolCharsMax));
    if (!words.isDisjointFrom(searches) && !words.isDisjointFrom(documents)) {
      const filled = fillArguments(tool.parameters, readFacts(query));
      if (filled.missing.length === 0) chosen.set(tool.name, { tool, filled });
    }
    if (countSteps(stepsPerText)) yield;
  }
  return [...chosen.values()];
}

/** The whole text and its clauses. */
function clausesOf(query: string): string[] {
  const parts = partsOf(query);
  return parts.length > 1 ? [query, ...parts] : [query];
}

/** Clauses between punctuation marks, "and" and "then". */
export function partsOf(query: string): string[] {
  return query
    .slice(0, queryCharsMax)
    .split(/[;?!]|\.(?=\s|$)|,(?=\s)|\b(?:and|then|y)\b/i)
    .map((part) => part.trim())
    .filter((part) => part !== "")
    .slice(0, 20);
}

/** A tool with the stems of its texts, which are read once for all clauses. */
interface KnownTool {
  tool: ToolSpec;
  fullName: readonly string[];
  name: Set<string>;
  description: Set<string>;
  parameters: Set<string>;
  properties: number;
}

/** Longer texts of a tool are read up to here: there may be 128 tools, and their sender chooses the texts. */
const toolCharsMax = 2000;

function wordsOfTool(tool: ToolSpec): KnownTool {
  const stems = (text: string) => stemsOf(text.slice(0, toolCharsMax));
  const properties = Object.entries(tool.parameters.properties ?? {});
  return {
    tool,
    fullName: wordsOf(tool.name),
    name: stems(tool.name),
    description: stems(tool.description),
    parameters: stems(textOfProperties(properties)),
    properties: properties.length,
  };
}

/** Names and schemas as text, which ends where it is long enough. */
function textOfProperties(properties: readonly [string, unknown][]): string {
  let text = "";
  for (const [name, schema] of properties) {
    if (text.length >= toolCharsMax) break;
    text += `${name} ${JSON.stringify(schema)} `;
  }
  return text;
}

function* bestTool(
  clause: string,
  tools: readonly KnownTool[],
): Work<{ tool: ToolSpec; score: number } | undefined> {
  const read = { said: wordsOf(clause).join(" "), words: stemsOf(clause), facts: readFacts(clause) };
  let best: { tool: ToolSpec; score: number } | undefined;
  for (const known of tools) {
    const score = fitOf(read, known);
    if (score >= threshold && score > (best?.score ?? 0)) best = { tool: known.tool, score };
    if (countSteps(stepsPerPair + known.properties * stepsPerProperty)) yield;
  }
  return best;
}

interface ReadClause {
  said: string;
  words: Set<string>;
  facts: ReturnType<typeof readFacts>;
}

function fitOf(
  { said, words, facts }: ReadClause,
  { tool, fullName, name, description, parameters }: KnownTool,
): number {
  // The clause contains the tool's full name.
  if (fullName.length > 1 && said.includes(fullName.join(" "))) return Number.MAX_SAFE_INTEGER;
  if (words.size === 0) return 0;
  const { evidence, telling } = fillArguments(tool.parameters, facts);
  let sum = 0;
  let named = 0;
  for (const word of words) {
    const weightOfWord =
      (name.has(word) && weight.name) ||
      (hasKin(word, name) && weight.kin) ||
      (description.has(word) && weight.description) ||
      (evidence.has(word) && weight.evidence) ||
      (parameters.has(word) && weight.parameter) ||
      0;
    sum += isWeak(word) ? Math.min(weightOfWord, weight.weak) : weightOfWord;
    if (weightOfWord >= weight.description && !evidence.has(word)) named++;
  }
  // Arguments alone select no tool, because a number or a city may occur in any sentence. The exception is a clause that consists only of
  // telling arguments.
  if (named === 0) return telling && evidence.isSupersetOf(words) ? threshold : 0;
  const counted = [...words].filter((word) => !isWeak(word)).length;
  return sum / Math.sqrt(Math.max(1, counted));
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

/** One call, or one for each time zone or code when the tool takes one and the query names several. */
function perNamed(tool: ToolSpec, query: string): RehearsedChoice[] {
  const facts = readFacts(query);
  const filled = fillArguments(tool.parameters, facts);
  const zones = findTimeZones(query).map(({ zone }) => zone);
  for (const named of [zones, facts.codes]) {
    const property = Object.keys(filled.input).find((name) => filled.input[name] === named[0]);
    if (named.length > 0 && property !== undefined)
      return [...new Set(named)].slice(0, choicesMax).map((value) => ({
        tool,
        filled: { ...filled, input: { ...filled.input, [property]: value } },
      }));
  }
  return [{ tool, filled }];
}
