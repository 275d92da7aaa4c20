import { expect, test } from "bun:test";
import fc from "fast-check";
import { isCanarySession } from "../../../../src/services/daemon/agents/canary-share.ts";

test("a session stays with its version, and a larger share keeps the sessions of a smaller one", () => {
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.integer({ min: 1, max: 49 }),
      (fingerprint, session, percent) => {
        const of = (share: number) => isCanarySession({ agent: "a", fingerprint, percent: share }, session);
        expect(of(percent)).toBe(of(percent));
        if (of(percent)) expect(of(percent + 1)).toBe(true);
      },
    ),
  );
});

test("the hash is the same in every process and release", () => {
  const canary = { agent: "clerk", fingerprint: "f", percent: 50 };
  const sessions = ["s1", "s2", "s3", "s4", "s5", "s6", "s7", "s8"];
  expect(sessions.map((session) => Number(isCanarySession(canary, session))).join("")).toBe("10010101");
});

test("the share of sessions is within five standard errors of its percentage", () => {
  const sessions = 20_000;
  for (const percent of [1, 10, 50]) {
    let count = 0;
    for (let number = 0; number < sessions; number++)
      if (isCanarySession({ agent: "clerk", fingerprint: "f", percent }, `session-${number}`)) count++;
    const share = percent / 100;
    const margin = 5 * Math.sqrt((share * (1 - share)) / sessions);
    expect(Math.abs(count / sessions - share)).toBeLessThan(margin);
  }
});
