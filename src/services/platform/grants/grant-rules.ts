/*
 * A run may use credits of its plan and of the tenant's grants. Grants are used after the credits that the plan includes, and before extra
 * credits are charged.
 *
 * At its admission, a run holds as much as possible under the caps of its plans, and the rest of grants. At its settlement, the credits that
 * its plan was charged in the month so far decide what grants pay. The holds of other runs may be in the way for a moment: a run then uses
 * grants although the plan includes more, and the settlement of the other run gives these credits back. So what grants pay in a month does
 * not depend on the order in which concurrent runs end.
 */

/** Credits of a month under one plan, and what limits the use of grants. */
export interface GrantedFacts {
  /** Credits that the plan's runs were charged, and the part that grants have paid so far. */
  chargedMicros: number;
  grantedMicros: number;
  /** Credits over the included ones that were used before the latest grant. */
  extraMicros: number;
  includedMicros: number;
  /** Credits of usable grants that no run holds. */
  freeMicros: number;
  /** Credits left under the caps of the run's plans, besides grants; undefined without a cap. */
  rooms: readonly (number | undefined)[];
}

/** Returns the part of the charged credits that grants pay. */
export function grantedPart(facts: GrantedFacts): number {
  const { chargedMicros, grantedMicros, extraMicros, includedMicros, freeMicros, rooms } = facts;
  const overIncluded = chargedMicros - includedMicros - extraMicros;
  const overCaps = rooms.map((room) => (room === undefined ? 0 : grantedMicros - room));
  const most = Math.min(chargedMicros, grantedMicros + Math.max(0, freeMicros));
  return Math.max(0, Math.min(most, Math.max(overIncluded, ...overCaps)));
}

/** Part of a hold that exceeds what the caps leave. */
export function heldOfGrants(holdMicros: number, rooms: readonly (number | undefined)[]): number {
  const overCaps = rooms.map((room) => (room === undefined ? 0 : holdMicros - room));
  return Math.min(holdMicros, Math.max(0, ...overCaps));
}

/** Sorts grants by use: soonest expiry first, then the oldest. */
export function byExpiry(
  one: { id: string; expiresAt: Date | null },
  other: { id: string; expiresAt: Date | null },
): number {
  const [a, b] = [one, other].map(({ expiresAt }) => expiresAt?.getTime() ?? Number.MAX_SAFE_INTEGER);
  return (a ?? 0) - (b ?? 0) || (one.id < other.id ? -1 : 1);
}
