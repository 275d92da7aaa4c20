import type { Answer } from "../../../contracts/daemon/questions/question.ts";
import type { McpToolList } from "./list-tools.ts";

/** What a server needs to go on with a call: its own state, the task that the call has become, or the call that its session holds. */
export interface CallState {
  requestState?: string;
  taskId?: string;
  heldId?: string;
}

/** A call that its server does not finish before a person has answered its questions. */
export class AskedCall {
  /** Requests of the server by its own keys, unchecked. */
  readonly requests: Readonly<Record<string, unknown>>;
  readonly state: CallState;

  constructor(requests: Readonly<Record<string, unknown>>, state: CallState) {
    this.requests = requests;
    this.state = state;
  }
}

/** What a person answered to a question. */
export type PersonsAnswer = { action: "accept"; content?: Answer } | { action: "decline" | "cancel" };

/** A person's answers to the questions of a call. */
export interface AnsweredCall {
  responses: Readonly<Record<string, PersonsAnswer>>;
  state: CallState;
}

/** The server's result, or what it asks for first. */
export type CallOutcome = Record<string, unknown> | AskedCall;

export interface CallOptions {
  /** Cancels the call, also at the server. */
  signal: AbortSignal;
  /** Called if the server reports progress, with what it says. */
  progress: (told: { progress: number; total?: number | undefined; message?: string | undefined }) => void;
  /** True if a person can answer the server's questions. */
  mayAsk?: boolean;
  /** The answers with which a call goes on. */
  answered?: AnsweredCall;
}

/** A connection to a server, or to one that needs none. */
export interface McpClient {
  list(signal: AbortSignal): Promise<McpToolList>;
  /** Returns the server's result of a tool call. Throws the server's error, or the reason why there is no answer. */
  call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallOutcome>;
  /** Resolves if the server answers anything; rejects with the signal's reason otherwise. */
  ping(signal: AbortSignal): Promise<void>;
  /** Time for which a list of tools is fresh. Infinity: the server tells of changes. */
  freshMs(): number;
  close(): Promise<void>;
  /** Resolves when the connection has ended, with the reason for the operator; undefined if it was closed here. */
  ended: Promise<string | undefined>;
}
