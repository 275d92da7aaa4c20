import { expect, test } from "bun:test";
import { exhaustedMs, requestedWaitMs } from "../../../src/retrieval/vendor/retry-after.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const clock = new FakeClock("2026-01-01T00:00:00.000Z");

const table: [headers: Record<string, string>, waitMs: number | undefined][] = [
  [{}, undefined],
  [{ "retry-after": "3" }, 3000],
  [{ "retry-after": "0" }, 0],
  [{ "retry-after": " 1.5 " }, 1500],
  [{ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }, 60_000],
  [{ "retry-after": "Wed, 31 Dec 2025 00:00:00 GMT" }, 0],
  [{ "retry-after": "soon" }, undefined],
  [{ "retry-after": "-3" }, undefined],
  [{ "retry-after": "999999999" }, 600_000],
  [{ "retry-after-ms": "250", "retry-after": "9" }, 250],
  [{ "retry-after-ms": "x", "retry-after": "9" }, 9000],
  [{ "x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s" }, 360_000],
  [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "120ms" }, 120],
  [{ "x-ratelimit-remaining-tokens": "5", "x-ratelimit-reset-tokens": "120ms" }, undefined],
  [{ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "later" }, undefined],
  [
    {
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "2",
      "x-ratelimit-remaining-requests": "0",
      "x-ratelimit-reset-requests": "1s",
    },
    2000,
  ],
];
test.each(table)("headers %#", (headers, waitMs) => {
  expect(requestedWaitMs(new Headers(headers), clock)).toBe(waitMs as number);
});

test("an answer that leaves something asks for no wait", () => {
  expect(exhaustedMs(new Headers({ "retry-after": "3" }))).toBeUndefined();
});
