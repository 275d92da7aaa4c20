import { AppError, type ErrorKind, toAppError } from "../../kit/app-error.ts";
import { sleep } from "../../kit/clock.ts";
import type { Allowance } from "../spending/allowance.ts";
import type { SpanHandle } from "../telemetry/trace-recorder.ts";
import type { ChainRun, Link } from "./chain.ts";

/** One run of an agent in a chain. */
export interface LinkRun extends Pick<Link, "agent" | "attemptsMax" | "backoffMs" | "timeoutMs"> {
  query: string;
  /** The agent that has the chain, and its distance from the requested agent. */
  via: string;
  depth: number;
  allowances: readonly Allowance[];
}

/** Answer of an agent; `data` is undefined if it declares no `output_schema`. */
export interface LinkAnswer {
  answer: string;
  data: unknown;
}

/** Failures that may be temporary. All others would happen again. */
const passing: ReadonlySet<ErrorKind> = new Set([
  "timed_out",
  "rate_limited",
  "internal",
  "upstream_failed",
  "upstream_timed_out",
  "unavailable",
]);

/**
 * Runs the agent of a link inside `run`, traced as `chain.link`, and retries after temporary failures. Throws AppError if the last attempt
 * fails, or as soon as `signal` aborts.
 */
export async function runLink(run: ChainRun, link: LinkRun, signal: AbortSignal): Promise<LinkAnswer> {
  const { agent, via, depth, attemptsMax, backoffMs } = link;
  const span = run.trace.start("chain.link", { agent, via, depth });
  try {
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1) span.set("attempts", attempt);
      try {
        const answer = await attemptLink(run, link, span, signal);
        span.end();
        return answer;
      } catch (thrown) {
        const fault = toAppError(thrown);
        if (fault.kind === "internal") run.log.error("agent.failed", { agent, err: thrown });
        if (attempt >= attemptsMax || signal.aborted || !passing.has(fault.kind)) {
          span.set("error", fault.code);
          throw fault;
        }
      }
      if (backoffMs > 0) await sleep(run.clock, backoffMs * 2 ** (attempt - 1), signal);
    }
  } finally {
    span.end("ERROR");
  }
}

async function attemptLink(
  run: ChainRun,
  { agent, query, timeoutMs, allowances }: LinkRun,
  span: SpanHandle,
  signal: AbortSignal,
): Promise<LinkAnswer> {
  signal.throwIfAborted();
  const events = run.startSubRun({
    agent,
    request: {
      query,
      context: run.request.context,
      cancelledBy: [signal],
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    },
    span,
    allowances,
    walksChain: true,
  });
  for await (const event of events) {
    if (event.type !== "done") continue;
    return { answer: event.result.response, data: event.result.data };
  }
  throw new AppError("internal", "internal", `Agent ${agent} ended without a result.`);
}
