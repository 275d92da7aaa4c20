import { expect, test } from "bun:test";
import { formatLeft, windowState } from "../../../src/console/gateway/inbox/window-state.ts";

const now = Date.parse("2026-01-01T12:00:00.000Z");
const minutes = (count: number) => count * 60_000;

test("a window is open until its time, and closed from then on", () => {
  expect(windowState("2026-01-01T12:00:00.001Z", now)).toEqual({ state: "open", leftMs: 1 });
  expect(windowState("2026-01-01T12:00:00.000Z", now)).toEqual({ state: "closed" });
});

test("a channel without a window has none, and of a user who never wrote only the provider knows", () => {
  expect(windowState(undefined, now)).toEqual({ state: "none" });
  expect(windowState(null, now)).toEqual({ state: "unknown" });
});

test.each([
  [minutes(0.9), "< 1 min"],
  [minutes(59.9), "59 min"],
  [minutes(60), "1 h"],
  [minutes(192.5), "3 h 12 min"],
  [minutes(23 * 60 + 59), "23 h"],
])("%d ms are left as %s, never more than there is", (ms, text) => {
  expect(formatLeft(ms)).toBe(text);
});
