import type { ChainLink } from "../../contracts/daemon/run.ts";
import { AppError, toAppError } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/others-turn.ts";
import { roundMs } from "../telemetry/trace-recorder.ts";
import type { Chain, Link } from "./chain.ts";
import { type LinkAnswer, runLink } from "./run-link.ts";
import type { Stretch, Walk } from "./stretch.ts";

/** A link that has fired; `said` is undefined when its agent failed. */
export interface FiredLink {
  record: ChainLink;
  said?: LinkAnswer;
  /** The agent's own chain. */
  chain?: Chain | undefined;
}

/** Lets the agent of a link run and tells what it said; with a `fault` it has failed before. Never throws. */
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
    // What leaves with the answer of the agent that was asked passes its guardrails too.
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

/** Chains are checked when they are loaded; what changed since then must not lead round and round. */
function requireWay(walk: Walk, { way }: Stretch, { agent }: Link): void {
  if (way.includes(agent)) {
    const circle = [...way, agent].join(" → ");
    throw new AppError("unprocessable", "agents_nested", `Chains would lead in a circle: ${circle}.`);
  }
  if (walk.linksLeft-- > 0) return;
  throw new AppError("unprocessable", "chain_too_long", "Too many links have run for one answer.");
}
