import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CaseResult, EvalRunHead } from "../../../../src/contracts/evals/eval-run.ts";
import { htmlReport } from "../../../../src/evals/report/html.ts";
import { summarize } from "../../../../src/evals/report/summarize.ts";
import { browserMissing, openBrowser, visit } from "../../../support/browser.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

const head: EvalRunHead = {
  id: "20260101T000000Z-e-000000",
  eval: "e",
  file: "e.eval.yaml",
  agent: "a",
  agent_checksum: "",
  argosy: "1",
  started_at: "2026-01-01T00:00:00.000Z",
  mode: "live",
  digest: "",
  targets: ["agent"],
  cases: 10_000,
  repeat: 1,
};

const resultOf = (number: number): CaseResult => {
  const passed = number !== 7000;
  return {
    case: `c${number}`,
    target: "agent",
    repeat: 1,
    passed,
    checks: [{ check: "contains", kind: "contains", passed, ...(!passed && { reason: "it is not there" }) }],
    turns: [{ query: `question ${number}`, response: "</script><b>answer</b>", calls: [] }],
    steps: 1,
    tokens: 1,
    cost_usd: 0,
    latency_ms: 1,
  };
};

test.skipIf(browserMissing !== undefined)(
  "a report of 10,000 results draws only what is visible, failed cases first, in light and dark",
  async () => {
    using folder = temporaryFolder();
    const results = Array.from({ length: 10_000 }, (_, index) => resultOf(index + 1));
    const path = join(folder.path, "report.html");
    writeFileSync(path, htmlReport([{ run: head, results, summary: summarize(head, results, "complete") }]));
    await using browser = await openBrowser();
    const backgrounds: string[] = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await using visited = await visit(browser, `file://${path}`, { colorScheme });
      const { page, complaints } = visited;
      await page.waitForSelector(".row");
      expect(await page.locator(".row").count()).toBeLessThan(60);
      expect(await page.locator(".row").first().textContent()).toContain("failed c7000");
      expect(await page.locator("#detail").textContent()).toContain("it is not there");
      expect(await page.locator("#detail pre").nth(1).textContent()).toBe("</script><b>answer</b>");
      await page.fill("#find", "question 9999");
      expect(await page.locator("#count").textContent()).toBe("1 of 10000 results");
      backgrounds.push(await page.evaluate(() => getComputedStyle(document.body).backgroundColor));
      expect(complaints).toEqual([]);
    }
    expect(new Set(backgrounds).size).toBe(2);
  },
);
