import type { Question } from "../../contracts/daemon/questions/question.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Logger } from "../../kit/log.ts";
import type { AnsweredCall, CallState } from "./mcp/mcp-client.ts";
import type { AgentKnowledge } from "./rag/agent-knowledge.ts";
import type { RunMeans } from "./run-means.ts";

/*
 * Tools: `bind-tools.ts` turns the entries of a manifest into tools, by type (`builtin/`, `internal/`, `own/`, `mcp/`, `rag/`, webhook,
 * agent, client); `execute-tool.ts` carries out a call. All connections go through `network/`.
 */

/** Facts about the calling run for a tool. It never contains secrets; a tool that may use one requests it. */
export interface ToolContext {
  tenant: string;
  agent: string;
  sessionId: string;
  /**
   * Aborts when the run is cancelled or its deadline passes; the tool must then stop. It is created when it is first read, so a copy of the
   * context has to name it.
   */
  readonly signal: AbortSignal;
  clock: Clock;
  log: Logger;
  /** Removes known secrets from the tool's result; absent: no secrets are known. */
  maskKnown?: (text: string) => string;
  /** The run's query after its input guardrails, and the caller's context; absent outside of a run. */
  asked?: { query: string; context: Readonly<Record<string, unknown>> };
  /** Runs another agent inside the calling run. Never throws: errors become a failed result. */
  runAgent: (request: SubAgentRequest) => Promise<ToolResult>;
  /** Returns the agent's models for a role, or its own if the role has none; absent if the tool is executed without an agent. */
  modelOf?: (role: string) => ToolModel;
  /** RAG pipeline of the agent; absent if it has none. */
  knowledge?: AgentKnowledge;
  /** Resources of the run's tenant for tools; absent: none. */
  means?: RunMeans;
  /** Takes what a tool tells while it works; absent: nobody wants to know. */
  progress?: (told: ToolProgress) => void;
  /** True if a person can answer questions of the tool's server. */
  mayAsk?: boolean;
  /** A person's answers to what the tool's server asked about this call. */
  answered?: AnsweredCall;
  /** Records a call instead of executing it; returns the reason if it can't be recorded. */
  propose: (proposed: ProposedCall) => Promise<string | undefined>;
}

/** How far a tool is, in the words of its server. */
export interface ToolProgress {
  tool: string;
  done: number;
  total?: number;
  message?: string;
}

/** A model that a tool may call; its usage counts as the run's. */
export interface ToolModel {
  /** Maximum tokens of question and answer together. */
  contextWindow: number;
  /** Returns the model's answer in one piece, without tools. Throws AppError if there is none. */
  ask(question: ModelQuestion): Promise<string>;
}

export interface ModelQuestion {
  /** Instruction for the text. */
  system: string;
  text: string;
  answerTokensMax: number;
  /** True to throw `answer_cut` (422) for an answer that the token limit cut. */
  isWhole?: boolean;
  /** The tool's signal, which stops the call. */
  signal: AbortSignal;
}

/** A task of a tool for another agent. */
export interface SubAgentRequest {
  agent: string;
  query: string;
  context: Record<string, unknown>;
  /** Stops that run: at the tool's time limit or the end of the calling run. */
  signal: AbortSignal;
  /** Additional deadline for that run; the shorter one applies. */
  timeoutMs?: number;
}

/** A proposed call: what it would have done, and to which target. */
export interface ProposedCall {
  tool: string;
  type: string;
  target: string;
  operation: string;
  input: Record<string, unknown>;
}

/** Questions that a person has to answer before a call goes on, by the server's keys, and what the server needs to go on with it. */
export interface OpenQuestions {
  questions: Readonly<Record<string, Question>>;
  state: CallState;
}

/**
 * Result of every tool; a failure is a value, never an exception. `data` must be JSON. With `asks`, the call goes on once a person has
 * answered; only a context with `mayAsk` gets such a result.
 */
export type ToolResult =
  | { success: true; data: unknown }
  | { success: false; error: string; asks?: OpenQuestions };

/** A tool with its configuration, to be called by a run or directly. */
export interface Tool {
  name: string;
  /** builtin, internal, webhook, mcp, rag, agent, client */
  type: string;
  description: string;
  /** JSON Schema of the input object (function-calling format). */
  parameters: Record<string, unknown>;
  /** Runs with an input that `parameters` accepts. May throw: `executeTool` converts errors to failed results. */
  execute(input: Record<string, unknown>, context: ToolContext): Promise<ToolResult>;
  /** Returns target and operation of a call; absent: the target is the tool's name. */
  describeCall?(input: Record<string, unknown>): { target: string; operation: string };
}
