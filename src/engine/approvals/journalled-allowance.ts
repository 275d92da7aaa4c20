import type { Allowance } from "../spending/allowance.ts";

/** An allowance that charges a call only if it is made, not if it is played. */
export function heldUnlessPlayed(allowance: Allowance): Allowance {
  return {
    hold: (call) =>
      call.played === true ? { answerTokensMax: call.answerTokensMax, settle() {} } : allowance.hold(call),
    split: (parts) => allowance.split(parts).map(heldUnlessPlayed),
  };
}
