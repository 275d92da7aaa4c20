import { describe, expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { accessFaults, browserMissing, keepScreenshot, openBrowser, visit } from "../support/browser.ts";
import { consoleLink } from "../support/console-world.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { storeTraces } from "../support/stored-traces.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const count = 10_000;
/** Rows of a window of 800 pixels, and a dozen above and below it. */
const rowsMadeMax = 80;

describe("lists of the console that are long", () => {
  executableTest(
    "10,000 traces scroll to the last with only the rows in sight made, and no part of the list asked twice",
    async () => {
      using folder = temporaryFolder();
      await storeTraces(join(folder.path, ".argosy"), count);
      await using server = await startServer(folder.path);
      await using browser = await openBrowser();
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page, complaints } = opened;
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
      const asked: string[] = [];
      // A page asks again for what it shows once the server is back: a busy machine may look like one that was away.
      let lost = 0;
      page.on("requestfailed", () => lost++);
      page.on("request", (request) => {
        if (request.url().includes("/v1/traces?")) asked.push(request.url());
      });
      await page.getByRole("link", { name: "Traces", exact: true }).click();
      await page.getByRole("table", { name: "Traces" }).getByRole("row").nth(1).waitFor();

      const most = await scrollToTheEnd(page);
      expect(most).toBeGreaterThan(10);
      expect(most).toBeLessThanOrEqual(rowsMadeMax);

      const last = page.getByRole("row").last();
      expect(await last.getAttribute("aria-rowindex")).toBe(String(count + 1));
      expect(await last.getByRole("link").getAttribute("href")).toBe("/studio/traces/trace-0");
      expect(await last.isVisible()).toBe(true);
      expect(new Set(asked).size).toBe(count / 100);
      if (lost === 0) expect(asked).toHaveLength(count / 100);
      expect(await accessFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);

      await last.getByRole("link").click();
      await page.getByRole("heading", { level: 1, name: "Run of helper" }).waitFor();
      await page.goBack();
      await page.getByRole("table", { name: "Traces" }).getByRole("row").nth(1).waitFor();
      await keepScreenshot(page, "studio-traces-long");
      expect(server.stderr()).not.toContain('"level":"error"');
    },
    browserMissing,
  );
});

/** Scrolls to the end of the list each time that it has grown. Returns the maximum number of rows in the page. */
const scrollToTheEnd = (page: Page): Promise<number> =>
  page.evaluate(async () => {
    const table = document.querySelector('[role="table"]');
    let most = 0;
    const watch = () => {
      most = Math.max(most, document.querySelectorAll('[role="row"]').length);
    };
    new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
    const hasMore = () => table?.getAttribute("aria-rowcount") === "-1";
    const isAbove = () => window.scrollY + window.innerHeight < document.documentElement.scrollHeight - 1;
    const changed = () =>
      new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          observer.disconnect();
          resolve();
        });
        observer.observe(document.body, { attributes: true, childList: true, subtree: true });
      });
    while (hasMore() || isAbove()) {
      if (isAbove()) {
        window.scrollTo(0, document.documentElement.scrollHeight);
        await new Promise(requestAnimationFrame);
      } else await changed();
    }
    await new Promise(requestAnimationFrame);
    watch();
    return most;
  });
