import { expect, test } from "bun:test";
import { formatAgo, formatBytes, formatDuration } from "../../../../src/console/parts/text/format.ts";

const module = Bun.resolveSync("../../../../src/console/parts/text/format.ts", import.meta.dir);
const moneyModule = Bun.resolveSync("../../../../src/console/parts/text/money.ts", import.meta.dir);

/** Replaces non-breaking spaces and similar characters of other languages. */
const plain = (text: string) => text.replaceAll(/[\s\u202f\u00a0]+/g, " ");

test.each([
  [0.4, "0.4 ms"],
  [7.25, "7.3 ms"],
  [240.4, "240 ms"],
  [999.4, "999 ms"],
  [999.6, "1 s"],
  [1532, "1.53 s"],
  [59_994, "59.99 s"],
  [59_996, "1 min 0 s"],
  [119_400, "1 min 59 s"],
  [119_600, "2 min 0 s"],
  [125_000, "2 min 5 s"],
])("%f ms is %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [0, "0 B"],
  [1023, "1,023 B"],
  [1024, "1 KiB"],
  [1536, "1.5 KiB"],
  [1_048_500, "1,023.9 KiB"],
  [1_048_570, "1 MiB"],
  [3 * 1024 ** 3, "3 GiB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  ["en", ["en-GB"], "1,234,567.5 | 4.5% | $1,250.50 | 1 Mar 2026"],
  ["en", ["de-DE", "en-US"], "1,234,567.5 | 4.5% | $1,250.50 | Mar 1, 2026"],
  ["en", ["de-DE"], "1,234,567.5 | 4.5% | $1,250.50 | 1 Mar 2026"],
  ["es", ["es-MX", "es"], "1,234,567.5 | 4.5% | $1,250.50 | 1 mar 2026"],
  ["es", ["en-US", "es-AR"], "1.234.567,5 | 4,5% | $ 1.250,50 | 1 mar 2026"],
  ["es", ["es-ES"], "1.234.567,5 | 4,5 % | 1250,50 $ | 1 mar 2026"],
  ["es", ["en-US"], "1,234,567.5 | 4.5% | $1,250.50 | 1 mar 2026"],
])("a page in %s shows numbers, money and days to a browser in %p as %p", (lang, languages, shown) => {
  const script = `
    globalThis.document = { documentElement: { lang: ${JSON.stringify(lang)} } };
    Object.defineProperty(globalThis, "navigator", { value: { languages: ${JSON.stringify(languages)} } });
    const { formatNumber, formatPercent, formatDay } = await import(${JSON.stringify(module)});
    const { usdText } = await import(${JSON.stringify(moneyModule)});
    const texts = [formatNumber(1234567.5), formatPercent(0.0446), usdText(1250500000), formatDay("2026-03-01")];
    console.log(texts.join(" | "));`;
  const { stdout } = Bun.spawnSync([process.execPath, "--eval", script]);
  expect(plain(stdout.toString().trim())).toBe(shown);
});

test("how long ago", () => {
  const now = Date.parse("2026-03-11T12:00:00.000Z");
  const ago = (seconds: number) => plain(formatAgo(new Date(now - seconds * 1000).toISOString(), now));
  expect(ago(30)).toContain("30");
  expect(ago(300)).toContain("5");
  expect(ago(7_200)).toContain("2");
  expect(ago(59.7)).toBe(ago(60));
  expect(ago(3_590)).toBe(ago(3_600));
  expect(ago(-3_590)).toBe(ago(-3_600));
  expect(ago(86_000)).toBe(ago(86_400));
  expect(ago(30 * 86_400)).toContain("2026");
});

test.each(["Pacific/Kiritimati", "Pacific/Pago_Pago"])("a day in UTC is the same day in %s", (zone) => {
  const script = `
    const { formatDay, formatShortDay } = await import(${JSON.stringify(module)});
    console.log(formatDay("2026-03-01"), "|", formatShortDay("2026-03-01"), "|", new Date(2026, 0, 1).toISOString());`;
  const { stdout } = Bun.spawnSync([process.execPath, "--eval", script], {
    env: { TZ: zone, LANG: "en_GB.UTF-8" },
  });
  const [day = "", shortDay = "", localMidnight] = stdout.toString().trim().split(" | ");
  // Proves that the zone is in force.
  expect(localMidnight).not.toContain("T00:00");
  for (const text of [day, shortDay]) expect(text).toMatch(/^(Mar 1|1 Mar)/);
});
