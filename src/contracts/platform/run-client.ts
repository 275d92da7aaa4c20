import type { StreamFrame } from "../daemon/run.ts";
import type { StreamTicket } from "../daemon/stream-ticket.ts";
import type { PlatformApproval, PlatformApprovalList, PlatformDecision } from "./approvals.ts";
import { type PlatformCalls, segment, withQuery } from "./call-platform.ts";
import type {
  RunApprovalFrame,
  RunAwaiting,
  RunDoneFrame,
  RunErrorFrame,
  RunInProgress,
} from "./run-frames.ts";
import type { PlatformRunRequest, PlatformRunResult } from "./runs.ts";

export interface RunSending {
  /** Makes a repeated call answer with the first one's run. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** What a run answered, and what its headers said. */
export interface PlatformRunAnswer {
  body: PlatformRunResult | RunAwaiting | RunInProgress;
  /** Whether the answer is that of an earlier call with the same key. */
  isReplayed: boolean;
  /** From 80 on: how much of the month's credits is used. */
  creditPercent?: number;
}

/** A frame on the way, or the one that ends the stream. */
export type PlatformFrame =
  | Exclude<StreamFrame, { type: "done" } | { type: "error" }>
  | RunDoneFrame
  | RunErrorFrame
  | RunApprovalFrame;

export interface ApprovalQuery {
  status?: PlatformApproval["status"];
  limit?: number;
}

/** Runs of a tenant's agents. */
export function runClient({ json, raw, frames }: PlatformCalls) {
  const runPath = (name: string) => `/api/v1/agents/${segment(name)}/run`;
  const sendingOf = (request: PlatformRunRequest, { idempotencyKey, signal }: RunSending) => ({
    body: request,
    signal,
    ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } }),
  });
  const answerOf = async (response: Response): Promise<PlatformRunAnswer> => {
    const percent = response.headers.get("x-platform-credit-usage");
    return {
      body: (await response.json()) as PlatformRunAnswer["body"],
      isReplayed: response.headers.get("idempotency-replayed") === "true",
      ...(percent === null ? {} : { creditPercent: Number(percent) }),
    };
  };
  const approvals = "/api/v1/approvals";
  return {
    /** Calls that wait or waited for a person, newest first. */
    listApprovals: (query: ApprovalQuery = {}) =>
      json<PlatformApprovalList>("GET", withQuery(approvals, query)),
    /** Lets the run go on, with the call or without it; answers as a run does. */
    decideApproval: async (
      id: string,
      verdict: "approve" | "reject",
      decision: PlatformDecision = {},
      signal?: AbortSignal,
    ) => {
      const path = `${approvals}/${segment(id)}/${verdict}`;
      return answerOf(await raw("POST", path, { body: decision, signal }));
    },
    /** The same; the frames of what follows the call. Stopping early stops the reading alone. */
    streamDecision: (
      id: string,
      verdict: "approve" | "reject",
      decision: PlatformDecision = {},
      signal?: AbortSignal,
    ) => frames<PlatformFrame>(`${approvals}/${segment(id)}/${verdict}`, { body: decision, signal }),
    run: async (name: string, request: PlatformRunRequest, sending: RunSending = {}) =>
      answerOf(await raw("POST", runPath(name), sendingOf(request, sending))),
    /** The frames of a run as they come; stopping early cancels the run. */
    streamRun: (name: string, request: PlatformRunRequest, sending: RunSending = {}) =>
      frames<PlatformFrame>(runPath(name), sendingOf(request, sending)),
    /** Opens one WebSocket at `…/run/stream?ticket=…`, where no header can be set; it may carry the query. */
    streamTicket: (name: string, query?: string) =>
      json<StreamTicket>("POST", `/api/v1/agents/${segment(name)}/stream-ticket`, {
        body: query === undefined ? {} : { query },
      }),
  };
}
