import type { Turn } from "../memory/conversation.ts";
import { fitTurns, historyBudget, turnMessages } from "../memory/history-window.ts";
import { selectTurns } from "../memory/memory-strategy.ts";
import type { Message } from "../models/model.ts";
import type { PromptInput } from "../prompts/prompt.ts";
import type { StructuredOutput } from "../structured/structured-output.ts";
import type { Run } from "./run.ts";

/** A run's prompts. */
export interface RenderedPrompt {
  system: string;
  /** The context block and the query: the last message. */
  said: string;
  /** What they were made from. */
  input: PromptInput;
}

/**
 * Renders the agent's prompts, traced as `prompt_render`, and fills `state.messages` with history, context block and query in
 * the order that keeps a provider's cache warm.
 */
export function renderPrompt(run: Run, turns: readonly Turn[]): RenderedPrompt {
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
    now: run.tape?.now({ agent: agent.name }, () => ports.clock.now()) ?? ports.clock.now(),
  };
  const system = withInstruction(agent.prompt.system(input), agent.structured);
  const contextBlock = agent.prompt.contextBlock(input);
  const said = contextBlock === "" ? run.query : `${contextBlock}\n\n${run.query}`;
  const history = run.history ?? turnMessages(fitTurns(remembered, roomFor(run, remembered, [system, said])));
  state.messages.push(...history, { role: "user", content: said });
  span.set("history", history.length);
  span.end();
  return { system, said, input };
}

/** A system prompt that says which shape the answer is to have. */
export function withInstruction(system: string, structured: StructuredOutput | undefined): string {
  if (structured === undefined) return system;
  return system === "" ? structured.instruction : `${system}\n\n${structured.instruction}`;
}

/** What `turns` may take of the window. Tools need room for their results too, but never so much that nothing is remembered. */
function roomFor({ agent }: Run, turns: readonly Turn[], fixedTexts: readonly string[]): number {
  const window = agent.routerFor().contextWindow;
  const results = agent.tools.size === 0 ? 0 : Math.min(agent.maxToolResultTokens, Math.floor(window / 4));
  return historyBudget(window, agent.answerTokens + agent.toolTokens + results, fixedTexts, turns);
}

function isSpoken(message: Message): message is Extract<Message, { role: "user" | "assistant" }> {
  return message.role === "user" || message.role === "assistant";
}
