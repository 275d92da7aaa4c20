import type { SecretRegistry } from "../../kit/secrets/secret-registry.ts";
import type { AgentManifest } from "../../manifest/agent/agent.ts";
import type { Sender } from "../../manifest/senders/sender.ts";
import type { Chain } from "../chain/chain.ts";
import type { GuardrailChain } from "../guardrails/chain.ts";
import type { ConversationStore } from "../memory/conversation.ts";
import type { MemoryStrategy } from "../memory/memory-strategy.ts";
import type { LimitSetter } from "../models/judge-call.ts";
import type { Model } from "../models/model.ts";
import type { ModelRouter } from "../models/model-router.ts";
import type { StrategyName } from "../models/strategies/strategies.ts";
import type { Pattern } from "../orchestration/pattern.ts";
import type { Preamble } from "../prompts/preamble.ts";
import type { AgentPrompt } from "../prompts/prompt.ts";
import type { Skill } from "../skills/skill.ts";
import type { StructuredOutput } from "../structured/structured-output.ts";
import type { ToolContext } from "../tools/tool.ts";
import type { Trigger } from "../triggers/compile-triggers.ts";
import type { AgentTools, LiveTools } from "./live-tools.ts";
import type { RecallSources } from "./recall-sources.ts";

/** An agent with everything its manifest declares, ready for `runAgent`. */
export interface RunnableAgent extends AgentTools {
  name: string;
  /** Owner id of its memory; absent: its name. */
  memoryId?: string;
  description: string;
  /** Origin of its manifest; `isTrusted` returns true for the operator and the machine's owner. */
  sender: Sender;
  manifest: AgentManifest;
  /**
   * Secrets of a manifest that is not the operator's. They are masked only in its own runs; otherwise an author could mask words in other
   * agents' runs.
   */
  secrets?: SecretRegistry;
  /** Returns the models of a role (`planner`, `stage:analyze` …), or the agent's own if the role has none or no role is given. */
  routerFor(role?: string): ModelRouter;
  /** Routing strategy for the candidates. */
  strategy: StrategyName;
  /** Every model that it may call, including those of its roles, in declared order. */
  candidates: readonly Model[];
  /** Origin of the models' time limits; absent: the operator. */
  limitBy?: LimitSetter;
  prompt: AgentPrompt;
  preambleOf: (system: string) => Preamble;
  /** Compiled `output_schema`. */
  structured: StructuredOutput | undefined;
  /** Agents that run after it has answered; undefined: none. */
  chain: Chain | undefined;
  /** Skills that the model may read. */
  skills: readonly Skill[];
  /** What runs it by itself, by name. */
  triggers: ReadonlyMap<string, Trigger>;
  inputGuardrails: GuardrailChain;
  outputGuardrails: GuardrailChain;
  /** Current `tools` and `toolSpecs` if servers list some of them; undefined if they never change. */
  live: LiveTools | undefined;
  pattern: { name: string; run: Pattern };
  /** `supervisor`, `swarm`: names of the agent tools that the pattern may use. */
  workers: ReadonlySet<string>;
  maxIterations: number;
  /** Hard limit on the tokens of a run and all it starts; undefined: none. */
  maxRunTokens: number | undefined;
  timeoutMs: number;
  maxToolResultTokens: number;
  /** Tokens reserved in the model's window for the answer. */
  answerTokens: number;
  memory: { strategy: MemoryStrategy; store: ConversationStore };
  /** Other memories and documents; undefined if none is declared. */
  recall: RecallSources | undefined;
  /**
   * Runs a write to one of its memories. Returns undefined without running it once the agent is deleted; a deletion waits for the writes
   * in progress. Absent: every write runs.
   */
  whileAlive?: <T>(write: () => Promise<T>) => Promise<T | undefined>;
  tracing: { enabled: boolean; sampleRate: number; recordContent: boolean };
}

/** The RAG pipeline for an agent's tools, as part of their context; empty if it has none at the moment. */
export function knowledgeOf(agent: RunnableAgent, tenant: string): Pick<ToolContext, "knowledge"> {
  const knowledge = agent.recall?.knowledge?.find(tenant);
  return knowledge === undefined ? {} : { knowledge };
}
