import { expect, test } from "bun:test";
import fc from "fast-check";
import { channels } from "../../../src/channels/channel-registry.ts";
import type { MessagePart } from "../../../src/channels/sending/outgoing-message.ts";
import { SendRates } from "../../../src/channels/sending/send-rates.ts";

const tenASecond = { account: { perSecond: 10, burst: 3 } };

test("a burst goes at once, then calls follow at the rate, and a pause fills the bucket again", () => {
  const rates = new SendRates();
  const reserve = (nowMs: number) => rates.reserve("a", tenASecond, nowMs, 60_000);
  expect([0, 0, 0, 0, 0].map(reserve)).toEqual([0, 0, 0, 100, 200]);
  expect([10_000, 10_000, 10_000, 10_000].map(reserve)).toEqual([0, 0, 0, 100]);
});

test("a call that would wait too long takes no place", () => {
  const rates = new SendRates();
  for (let call = 0; call < 4; call++) rates.reserve("a", tenASecond, 0, 1_000);
  expect(rates.reserve("a", tenASecond, 0, 150)).toBe(200);
  expect(rates.reserve("a", tenASecond, 0, 200)).toBe(200);
  expect(rates.reserve("b", tenASecond, 0, 0)).toBe(0);
});

test("one full bucket of several is enough to wait, and its waiting calls use nothing of the others", () => {
  const rates = new SendRates();
  const to = (recipient: string) => ({
    account: { perSecond: 10, burst: 2 },
    [`to ${recipient}`]: { perSecond: 1, burst: 1 },
  });
  expect(rates.reserve("a", to("x"), 0, 0)).toBe(0);
  expect(rates.reserve("a", to("x"), 0, 0)).toBe(1_000);
  expect(rates.reserve("a", to("y"), 0, 0)).toBe(0);
  expect(rates.reserve("a", to("z"), 0, 0)).toBe(100);
});

test("never more calls in any window than the burst and the rate allow", () => {
  const gaps = fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(
      gaps,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 1, max: 100 }),
      (waits, burst, perSecond) => {
        const rates = new SendRates();
        let nowMs = 0;
        const calls: number[] = [];
        for (const gap of waits) {
          nowMs += gap;
          calls.push(
            nowMs + rates.reserve("a", { account: { perSecond, burst } }, nowMs, Number.POSITIVE_INFINITY),
          );
        }
        for (const [at, first] of calls.entries())
          for (const [more, last] of calls.slice(at).entries())
            expect(more + 1).toBeLessThanOrEqual(burst + ((last - first) / 1000) * perSecond + 1e-6);
      },
    ),
    { numRuns: 200, seed: 7 },
  );
});

test("buckets that are full again are dropped, so that recipients of long ago take no memory", () => {
  const rates = new SendRates();
  for (let recipient = 0; recipient < 50_000; recipient++)
    rates.reserve("a", { [`to ${recipient}`]: { perSecond: 1, burst: 2 } }, recipient, 0);
  expect(rates.size).toBeLessThan(5_000);
});

test("the providers' documented rates", () => {
  const text: MessagePart = { index: 0, kind: "text", text: "Hello" };
  const image: MessagePart = {
    index: 0,
    kind: "media",
    media: { kind: "image", url: "https://a.example/b.png" },
  };
  const ratesOf = (channel: string, part: MessagePart, to: string) =>
    [...channels.values()].find(({ name }) => name === channel)?.limits.ratesOf(part, to);
  expect(ratesOf("phone_messenger", text, "52155")).toEqual({
    account: { perSecond: 80, burst: 80 },
    "to 52155": { perSecond: 1 / 6, burst: 45 },
  });
  expect(ratesOf("bot_messenger", text, "7")).toMatchObject({ "to 7": { perSecond: 1 } });
  expect(ratesOf("bot_messenger", text, "-100")).toMatchObject({
    "to -100": { perSecond: 1 / 3, burst: 20 },
  });
  expect(ratesOf("photo_social", text, "7")).toEqual({ text: { perSecond: 300, burst: 300 } });
  expect(ratesOf("photo_social", image, "7")).toEqual({ media: { perSecond: 10, burst: 10 } });
});
