import { expect, test } from "bun:test";
import fc from "fast-check";
import { createSenderLimit } from "../../../src/channels/inbox/sender-limit.ts";

const limit = () => createSenderLimit({ messagesMax: 2, windowMs: 1000 });

test("a window begins with a message; the first beyond the limit gets a notice, the others are ignored", () => {
  const take = limit();
  const verdicts = [0, 10, 20, 30, 999, 1000, 1001, 1999, 2000].map((ms) => take("a", new Date(ms)));
  expect(verdicts.join(" ")).toBe("answer answer tell ignore ignore answer answer tell answer");
});

test("senders don't count for each other, and a clock that is set back begins a new window", () => {
  const take = limit();
  for (const sender of ["a", "b"]) {
    expect([take(sender, new Date(5000)), take(sender, new Date(5000))]).toEqual(["answer", "answer"]);
  }
  expect(take("a", new Date(5001))).toBe("tell");
  expect(take("a", new Date(1000))).toBe("answer");
});

test("any stream of messages: each window has at most the limit of answers, and one notice", () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 600 }), { maxLength: 50 });
  fc.assert(
    fc.property(gaps, (between) => {
      const take = limit();
      let atMs = 0;
      const told: number[] = [];
      const answered: number[] = [];
      for (const gap of between) {
        atMs += gap;
        const verdict = take("a", new Date(atMs));
        if (verdict === "tell") told.push(atMs);
        if (verdict === "answer") answered.push(atMs);
      }
      // Two windows overlap any period of a window's length.
      for (const start of answered) {
        expect(answered.filter((one) => one >= start && one < start + 1000).length).toBeLessThanOrEqual(4);
      }
      for (const start of told) {
        expect(told.filter((one) => one > start && one < start + 1000).length).toBeLessThanOrEqual(1);
      }
    }),
  );
});

test("senders that fell silent are forgotten when there are many", () => {
  const take = limit();
  for (let sender = 0; sender < 10_000; sender++) take(String(sender), new Date(0));
  take("0", new Date(1));
  take("one more", new Date(500));
  expect(take("0", new Date(501))).toBe("tell");
  for (let sender = 0; sender < 10; sender++) expect(take(`new ${sender}`, new Date(2000))).toBe("answer");
});
