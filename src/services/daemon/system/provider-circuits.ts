import type { ProviderCircuit, ProviderStatus } from "../../../contracts/daemon/models/providers.ts";
import type { Breakers } from "../../../engine/models/breakers.ts";
import type { Clock } from "../../../kit/clock.ts";

type Circuit = ReturnType<Breakers["list"]>[number];

/** Converts a circuit for operators. Of its address only the origin is shown. */
export function presentCircuit({ endpoint, account, breaker }: Circuit, clock: Clock): ProviderCircuit {
  const { health, phase, failures, openedAt, lastFailure, reachable } = breaker.state();
  const address = endpoint === undefined ? undefined : URL.parse(endpoint)?.origin;
  const retryAt = new Date(clock.now().getTime() + breaker.probeDueInMs());
  return {
    ...(address === undefined ? {} : { address }),
    ...(account === undefined ? {} : { key_variable: account }),
    state: phase,
    health,
    failures,
    ...(reachable === undefined ? {} : { reachable }),
    ...(openedAt && { opened_at: openedAt.toISOString() }),
    ...(phase === "open" && { retry_at: retryAt.toISOString() }),
    ...(lastFailure && { last_failure: { ...lastFailure, at: lastFailure.at.toISOString() } }),
  };
}

/** Status of a provider: the health of its worst circuit. */
export function statusOf(circuits: readonly Circuit[]): ProviderStatus {
  return worstOf(circuits)?.health ?? "unused";
}

/** Reason why a provider is not healthy. */
export function reasonOf(circuits: readonly Circuit[]): string | undefined {
  const worst = worstOf(circuits);
  if (worst === undefined || worst.health === "healthy") return undefined;
  const { phase, lastFailure, failures, probeFault } = worst.breaker.state();
  const cause = lastFailure === undefined ? "" : `: ${lastFailure.message}`;
  if (phase !== "closed") return `Paused after repeated failures${cause || "."}`;
  if (failures > 0) return `The last ${failures === 1 ? "call" : `${failures} calls`} failed${cause || "."}`;
  return `The last probe failed${probeFault === undefined ? "." : `: ${probeFault.message}`}`;
}

const badness = { healthy: 0, degraded: 1, unavailable: 2 };

function worstOf(circuits: readonly Circuit[]): Circuit | undefined {
  return circuits.toSorted((a, b) => badness[b.health] - badness[a.health])[0];
}
