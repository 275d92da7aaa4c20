import { AppError } from "../../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import { startDeadline } from "../../../../kit/deadline.ts";
import { isRecord } from "../../../../kit/json/is-record.ts";
import { AskedCall, type CallOptions, type CallOutcome } from "../mcp-client.ts";
import { RpcFault } from "../rpc-fault.ts";
import type { StatelessPeer } from "./peer.ts";

export interface PollOptions extends Pick<CallOptions, "signal" | "progress"> {
  clock: Clock;
  capabilities: Readonly<Record<string, unknown>>;
}

interface Task {
  taskId: string;
  /** Answers to what the task has asked for. */
  responses?: Readonly<Record<string, unknown>> | undefined;
}

const pollMsDefault = 1000;
const pollMsMin = 200;
const pollMsMax = 30_000;
/** Polls after which a task that was answered still shows its questions. */
const stillAskingMax = 20;
const cancelMs = 5000;

/**
 * Asks for a task until it has ended or asks for something. If the signal aborts, the task is cancelled at the server. Each answer counts as
 * progress, since the server works.
 */
export async function finishTask(
  peer: StatelessPeer,
  { taskId, responses }: Task,
  { clock, signal, capabilities, progress }: PollOptions,
): Promise<CallOutcome> {
  const ask = (method: string, more: object = {}, of = signal) =>
    peer.ask(method, { taskId, ...more }, { signal: of, capabilities });
  const cancel = () => {
    const late = startDeadline(clock, cancelMs, noAnswer, []);
    void ask("tasks/cancel", {}, late.signal)
      .catch(() => undefined)
      .finally(() => late.dispose());
  };
  const hasAnswered = new Set(Object.keys(responses ?? {}));
  try {
    if (responses !== undefined) await ask("tasks/update", { inputResponses: responses });
    for (let polls = 0, stillAsking = 0; ; polls++) {
      const task = await ask("tasks/get");
      const { status, statusMessage } = task;
      progress({ progress: polls, ...(typeof statusMessage === "string" && { message: statusMessage }) });
      if (status === "completed" && isRecord(task.result)) return task.result;
      if (status === "failed") throw faultOf(task.error);
      if (status === "cancelled") throw new RpcFault(-32_603, "The server cancelled the task.");
      if (status === "input_required" && isRecord(task.inputRequests)) {
        const news = Object.entries(task.inputRequests).filter(([key]) => !hasAnswered.has(key));
        if (news.length > 0) return new AskedCall(Object.fromEntries(news), { taskId });
        if (++stillAsking > stillAskingMax)
          throw new RpcFault(-32_603, "The task does not take its answers.");
      } else if (status !== "working") throw new RpcFault(-32_603, "The task has no known status.");
      await sleep(clock, pollMsOf(task.pollIntervalMs), signal);
    }
  } catch (thrown) {
    if (signal.aborted) cancel();
    throw thrown;
  }
}

function pollMsOf(asked: unknown): number {
  if (typeof asked !== "number" || !(asked > 0)) return pollMsDefault;
  return Math.min(pollMsMax, Math.max(pollMsMin, asked));
}

function faultOf(error: unknown): RpcFault {
  if (!isRecord(error) || typeof error.code !== "number" || typeof error.message !== "string")
    return new RpcFault(-32_603, "The task failed without saying why.");
  return new RpcFault(error.code, error.message, error.data);
}

const noAnswer = () => new AppError("upstream_timed_out", "mcp_failed", "it did not answer in time");
