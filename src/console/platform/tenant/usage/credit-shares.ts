import type { UsageReport } from "../../../../contracts/platform/observability.ts";

export interface CreditShares {
  /** Share of the cap, 0 to 1. */
  charged: number;
  /** Share of the cap, at most the part that is left. */
  held: number;
  tone: "calm" | "near" | "full";
}

/** From this share on, run answers report the usage, and so does the page. */
const nearShare = 0.8;

/** Computes the used shares of a month's credits. A cap of 0 allows no run, so it counts as full. */
export function creditShares({
  charged_micros,
  held_micros,
  cap_micros,
}: UsageReport["credits"]): CreditShares {
  if (cap_micros === null) return { charged: 0, held: 0, tone: "calm" };
  if (cap_micros === 0) return { charged: 1, held: 0, tone: "full" };
  const charged = Math.min(1, charged_micros / cap_micros);
  const held = Math.min(1 - charged, held_micros / cap_micros);
  if (charged >= 1) return { charged, held, tone: "full" };
  return { charged, held, tone: charged >= nearShare ? "near" : "calm" };
}
