import { expect, test } from "bun:test";
import {
  formatAgo,
  formatBytes,
  formatCompact,
  formatCredits,
  formatDuration,
  formatMicrosUsd,
  formatNumber,
  formatPercent,
  formatUsd,
} from "../../../../src/console/parts/text/format.ts";

/** Replaces non-breaking spaces and similar characters of other languages. */
const plain = (text: string) => text.replaceAll(/[\s\u202f\u00a0]+/g, " ");

test.each([
  [0.4, "0.4 ms"],
  [7.25, "7.3 ms"],
  [240.4, "240 ms"],
  [1532, "1.53 s"],
  [125_000, "2 min 5 s"],
])("%f ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1536, "1.5 KiB"],
  [3 * 1024 ** 3, "3 GiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("small amounts keep the digits that matter", () => {
  expect(formatUsd(0.000123)).toContain("0.000123");
  expect(formatUsd(12.5)).toContain("12.50");
  expect(formatMicrosUsd(2_500_000)).toContain("2.50");
  expect(formatCredits(1_234_567)).toBe("1.234567");
});

test("numbers are written as they are typed, whatever the browser's language", () => {
  expect(formatNumber(1234567.5)).toBe("1,234,567.5");
  expect(formatCompact(12_345)).toBe("12.3k");
  expect(formatPercent(0.0446)).toBe("4.5%");
  expect(formatMicrosUsd(1_250_500_000)).toBe("$1,250.50");
});

test("how long ago", () => {
  const now = Date.parse("2026-03-11T12:00:00.000Z");
  const ago = (seconds: number) => plain(formatAgo(new Date(now - seconds * 1000).toISOString(), now));
  expect(ago(30)).toContain("30");
  expect(ago(300)).toContain("5");
  expect(ago(7_200)).toContain("2");
  expect(ago(30 * 86_400)).toContain("2026");
});
