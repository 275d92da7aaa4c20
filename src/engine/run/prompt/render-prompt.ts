import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { Turn } from "../../memory/conversation.ts";
import {
  alternating,
  fitTurns,
  historyBudget,
  shownTurns,
  turnMessages,
} from "../../memory/memory-strategy.ts";
import { summaryBlock, withSummary } from "../../memory/running-summary.ts";
import type { Message } from "../../models/model.ts";
import type { PromptInput } from "../../prompts/prompt.ts";
import { withSkills } from "../../skills/bind-skills.ts";
import type { StructuredOutput } from "../../structured/structured-output.ts";
import type { BuiltMemory } from "../memory/build-memory.ts";
import type { Run } from "../run.ts";
import { presentRecalled } from "./present-recalled.ts";

/** The rendered prompts of a run. */
export interface RenderedPrompt {
  system: string;
  /** Context block and query: the last message. */
  said: string;
  /** Input of the templates. */
  input: PromptInput;
}

/**
 * Renders the agent's prompts, traced as `prompt_render`, and fills `state.messages` with history, context block and query. The order makes
 * best use of a provider's cache.
 */
export async function renderPrompt(
  run: Run,
  { turns, summary, recalled }: BuiltMemory,
): Promise<RenderedPrompt> {
  const { agent, request, state, trace, ports } = run;
  const span = trace.start("prompt_render");
  const { texts, shown } = presentRecalled(recalled, agent.routerFor().contextWindow);
  run.passages = shown.passages;
  const earlier = summary === undefined ? "" : summaryBlock(summary);
  const remembered = shownTurns(agent.memory.strategy, turns);
  const input: PromptInput = {
    query: run.query,
    sessionId: request.sessionId,
    context: request.context,
    history:
      run.history?.filter(isSpoken) ??
      (earlier === "" ? remembered : [{ role: "system", content: earlier }, ...remembered]),
    tools: agent.toolSpecs,
    recalled: texts,
    now: run.interceptor?.now({ agent: agent.name }, () => ports.clock.now()) ?? ports.clock.now(),
  };
  const own = withSkills(await agent.prompt.system(input), agent.skills);
  const system = withInstruction(own, agent.structured);
  if (agent.skills.length > 0)
    span.set(
      "skills",
      agent.skills.map(({ name }) => name),
    );
  const contextBlock = await agent.prompt.contextBlock(input);
  const userText = contextBlock === "" ? run.query : `${contextBlock}\n\n${run.query}`;
  const room = () => roomFor(run, remembered, [system, userText, ...(earlier === "" ? [] : [earlier])]);
  const history = run.history ?? turnMessages(fitTurns(remembered, room()));
  const { images } = request;
  const all: Message[] = [...history, { role: "user", content: userText, ...(images && { images }) }];
  const messages = run.history === undefined ? alternating(all) : all;
  state.messages.push(...(earlier === "" ? messages : withSummary(messages, earlier)));
  span.set("history", history.length);
  span.end();
  return { system, said: userText, input };
}

/** A system prompt with the instruction for the answer's schema. */
export function withInstruction(system: string, structured: StructuredOutput | undefined): string {
  if (structured === undefined) return system;
  return system === "" ? structured.instruction : `${system}\n\n${structured.instruction}`;
}

/** Tokens of the context window available for `turns`. */
function roomFor({ agent }: Run, turns: readonly Turn[], fixedTexts: readonly string[]): number {
  const reserved = agent.answerTokens + agent.toolTokens + resultTokensOf(agent);
  return historyBudget(agent.routerFor().contextWindow, reserved, fixedTexts, turns);
}

/** Tokens reserved for tool results: room for one result, but at most a quarter of the window. */
export function resultTokensOf({ tools, maxToolResultTokens, routerFor }: RunnableAgent): number {
  return tools.size === 0 ? 0 : Math.min(maxToolResultTokens, Math.floor(routerFor().contextWindow / 4));
}

function isSpoken(message: Message): message is Extract<Message, { role: "user" | "assistant" }> {
  return message.role === "user" || message.role === "assistant";
}
