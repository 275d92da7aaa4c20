import type { StreamFrame } from "../../daemon/runs/run.ts";
import type { StreamTicket } from "../../daemon/runs/stream-ticket.ts";
import { segment, withQuery } from "../../paths.ts";
import type { PlatformApproval, PlatformApprovalList, PlatformDecision } from "../runs/approvals.ts";
import type {
  RunApprovalFrame,
  RunAwaiting,
  RunDoneFrame,
  RunErrorFrame,
  RunInProgress,
} from "../runs/run-frames.ts";
import type { PlatformRunRequest, PlatformRunResult, PlatformTrial } from "../runs/runs.ts";
import type { PlatformCalls } from "./call-platform.ts";

export interface RunSending {
  /** Key for repeated calls, which are answered with the first call's run. */
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** A run's answer, with the values of its headers. */
export interface PlatformRunAnswer {
  body: PlatformRunResult | RunAwaiting | RunInProgress;
  /** True if it is the answer to an earlier call with the same key. */
  isReplayed: boolean;
  /** Used share of the month's credits in percent, if at least 80. */
  creditPercent?: number;
}

/** A frame of a stream, including the last one. */
export type PlatformFrame =
  | Exclude<StreamFrame, { type: "done" } | { type: "error" }>
  | RunDoneFrame
  | RunErrorFrame
  | RunApprovalFrame;

export interface TenantApprovalQuery {
  status?: PlatformApproval["status"];
  limit?: number;
}

/** Methods for runs of a tenant's agents. */
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
    /** Lists calls that wait or waited for a person, newest first. */
    listApprovals: (query: TenantApprovalQuery = {}) =>
      json<PlatformApprovalList>("GET", withQuery(approvals, query)),
    /** Resumes the run with or without the call. Answers like a run. */
    decideApproval: async (
      id: string,
      verdict: "approve" | "reject",
      decision: PlatformDecision = {},
      signal?: AbortSignal,
    ) => {
      const path = `${approvals}/${segment(id)}/${verdict}`;
      return answerOf(await raw("POST", path, { body: decision, signal }));
    },
    /** Like `decideApproval`, but yields the frames after the call. Stopping early does not cancel the run. */
    streamDecision: (
      id: string,
      verdict: "approve" | "reject",
      decision: PlatformDecision = {},
      signal?: AbortSignal,
    ) => frames<PlatformFrame>(`${approvals}/${segment(id)}/${verdict}`, { body: decision, signal }),
    run: async (name: string, request: PlatformRunRequest, sending: RunSending = {}) =>
      answerOf(await raw("POST", runPath(name), sendingOf(request, sending))),
    /** Yields the frames of a run as they arrive. Stopping early cancels the run. */
    streamRun: (name: string, request: PlatformRunRequest, sending: RunSending = {}) =>
      frames<PlatformFrame>(runPath(name), sendingOf(request, sending)),
    /** Yields the frames of a run of an agent that is not stored as it is sent. It is charged. */
    tryAgent: (trial: PlatformTrial, signal?: AbortSignal) =>
      frames<PlatformFrame>("/api/v1/try", { body: trial, signal }),
    /**
     * Returns a ticket that opens one WebSocket at `…/run/stream?ticket=…`, where no header can be set. The ticket may contain the query.
     */
    streamTicket: (
      name: string,
      body: Pick<PlatformRunRequest, "trace_content" | "remember" | "source"> & { query?: string } = {},
    ) => json<StreamTicket>("POST", `/api/v1/agents/${segment(name)}/stream-ticket`, { body }),
  };
}
