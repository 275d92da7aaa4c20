import type { Allowance } from "../spending/allowance.ts";

/** The same allowance, which counts a call only when it is really made. */
export function heldUnlessPlayed(allowance: Allowance): Allowance {
  return {
    hold: (call) =>
      call.played === true ? { answerTokensMax: call.answerTokensMax, settle() {} } : allowance.hold(call),
    split: (parts) => allowance.split(parts).map(heldUnlessPlayed),
  };
}
