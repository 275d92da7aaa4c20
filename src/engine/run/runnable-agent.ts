import type { SecretRegistry } from "../../kit/secret-registry.ts";
import type { AgentManifest } from "../../manifest/agent.ts";
import type { Sender } from "../../manifest/sender.ts";
import type { Chain } from "../chain/chain.ts";
import type { GuardrailChain } from "../guardrails/chain.ts";
import type { ConversationStore } from "../memory/conversation.ts";
import type { MemoryStrategy } from "../memory/memory-strategy.ts";
import type { LimitSetter } from "../models/judge-call.ts";
import type { Model, ToolSpec } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { StrategyName } from "../models/strategies/strategies.ts";
import type { Pattern } from "../orchestration/pattern.ts";
import type { Preamble } from "../prompts/preamble.ts";
import type { AgentPrompt } from "../prompts/prompt.ts";
import type { StructuredOutput } from "../structured/structured-output.ts";
import type { BoundTool } from "../tools/bound-tool.ts";
import type { LiveTools } from "./live-tools.ts";
import type { RecallSources } from "./recall-sources.ts";

/** An agent with everything its manifest declares built and bound: what `runAgent` runs. */
export interface RunnableAgent {
  name: string;
  /** What its memory belongs to; absent: its name. */
  memoryId?: string;
  description: string;
  /** Where its manifest comes from; `isTrusted` says whether that is the operator or the machine's owner. */
  sender: Sender;
  manifest: AgentManifest;
  /** Secrets of a manifest that is not the operator's: masked in its own runs alone, or a sender could mask everyone's words. */
  secrets?: SecretRegistry;
  /** The models of a role (`planner`, `stage:analyze` …), or the agent's own where the role has none (or none is named). */
  routerFor(role?: string): ModelRouter;
  /** How the router chooses among the candidates. */
  strategy: StrategyName;
  /** Every model that it may call, those of its roles included, in declared order. */
  candidates: readonly Model[];
  /** Who chose the models' time limits; absent: the operator. */
  limitBy?: LimitSetter;
  prompt: AgentPrompt;
  preambleOf: (system: string) => Preamble;
  /** Of `output_schema`. */
  structured: StructuredOutput | undefined;
  /** The agents that run after it has answered; undefined: none. */
  chain: Chain | undefined;
  inputGuardrails: GuardrailChain;
  outputGuardrails: GuardrailChain;
  tools: ReadonlyMap<string, BoundTool>;
  toolSpecs: readonly ToolSpec[];
  /** Where servers list some of its tools: those two, as they are at the moment; undefined: they never change. */
  live: LiveTools | undefined;
  pattern: { name: string; run: Pattern };
  /** `supervisor`, `swarm`: the names of its agent tools that the pattern may use. */
  workers: ReadonlySet<string>;
  maxIterations: number;
  /** Hard limit of the tokens of a run, with all it starts; undefined: none. */
  maxRunTokens: number | undefined;
  timeoutMs: number;
  maxToolResultTokens: number;
  /** Tokens kept free in the model's window for the answer, and those that the tools take. */
  answerTokens: number;
  toolTokens: number;
  memory: { strategy: MemoryStrategy; store: ConversationStore };
  /** What else it remembers, and the documents it answers from; undefined when it declares neither. */
  recall: RecallSources | undefined;
  tracing: { enabled: boolean; sampleRate: number; recordContent: boolean };
}
