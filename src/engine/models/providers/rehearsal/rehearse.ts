import { countSteps, type Work } from "../../../../kit/concurrency/others-turn.ts";
import type { Message, ModelRequest, ToolSpec } from "../../model.ts";
import { onlyChosen } from "../wire/request-parts.ts";
import { type Choice, chooseSearches, chooseTools, partsOf } from "./choose-tools.ts";
import { describeResult } from "./describe-result.ts";
import { type Instruction, readInstruction } from "./read-instruction.ts";
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
 * documents if it is a question that asks for none. After their results it answers with a sentence made of them. No tool is called twice in
 * the same turn. If the message ends with an instruction, it follows that. If the answer has a schema, it is the smallest JSON for that
 * schema.
 */
export function* rehearse(request: ModelRequest): Work<Rehearsed> {
  const step = yield* nextStep(request);
  if (request.answerSchema === undefined || step.calls.length > 0) return step;
  const value = sampleValue(request.answerSchema.schema, withoutNote(step.text));
  return { text: JSON.stringify(value), calls: [] };
}

function* nextStep(request: ModelRequest): Work<Rehearsed> {
  const at = request.messages.findLastIndex((message) => message.role === "user");
  const said = request.messages[at]?.content ?? "";
  const answered = request.messages.slice(at + 1).filter((message) => message.role === "tool");
  const results = sinceHandOff(answered);
  if (results.length > 0)
    return say(results.map(({ name, content }) => describeResult(name, withoutNote(content))).join(" "));
  const { toolChoice } = request;
  if (toolChoice === "required" || typeof toolChoice === "object")
    return yield* callOf(said, onlyChosen(request));
  const called = new Set(answered.map(({ name }) => name));
  const tools = toolChoice === "auto" ? request.tools.filter(({ name }) => !called.has(name)) : [];
  const earlier = earlierQueries(request.messages.slice(0, Math.max(at, 0)));
  const instruction = readInstruction(said);
  return instruction === undefined
    ? yield* converse(said, earlier, tools, request.tools)
    : yield* follow(instruction, earlier, tools, request.tools);
}

/** A call that the request demands: of the best tool, with sample arguments for those that the text lacks. */
function* callOf(said: string, tools: readonly ToolSpec[]): Work<Rehearsed> {
  const [best] = yield* chooseTools(said, tools);
  const tool = best?.tool ?? tools[0];
  if (tool === undefined) return say("There is no tool to call.");
  const input = { ...(sampleValue(tool.parameters, said) as object), ...best?.filled.input };
  return { text: "", calls: [{ tool: tool.name, input }] };
}

/** Results since the conversation was handed over to this agent. */
function sinceHandOff<Result extends { content: string }>(results: readonly Result[]): Result[] {
  return results.slice(results.findLastIndex(({ content }) => content.startsWith('{"handed_over_to":')) + 1);
}

function* converse(
  query: string,
  earlier: readonly string[],
  tools: readonly ToolSpec[],
  known: readonly ToolSpec[],
): Work<Rehearsed> {
  if (asksForRecall(query)) return say(yield* recall(query, earlier));
  const choices = yield* chooseTools(query, tools);
  const ready = choices.filter(({ filled }) => filled.missing.length === 0);
  if (ready.length > 0) return callsOf(ready);
  const [unready] = choices;
  if (unready) return say(askFor(unready));
  if (mayAskForRecall(query)) return say(yield* recall(query, earlier));
  const searches = yield* chooseSearches(query, tools);
  return searches.length > 0 ? callsOf(searches) : say(smallTalk(query, known));
}

const callsOf = (choices: readonly Choice[]): Rehearsed => ({
  text: "",
  calls: choices.map(({ tool, filled }) => ({ tool: tool.name, input: filled.input })),
});

/**
 * Follows an instruction: a requested list contains the clauses of the request, results are repeated, and a task is carried out or the
 * request confirmed.
 */
function* follow(
  { request, task, results, listKey, usesTools }: Instruction,
  earlier: readonly string[],
  tools: readonly ToolSpec[],
  known: readonly ToolSpec[],
): Work<Rehearsed> {
  if (listKey !== undefined) {
    const parts = partsOf(request).slice(0, listItemsMax);
    return { text: JSON.stringify({ [listKey]: parts }), calls: [] };
  }
  if (usesTools) return yield* converse(task ?? request, earlier, tools, known);
  if (results.length === 0) return say(`The request is: ${quoted(request)}.`);
  return say(results.map(withoutNote).join("\n\n"));
}

/** Removes the note of another rehearsal, because this one adds its own. */
function withoutNote(text: string): string {
  return text.replaceAll(note, "").trim();
}

function say(text: string): Rehearsed {
  return { text: `${text} ${note}`, calls: [] };
}

function earlierQueries(messages: readonly Message[]): string[] {
  return messages.flatMap((message) => (message.role === "user" ? message.content : []));
}

function askFor({ tool, filled }: Choice): string {
  const names = filled.missing.map((name) => `\`${name}\``).join(" and ");
  return `I would call ${tool.name}, but your message does not say what ${names} should be.`;
}

function smallTalk(query: string, tools: readonly ToolSpec[]): string {
  const heard = query === "" ? "I heard nothing." : `You said: ${quoted(query)}.`;
  if (tools.length === 0) return `${heard} This agent has no tools, so there is nothing more to show.`;
  return `${heard} None of the agent's tools seems to be meant; it has ${tools.map((tool) => tool.name).join(", ")}.`;
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
export function* recall(query: string, earlier: readonly string[]): Work<string> {
  const latest = earlier.at(-1);
  if (latest === undefined) return "You have said nothing earlier in this conversation.";
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
  return `You said earlier: “${best.length > 500 ? `${best.slice(0, 500)}…` : best}”.`;
}
