import type {
  AgentDetails,
  AgentList,
  Decision,
  EmbeddingRequest,
  EmbeddingResult,
  EvalComparisonPage,
  EvalList,
  EvalResultDetail,
  EvalResultList,
  EvalRunBrief,
  EvalRunDetail,
  EvalRunList,
  EvalRunOrder,
  History,
  RetrievalRequest,
  RetrievalResult,
  RunAwaiting,
  RunRequest,
  RunResult,
  StreamFrame,
  ToolCallResult,
} from "./types.d.ts";

export type * from "./types.d.ts";

export interface ArgosyOptions {
  /** Address of the daemon; `http://127.0.0.1:8000` by default. */
  baseUrl?: string;
  /** The API token (`PLATFORM_API_TOKEN`) of an exposed daemon. */
  token?: string;
  /** Another `fetch`, for proxies, logs and tests. */
  fetch?: typeof globalThis.fetch;
}

export interface CallOptions {
  /** Cancels the call; a run that is cancelled ends on the server too. */
  signal?: AbortSignal;
}

/** A refusal of the server, or an answer that cannot be understood. */
export declare class ArgosyError extends Error {
  constructor(message: string, facts?: object);
  /** HTTP status; 0 if there was no answer. */
  readonly status: number;
  /** Machine-readable code, such as `agent_not_found`. */
  readonly code: string;
  /** Advice of the server. */
  readonly hint: string | undefined;
  readonly problems: { path: string; message: string; line?: number; column?: number }[];
  /** Seconds to wait before another try, if the server says so. */
  readonly retryAfterSeconds: number | undefined;
}

/** Calls the daemon of one Argosy. */
export declare class Argosy {
  constructor(options?: ArgosyOptions);
  agents(options?: CallOptions): Promise<AgentList["agents"]>;
  agent(name: string, options?: CallOptions): Promise<AgentDetails>;
  /** Runs an agent to its end, or until it waits for an approval or a tool of yours (`"status" in result`). */
  run(agent: string, request: string | RunRequest, options?: CallOptions): Promise<RunResult | RunAwaiting>;
  /** Runs an agent and yields its frames. Leaving the loop cancels the run. */
  stream(agent: string, request: string | RunRequest, options?: CallOptions): AsyncGenerator<StreamFrame, void, undefined>;
  /** Runs an agent and yields the pieces of its answer. A failed run throws. */
  text(agent: string, request: string | RunRequest, options?: CallOptions): AsyncGenerator<string, void, undefined>;
  history(agent: string, session: string, options?: CallOptions): Promise<History>;
  /** Lets a waiting call happen; returns the end of its run. */
  approve(id: string, decision?: Decision, options?: CallOptions): Promise<RunResult | RunAwaiting>;
  reject(id: string, decision?: Decision, options?: CallOptions): Promise<RunResult | RunAwaiting>;
  /** Gives the result of a client tool; returns the end of its run. */
  answerToolCall(id: string, result: ToolCallResult, options?: CallOptions): Promise<RunResult | RunAwaiting>;
  /** Searches documents. */
  retrieve(request: RetrievalRequest, options?: CallOptions): Promise<RetrievalResult>;
  embed(request: EmbeddingRequest, options?: CallOptions): Promise<EmbeddingResult>;
  /** Evals of the workspace. These methods need a token that the daemon trusts: `spec.agents.trusted_senders: token` in runtime.yaml. */
  evals(options?: CallOptions): Promise<EvalList["evals"]>;
  startEval(name: string, order?: EvalRunOrder, options?: CallOptions): Promise<EvalRunBrief>;
  /** Starts a run and waits for its end. Cancelling the call does not stop the run. */
  runEval(name: string, order?: EvalRunOrder, options?: CallOptions): Promise<EvalRunDetail>;
  /** Runs, newest first. */
  evalRuns(query?: { eval?: string; cursor?: string; limit?: number }, options?: CallOptions): Promise<EvalRunList>;
  evalRun(id: string, options?: CallOptions): Promise<EvalRunDetail>;
  /** Waits for the end of a run; returns it with its figures. */
  waitForEval(id: string, options?: CallOptions): Promise<EvalRunDetail>;
  evalResults(
    id: string,
    query?: { state?: "failed" | "passed"; search?: string; target?: string; offset?: number; limit?: number },
    options?: CallOptions,
  ): Promise<EvalResultList>;
  /** One result with its answers and checks. */
  evalResult(id: string, number: number, options?: CallOptions): Promise<EvalResultDetail>;
  /** Two runs case by case, regressions first. */
  compareEvalRuns(
    before: string,
    after: string,
    query?: { change?: string; search?: string; offset?: number; limit?: number },
    options?: CallOptions,
  ): Promise<EvalComparisonPage>;
  /** The report of a run as the text of a file; JUnit by default. */
  evalReport(id: string, format?: "junit" | "json" | "html", options?: CallOptions): Promise<string>;
}
