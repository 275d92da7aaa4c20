import { countSteps, type Work } from "../../../../kit/concurrency/others-turn.ts";
import type { Message, ModelRequest, ToolSpec } from "../../model.ts";
import { onlyChosen } from "../wire/request-parts.ts";
import { chooseSearches, chooseTools, isQuestion, partsOf, type RehearsedChoice } from "./choose-tools.ts";
import { describeResult } from "./describe-result.ts";
import { type Phrases, usualPhrases } from "./phrases.ts";
import { type Instruction, readInstruction } from "./read-instruction.ts";
import { fittingPassages, quotePassage, type ShownPassage, takePassages } from "./read-passages.ts";
import { readStyle, type Style, styled } from "./read-style.ts";
import { sampleValue } from "./sample-value.ts";
import { stemsOf } from "./words.ts";

/** The answer of the rehearsal or the calls it requests; never both. */
export interface Rehearsed {
  text: string;
  calls: { tool: string; input: Record<string, unknown> }[];
}

const note = "(Rehearsal: put together by rules, without a model.)";
const listItemsMax = 4;
/** Longer messages are compared by their start. */
const recalledCharsMax = 4000;
const stepsPerCharacter = 20;

/**
 * The next step of a conversation by fixed rules. First it calls all tools that the last user message asks for, or those that search
 * documents if it is a question that asks for none; a question about the agent's documents is answered by quoting their passages. After
 * results of tools it answers with a sentence made of them. No tool is called twice in the same turn. If the message ends with an
 * instruction, it follows that. If the answer has a schema, it is the smallest JSON for that schema. Of the system prompt it follows what
 * `readStyle` understands.
 */
export function* rehearse(request: ModelRequest): Work<Rehearsed> {
  const instructions = readTold(request.messages);
  const step = yield* nextStep(request, instructions);
  if (request.answerSchema === undefined || step.calls.length > 0) return step;
  const value = sampleValue(request.answerSchema.schema, withoutNote(step.text));
  return { text: JSON.stringify(value), calls: [] };
}

/** What the messages say, besides results of tools. */
interface Told {
  /** The user's last message, and its place. */
  said: string;
  at: number;
  passages: readonly ShownPassage[];
  style: Style;
  /** An answer in the style of the prompt, with the note that it is a rehearsal. */
  say(text: string): Rehearsed;
}

function readTold(messages: readonly Message[]): Told {
  const at = messages.findLastIndex((message) => message.role === "user");
  const [first] = messages;
  const system = takePassages(first?.role === "system" ? first.content : "");
  const last = takePassages(messages[at]?.content ?? "");
  const style = readStyle(system.rest);
  return {
    said: last.rest,
    at,
    passages: [...system.passages, ...last.passages],
    style,
    say: (text) => ({ text: `${styled(text, style)} ${note}`, calls: [] }),
  };
}

function* nextStep(request: ModelRequest, instructions: Told): Work<Rehearsed> {
  const { said, at, style, say } = instructions;
  const answered = request.messages.slice(at + 1).filter((message) => message.role === "tool");
  const results = sinceHandOff(answered);
  if (results.length > 0) {
    const described = results.map(({ name, content }) =>
      describeResult(name, withoutNote(content), style.phrases),
    );
    return say(described.join(" "));
  }
  const { toolChoice } = request;
  if (toolChoice === "required" || typeof toolChoice === "object")
    return yield* callOf(said, onlyChosen(request));
  const called = new Set(answered.map(({ name }) => name));
  const tools = toolChoice === "auto" ? request.tools.filter(({ name }) => !called.has(name)) : [];
  const earlier = earlierQueries(request.messages.slice(0, Math.max(at, 0)));
  const instruction = readInstruction(said);
  const known = { earlier, tools, all: request.tools };
  return instruction === undefined
    ? yield* converse(said, known, instructions)
    : yield* follow(instruction, known, instructions);
}

/** What a conversation has besides its last message. */
interface Known {
  earlier: readonly string[];
  /** Tools that may be called now. */
  tools: readonly ToolSpec[];
  all: readonly ToolSpec[];
}

/** A call that the request demands: of the best tool, with sample arguments for those that the text lacks. */
function* callOf(said: string, tools: readonly ToolSpec[]): Work<Rehearsed> {
  const [best] = yield* chooseTools(said, tools);
  const tool = best?.tool ?? tools[0];
  if (tool === undefined) return { text: `There is no tool to call. ${note}`, calls: [] };
  const input = { ...(sampleValue(tool.parameters, said) as object), ...best?.filled.input };
  return { text: "", calls: [{ tool: tool.name, input }] };
}

/** Results since the conversation was handed over to this agent. */
function sinceHandOff<Result extends { content: string }>(results: readonly Result[]): Result[] {
  return results.slice(results.findLastIndex(({ content }) => content.startsWith('{"handed_over_to":')) + 1);
}

function* converse(query: string, { earlier, tools, all }: Known, instructions: Told): Work<Rehearsed> {
  const { say, passages } = instructions;
  const { phrases } = instructions.style;
  if (asksForRecall(query)) return say(yield* recall(query, earlier, phrases));
  const choices = yield* chooseTools(query, tools);
  const ready = choices.filter(({ filled }) => filled.missing.length === 0);
  if (ready.length > 0) return callsOf(ready);
  const [unready] = choices;
  if (unready) return say(askFor(unready, phrases));
  if (mayAskForRecall(query)) return say(yield* recall(query, earlier, phrases));
  const searches = yield* chooseSearches(query, tools);
  if (searches.length > 0) return callsOf(searches);
  const { fits, shown } = fittingPassages(query, passages);
  if (shown.length === 0 || !(fits || isQuestion(query))) return say(smallTalk(query, all, phrases));
  const quotes = shown.map(quotePassage);
  return say(fits ? phrases.passages(quotes.join("; ")) : phrases.nearest(quotes.join("; ")));
}

const callsOf = (choices: readonly RehearsedChoice[]): Rehearsed => ({
  text: "",
  calls: choices.map(({ tool, filled }) => ({ tool: tool.name, input: filled.input })),
});

/**
 * Follows an instruction: a requested list contains the clauses of the request, results are repeated, and a task is carried out or the
 * request confirmed.
 */
function* follow(
  { request, task, results, listKey, usesTools }: Instruction,
  known: Known,
  instructions: Told,
): Work<Rehearsed> {
  if (listKey !== undefined) {
    const parts = partsOf(request).slice(0, listItemsMax);
    return { text: JSON.stringify({ [listKey]: parts }), calls: [] };
  }
  if (usesTools) return yield* converse(task ?? request, known, instructions);
  if (results.length === 0) return instructions.say(instructions.style.phrases.request(quoted(request)));
  return instructions.say(results.map(withoutNote).join("\n\n"));
}

/** Removes the note of another rehearsal, because this one adds its own. */
function withoutNote(text: string): string {
  return text.replaceAll(note, "").trim();
}

function earlierQueries(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === "user" ? takePassages(message.content).rest : []));
}

function askFor({ tool, filled }: RehearsedChoice, phrases: Phrases): string {
  return phrases.missing(
    tool.name,
    filled.missing.map((name) => `\`${name}\``),
  );
}

function smallTalk(query: string, tools: readonly ToolSpec[], phrases: Phrases): string {
  const heard = query === "" ? phrases.heardNothing : phrases.said(quoted(query));
  if (tools.length === 0) return `${heard} ${phrases.noTools}`;
  return `${heard} ${phrases.noToolMeant(tools.map((tool) => tool.name).join(", "))}`;
}

function quoted(text: string): string {
  return `“${text.length > 200 ? `${text.slice(0, 200)}…` : text}”`;
}

const asksForEarlier =
  /\b(?:did|have) i (?:just )?(?:say|said|ask|asked|tell|told|write|written|mention|mentioned)\b|\bi (?:said|asked|told|mentioned|wrote)\b.{0,80}\b(?:earlier|before|previously|last)\b|\bdo you (?:still )?(?:remember|recall)\b|\bmy (?:first|last|previous|earlier) (?:message|question|words)\b|\bwhat (?:was|were) (?:i|we) (?:saying|talking|asking)\b/i;
const asksForOwn = /^\W*(?:what|which|who|where|when)(?:'s| is| are| was| were)? my\b/i;

/** Returns true if the query asks for something said before. */
export function asksForRecall(query: string): boolean {
  return asksForEarlier.test(query);
}

/** Returns true if the query asks for something about the user, who may have said it before. */
export function mayAskForRecall(query: string): boolean {
  return asksForOwn.test(query);
}

/** The earlier user message that shares the most words with the query, else the latest one. */
export function* recall(
  query: string,
  earlier: readonly string[],
  phrases: Phrases = usualPhrases,
): Work<string> {
  const latest = earlier.at(-1);
  if (latest === undefined) return phrases.nothingEarlier;
  const sought = stemsOf(query.slice(0, recalledCharsMax));
  let best = latest;
  let shared = 0;
  for (const message of earlier) {
    const start = message.slice(0, recalledCharsMax);
    if (countSteps(start.length * stepsPerCharacter)) yield;
    if (asksForRecall(start) || mayAskForRecall(start)) continue;
    const common = [...stemsOf(start)].filter((word) => sought.has(word)).length;
    if (common >= shared && common > 0) {
      best = message;
      shared = common;
    }
  }
  return phrases.saidEarlier(`“${best.length > 500 ? `${best.slice(0, 500)}…` : best}”`);
}
