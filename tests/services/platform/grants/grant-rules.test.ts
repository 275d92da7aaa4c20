import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  byExpiry,
  type GrantedFacts,
  grantedPart,
  heldOfGrants,
} from "../../../../src/services/platform/grants/grant-rules.ts";

const facts = (change: Partial<GrantedFacts>): GrantedFacts => ({
  chargedMicros: 0,
  grantedMicros: 0,
  extraMicros: 0,
  includedMicros: 5,
  freeMicros: 0,
  rooms: [undefined],
  ...change,
});

describe("the part that grants pay", () => {
  test.each<[string, Partial<GrantedFacts>, number]>([
    ["nothing while the included credits last", { chargedMicros: 5, freeMicros: 9 }, 0],
    ["what exceeds them", { chargedMicros: 7, freeMicros: 9 }, 2],
    ["at most what is free", { chargedMicros: 20, freeMicros: 9 }, 9],
    ["what they paid before, too", { chargedMicros: 8, grantedMicros: 3, freeMicros: 0 }, 3],
    ["nothing that was used before the latest grant", { chargedMicros: 9, extraMicros: 3, freeMicros: 9 }, 1],
    ["what a lower cap leaves open", { chargedMicros: 4, freeMicros: 9, rooms: [-2, undefined] }, 2],
    ["what another run's hold needs of the cap", { chargedMicros: 5, freeMicros: 9, rooms: [-5] }, 5],
    ["less again once that hold is released", { chargedMicros: 6, grantedMicros: 5, rooms: [4] }, 1],
    ["nothing again", { chargedMicros: 3, grantedMicros: 2, rooms: [2] }, 0],
    ["never more than was charged", { chargedMicros: 1, freeMicros: 9, rooms: [-8] }, 1],
  ])("%s", (_, change, expected) => {
    expect(grantedPart(facts(change))).toBe(expected);
  });

  test("is the same for every order in which charges come, if grants suffice", () => {
    const charge = fc.nat(20);
    fc.assert(
      fc.property(fc.array(charge), fc.nat(30), fc.nat(500), (charges, includedMicros, credits) => {
        let [chargedMicros, grantedMicros] = [0, 0];
        for (const each of charges) {
          chargedMicros += each;
          const freeMicros = credits - grantedMicros;
          grantedMicros = grantedPart(facts({ chargedMicros, grantedMicros, includedMicros, freeMicros }));
        }
        expect(grantedMicros).toBe(Math.min(credits, Math.max(0, chargedMicros - includedMicros)));
      }),
    );
  });
});

test("a hold takes from grants what the smallest cap doesn't leave", () => {
  expect(heldOfGrants(10, [12, undefined])).toBe(0);
  expect(heldOfGrants(10, [12, 4])).toBe(6);
  expect(heldOfGrants(10, [-3])).toBe(10);
});

test("the soonest expiry comes first, then the oldest grant", () => {
  const grant = (id: string, day?: string) => ({ id, expiresAt: day === undefined ? null : new Date(day) });
  const sorted = [grant("a"), grant("d", "2026-05-01"), grant("c", "2026-04-01"), grant("b", "2026-05-01")];
  expect(sorted.sort(byExpiry).map(({ id }) => id)).toEqual(["c", "b", "d", "a"]);
});
