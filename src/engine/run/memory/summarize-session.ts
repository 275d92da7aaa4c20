import type { RunnableAgent } from "../../agents/runnable-agent.ts";
import type { SessionKey, SummaryClaim, SummaryStore } from "../../memory/conversation.ts";
import type { SummaryStrategy } from "../../memory/memory-strategy.ts";
import { batchOf, mergeTurns, planMerge } from "../../memory/running-summary.ts";
import { modelsOutside } from "../models-outside.ts";
import type { RunPorts } from "../run.ts";

/** Time limit of one summary. After it, another process may claim the session of a crashed one. */
export const summaryMsMax = 120_000;

/** Maximum turns read at once. */
const turnsReadMax = 200;

/**
 * Summarizes the turns that have left a session's window, with the models of the agent's role `summarizer` and within its budget. Each step
 * is stored with the position it covers. Does nothing while another summarizer has the session. Throws AppError on failure; stored steps
 * remain, and the next call continues from there.
 */
export async function summarizeSession(
  ports: RunPorts,
  agent: RunnableAgent,
  key: SessionKey,
  signal: AbortSignal,
): Promise<void> {
  const { strategy: declared, store } = agent.memory;
  const { summaries } = store;
  if (declared.name !== "summary" || summaries === undefined) return;
  const strategy = withinWindow(declared, agent.routerFor().contextWindow);
  const latest = await store.recent(key, strategy.turnsMax);
  const progress = await summaries.progress(key);
  const mergeTo = progress && planMerge(strategy, latest, progress);
  if (mergeTo === undefined) return;
  const now = ports.clock.now();
  const claim = await summaries.claim(key, now, new Date(now.getTime() + summaryMsMax));
  if (claim === undefined) return;
  try {
    await mergeUpTo(mergeTo, { ports, agent, key, signal, strategy, summaries, claim });
  } finally {
    // Otherwise the claim expires.
    await summaries.release(key, claim).catch(() => {});
  }
}

/** Limits the strategy to the model's context window, so that turns that don't fit are summarized, too. */
function withinWindow(strategy: SummaryStrategy, contextWindow: number): SummaryStrategy {
  return {
    ...strategy,
    tokensMax: Math.min(strategy.tokensMax, Math.floor(contextWindow / 2)),
    charsMax: Math.min(strategy.charsMax, Math.floor(contextWindow / 4)),
  };
}

interface Merge {
  ports: RunPorts;
  agent: RunnableAgent;
  key: SessionKey;
  signal: AbortSignal;
  strategy: SummaryStrategy;
  summaries: SummaryStore;
  claim: SummaryClaim;
}

async function mergeUpTo(
  mergeTo: number,
  { ports, agent, key, signal, strategy, summaries, claim }: Merge,
): Promise<void> {
  const models = modelsOutside(ports, agent, key, signal);
  try {
    while (claim.upTo < mergeTo) {
      signal.throwIfAborted();
      const left = await summaries.turnsAfter(key, claim.upTo, turnsReadMax);
      const turns = batchOf(left.filter(({ seq }) => seq <= mergeTo));
      const last = turns.at(-1);
      if (last === undefined) return;
      const merged = await mergeTurns(claim.text, turns, {
        charsMax: strategy.charsMax,
        model: models.modelOf("summarizer"),
        signal,
      });
      const made = { ...merged, text: ports.maskKnown?.(merged.text) ?? merged.text };
      const isSaved = await summaries.save(key, claim, { ...made, upTo: last.seq, at: ports.clock.now() });
      // The session was deleted meanwhile.
      if (!isSaved) return;
    }
  } finally {
    await models.finish();
  }
}
