import type { ChainLink } from "../../contracts/daemon/runs/run.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { roundMs } from "../telemetry/trace-recorder.ts";
import type { Chain, Link } from "./chain.ts";
import { type LinkAnswer, runLink } from "./run-link.ts";
import type { Stretch, Walk } from "./stretch.ts";

/** A link that has fired; `said` is undefined if its agent failed. */
export interface FiredLink {
  record: ChainLink;
  said?: LinkAnswer;
  /** Chain of the link's agent. */
  chain?: Chain | undefined;
}

/** Runs the agent of a link and records its answer. With a `fault` the link has already failed. Never throws. */
export async function fireLink(
  walk: Walk,
  stretch: Stretch,
  link: Link,
  query: string,
  fault: AppError | undefined,
): Promise<FiredLink> {
  const { run, signal } = walk;
  const { depth, agent: via, allowances, steps } = stretch;
  const { clock } = run.ports;
  const startedMs = clock.monotonicMs();
  const about = { agent: link.agent, depth, via };
  const durationMs = () => roundMs(clock.monotonicMs() - startedMs);
  try {
    if (fault !== undefined) throw fault;
    requireWay(walk, stretch, link);
    const chain = run.ports.findAgent(run.request.tenant, link.agent)?.chain;
    const said = await runLink(run, { ...link, query, via, depth, allowances }, signal);
    // The answer also passes the guardrails of the requested agent, because it leaves with that agent's answer.
    const guardrails = run.agent.outputGuardrails;
    const answer = await inPieces(guardrails.filterValue(said.answer), signal);
    const data = await inPieces(guardrails.filterValue(said.data), signal);
    walk.tell({ type: "step", name: link.agent, content: answer });
    steps.set(link.agent, { status: "success", answer: said.answer, data: said.data ?? null });
    const shown = data === undefined ? { answer } : { answer, data };
    return { record: { ...about, status: "success", ...shown, duration_ms: durationMs() }, said, chain };
  } catch (thrown) {
    steps.set(link.agent, { status: "error" });
    const error = toAppError(thrown).message;
    return { record: { ...about, status: "error", error, duration_ms: durationMs() } };
  }
}

/** Rejects circles. Chains are checked at load time, but agents may have changed since. */
function requireWay(walk: Walk, { way }: Stretch, { agent }: Link): void {
  if (way.includes(agent)) {
    const circle = [...way, agent].join(" → ");
    throw new AppError("unprocessable", "agents_nested", `Chains would lead in a circle: ${circle}.`);
  }
  if (walk.linksLeft-- > 0) return;
  throw new AppError("unprocessable", "chain_too_long", "Too many links have run for one answer.");
}
