import type { Message, ModelRequest, ToolSpec } from "../../model.ts";
import { type Choice, chooseTools } from "./choose-tools.ts";
import { describeResult } from "./describe-result.ts";
import { asksForRecall, mayAskForRecall, recall } from "./recall.ts";

/** What the stand-in says, or the calls it asks for; never both. */
export interface Rehearsed {
  text: string;
  calls: { tool: string; input: Record<string, unknown> }[];
}

const note = "(Rehearsal: put together by rules, without a model.)";

/**
 * The next step of a conversation by fixed rules: the tools that the last user message asks for, all at once; once they have
 * answered, a sentence made of their results. No tool is called again in the same turn.
 */
export function rehearse(request: ModelRequest): Rehearsed {
  const at = request.messages.findLastIndex((message) => message.role === "user");
  const query = request.messages[at]?.content ?? "";
  const results = request.messages.slice(at + 1).filter((message) => message.role === "tool");
  if (results.length > 0)
    return say(results.map(({ name, content }) => describeResult(name, content)).join(" "));

  const earlier = earlierQueries(request.messages.slice(0, Math.max(at, 0)));
  if (asksForRecall(query)) return say(recall(query, earlier));
  const choices = request.toolChoice === "auto" ? chooseTools(query, request.tools) : [];
  const ready = choices.filter(({ filled }) => filled.missing.length === 0);
  if (ready.length > 0) {
    return { text: "", calls: ready.map(({ tool, filled }) => ({ tool: tool.name, input: filled.input })) };
  }
  const [unready] = choices;
  if (unready) return say(askFor(unready));
  return say(mayAskForRecall(query) ? recall(query, earlier) : smallTalk(query, request.tools));
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
  const quoted = query.length > 200 ? `${query.slice(0, 200)}…` : query;
  const heard = query === "" ? "I heard nothing." : `You said: “${quoted}”.`;
  if (tools.length === 0) return `${heard} This agent has no tools, so there is nothing more to show.`;
  return `${heard} None of the agent's tools seems to be meant; it has ${tools.map((tool) => tool.name).join(", ")}.`;
}
