import type { Breakers } from "../../../engine/models/breakers.ts";
import type { Model } from "../../../engine/models/model.ts";
import { AppError, toAppError } from "../../../kit/app-error.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { roundMaxMs, type Worker } from "../../../kit/worker.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";

/** Interval of the check for due probes; probe intervals are whole seconds. */
const tickMs = 1000;
const patienceMs = 5000;

interface Subject {
  model: Model;
  intervalMs: number;
}

/**
 * Probes whether each server behind the loaded agents can be reached, every `spec.model.routing.health_check_interval`. The result affects
 * the provider's health, but never opens or closes a circuit. Of several agents, the shortest interval applies.
 */
export function providerProber(catalog: AgentCatalog, breakers: Breakers, clock: Clock): Worker {
  /** Time of each server's next probe on the monotonic clock. */
  const dueMs = new Map<string, number>();
  return {
    name: "provider-prober",
    silenceMaxMs: roundMaxMs,
    async run(signal, beat) {
      while (!signal.aborted) {
        const nowMs = clock.monotonicMs();
        const subjects = subjectsOf(catalog);
        for (const id of dueMs.keys()) if (!subjects.has(id)) dueMs.delete(id);
        const due = [...subjects].filter(([id]) => (dueMs.get(id) ?? nowMs) <= nowMs);
        for (const [id, { intervalMs }] of due) dueMs.set(id, nowMs + intervalMs);
        await Promise.all(due.map(([, { model }]) => probe(model, breakers, clock, signal)));
        beat?.();
        await sleep(clock, tickMs, signal).catch(() => undefined);
      }
    },
  };
}

/** Models that can be probed, one per server and account. */
function subjectsOf(catalog: AgentCatalog): Map<string, Subject> {
  const subjects = new Map<string, Subject>();
  for (const { agent } of catalog.list()) {
    const intervalMs = (agent?.manifest.spec.model?.routing.health_check_interval ?? 30) * 1000;
    for (const model of agent?.candidates ?? []) {
      if (model.probe === undefined) continue;
      const id = JSON.stringify([model.provider, model.endpoint, model.account]);
      const known = subjects.get(id);
      if (known === undefined || intervalMs < known.intervalMs) subjects.set(id, { model, intervalMs });
    }
  }
  return subjects;
}

async function probe(model: Model, breakers: Breakers, clock: Clock, signal: AbortSignal): Promise<void> {
  const deadline = startDeadline(clock, patienceMs, noAnswer, [signal]);
  try {
    await model.probe?.(deadline.signal);
    breakers.of(model).recordProbe(true);
  } catch (thrown) {
    const { code, message } = toAppError(thrown);
    if (!signal.aborted) breakers.of(model).recordProbe(false, { code, message });
  } finally {
    deadline.dispose();
  }
}

function noAnswer(): AppError {
  return new AppError("upstream_timed_out", "probe_timed_out", "The provider did not answer the probe.");
}
