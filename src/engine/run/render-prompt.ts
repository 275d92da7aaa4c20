import type { Turn } from "../memory/conversation.ts";
import { fitTurns, historyBudget, turnMessages } from "../memory/history-window.ts";
import { selectTurns } from "../memory/memory-strategy.ts";
import type { Message } from "../models/model.ts";
import type { PromptInput } from "../prompts/prompt.ts";
import type { Run } from "./run.ts";

/**
 * Renders the agent's prompts, traced as `prompt_render`, fills `state.messages` with history, context block and query in
 * the order that keeps a provider's cache warm, and returns the system prompt.
 */
export function renderPrompt(run: Run, turns: readonly Turn[]): string {
  const { agent, request, state, trace, ports } = run;
  const span = trace.start("prompt_render");
  const remembered = selectTurns(agent.memory.strategy, turns);
  const input: PromptInput = {
    query: run.query,
    sessionId: request.sessionId,
    context: request.context,
    history: run.history?.filter(isSpoken) ?? remembered,
    tools: agent.toolSpecs,
    semanticContext: "",
    knowledge: "",
    now: ports.clock.now(),
  };
  const system = agent.prompt.system(input);
  const contextBlock = agent.prompt.contextBlock(input);
  const said = contextBlock === "" ? run.query : `${contextBlock}\n\n${run.query}`;
  const history = run.history ?? turnMessages(fitTurns(remembered, roomForHistory(run, [system, said])));
  state.messages.push(...history, { role: "user", content: said });
  span.set("history", history.length);
  span.end();
  return system;
}

function roomForHistory({ agent }: Run, fixedTexts: readonly string[]): number {
  return historyBudget(agent.router.contextWindow, agent.answerTokens + agent.toolTokens, fixedTexts);
}

function isSpoken(message: Message): message is Extract<Message, { role: "user" | "assistant" }> {
  return message.role === "user" || message.role === "assistant";
}
