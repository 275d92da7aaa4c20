import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { RunMeans } from "../run/run-means.ts";
import type { AgentKnowledge } from "./rag/agent-knowledge.ts";

/** What a tool may know about the run that calls it. Secrets never stand in here; a tool that may use one asks for it. */
export interface ToolContext {
  tenant: string;
  agent: string;
  sessionId: string;
  /** Aborts when the run is cancelled or its deadline passes; a tool must stop then. */
  signal: AbortSignal;
  clock: Clock;
  log: Logger;
  /** Takes known secrets out of what the tool answers; absent: none is known. */
  maskKnown?: (text: string) => string;
  /** What the run was asked, as its input guardrails let it through, and the caller's context; absent outside of a run. */
  asked?: { query: string; context: Readonly<Record<string, unknown>> };
  /** Runs another agent inside the run that called the tool. Never throws: what goes wrong is a failed result. */
  runAgent: (request: SubAgentRequest) => Promise<ToolResult>;
  /** The models of the agent in a role, or its own where the role has none; absent where a tool is executed for no agent. */
  modelOf?: (role: string) => ToolModel;
  /** The RAG pipeline of the agent; absent: it has none. */
  knowledge?: AgentKnowledge;
  /** What the run's tenant lets its tools use; absent: nothing. */
  means?: RunMeans;
  /** Records a call that is not to be executed, or says why it can't be recorded. */
  propose: (proposed: ProposedCall) => Promise<string | undefined>;
}

/** A model that a tool may ask; what it uses counts as the run's. */
export interface ToolModel {
  /** Tokens that question and answer may have together. */
  contextWindow: number;
  /** What it answers, at once and without tools. Throws AppError when there is no answer to be had. */
  ask(question: ModelQuestion): Promise<string>;
}

export interface ModelQuestion {
  /** What the model is to do with the text. */
  system: string;
  text: string;
  answerTokensMax: number;
  /** Stops it: the signal that the tool was given. */
  signal: AbortSignal;
}

/** What a tool wants another agent to do. */
export interface SubAgentRequest {
  agent: string;
  query: string;
  context: Record<string, unknown>;
  /** Stops that run: the time limit of the tool, or the end of the run. */
  signal: AbortSignal;
  /** A deadline for that run beside its own; the shorter one counts. */
  timeoutMs?: number;
}

/** A call of a tool that only proposes: what it would have done, and to what. */
export interface ProposedCall {
  tool: string;
  type: string;
  target: string;
  operation: string;
  input: Record<string, unknown>;
}

/** Every tool answers with this; a failure is a value, never an exception. `data` must be JSON. */
export type ToolResult = { success: true; data: unknown } | { success: false; error: string };

/** A tool bound to its configuration, ready to be called by a run or directly. */
export interface Tool {
  name: string;
  /** builtin, internal, webhook, mcp, rag, agent, client */
  type: string;
  description: string;
  /** JSON Schema of the input object (function-calling format). */
  parameters: Record<string, unknown>;
  /** Runs with an input that `parameters` accepts. May throw: `executeTool` turns that into a failed result. */
  execute(input: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
  /** What a call would do, and to what; absent: it is named after the tool. */
  describeCall?(input: Record<string, unknown>): { target: string; operation: string };
}
