import type { AgentManifest } from "../../manifest/agent.ts";
import type { GuardrailChain } from "../guardrails/chain.ts";
import type { ConversationStore } from "../memory/conversation.ts";
import type { MemoryStrategy } from "../memory/memory-strategy.ts";
import type { Model, ToolSpec } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { StrategyName } from "../models/strategies/strategies.ts";
import type { Pattern } from "../orchestration/pattern.ts";
import type { AgentPrompt } from "../prompts/prompt.ts";
import type { BoundTool } from "../tools/bound-tool.ts";

/** An agent with everything its manifest declares built and bound: what `runAgent` runs. */
export interface RunnableAgent {
  name: string;
  description: string;
  manifest: AgentManifest;
  router: ModelRouter;
  /** How the router chooses among the candidates. */
  strategy: StrategyName;
  /** The models behind the router, in declared order. */
  candidates: readonly Model[];
  prompt: AgentPrompt;
  inputGuardrails: GuardrailChain;
  outputGuardrails: GuardrailChain;
  tools: ReadonlyMap<string, BoundTool>;
  toolSpecs: readonly ToolSpec[];
  pattern: { name: string; run: Pattern };
  maxIterations: number;
  timeoutMs: number;
  maxToolResultTokens: number;
  /** Tokens kept free in the model's window for the answer, and those that the tools take. */
  answerTokens: number;
  toolTokens: number;
  memory: { strategy: MemoryStrategy; store: ConversationStore };
  tracing: { enabled: boolean; sampleRate: number; recordContent: boolean };
}
