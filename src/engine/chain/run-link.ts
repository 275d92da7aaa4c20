import type { ChainLink } from "../../contracts/daemon/runs/run.ts";
import { AppError, type ErrorKind, toAppError } from "../../kit/app-error.ts";
import { sleep } from "../../kit/clock.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import type { Allowance } from "../spending/allowance.ts";
import { roundMs, type SpanHandle } from "../telemetry/trace-recorder.ts";
import type { Chain, ChainLevel, ChainRun, ChainWalk, Link, LinkAnswer } from "./chain.ts";

/** One run of an agent in a chain. */
export interface LinkRun extends Pick<Link, "agent" | "attemptsMax" | "backoffMs" | "timeoutMs"> {
  query: string;
  /** The agent that has the chain, and its distance from the requested agent. */
  via: string;
  depth: number;
  allowances: readonly Allowance[];
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
      // The answer after this wait is in the journal: the run waited before it paused.
      if (backoffMs > 0 && run.interceptor?.isPlaying !== true)
        await sleep(run.clock, backoffMs * 2 ** (attempt - 1), signal);
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

/** A link that has fired; `said` is undefined if its agent failed. */
export interface FiredLink {
  record: ChainLink;
  said?: LinkAnswer;
  /** Chain of the link's agent. */
  chain?: Chain | undefined;
}

/** Runs the agent of a link and records its answer. With a `fault` the link has already failed. Never throws. */
export async function fireLink(
  walk: ChainWalk,
  level: ChainLevel,
  link: Link,
  query: string,
  fault: AppError | undefined,
): Promise<FiredLink> {
  const { run, signal } = walk;
  const { depth, agent: via, allowances, steps } = level;
  const { clock } = run;
  const startedMs = clock.monotonicMs();
  const about = { agent: link.agent, depth, via };
  const durationMs = () => roundMs(clock.monotonicMs() - startedMs);
  try {
    if (fault !== undefined) throw fault;
    requireWay(walk, level, link);
    const chain = run.chainOf(link.agent);
    const linkResult = await runLink(run, { ...link, query, via, depth, allowances }, signal);
    const answer = await inPieces(run.guardrails.filterValue(linkResult.answer), signal);
    const data = await inPieces(run.guardrails.filterValue(linkResult.data), signal);
    walk.tell({ type: "step", name: link.agent, content: answer });
    steps.set(link.agent, { status: "success", answer: linkResult.answer, data: linkResult.data ?? null });
    const presented = data === undefined ? { answer } : { answer, data };
    return {
      record: { ...about, status: "success", ...presented, duration_ms: durationMs() },
      said: linkResult,
      chain,
    };
  } catch (thrown) {
    steps.set(link.agent, { status: "error" });
    const error = toAppError(thrown).message;
    return { record: { ...about, status: "error", error, duration_ms: durationMs() } };
  }
}

/** Rejects circles. Chains are checked at load time, but agents may have changed since. */
function requireWay(walk: ChainWalk, { way }: ChainLevel, { agent }: Link): void {
  if (way.includes(agent)) {
    const circle = [...way, agent].join(" → ");
    throw new AppError("unprocessable", "agents_nested", `These chains would lead in a cycle: ${circle}.`);
  }
  if (walk.linksLeft-- > 0) return;
  throw new AppError("unprocessable", "chain_too_long", "Too many links have run for one answer.");
}
