import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { pages } from "../../../src/console/areas.ts";
import { browserMissing, openBrowser, type Visit } from "../../support/browser.ts";
import { loadPage, visitPage } from "../../support/console-page.ts";
import { addressesOf } from "../../support/console-pages.ts";
import { type ConsoleWorld, startConsoleWorld } from "../../support/console-world.ts";
import { executableBuilt, executableTest } from "../../support/executable.ts";

/** A silent read is noticed by waiting this long for its report. */
const silentAfterMs = 15_000;

const pathOf = (address: string) => {
  const { pathname, search } = new URL(address);
  return `${pathname}${search}`;
};

/** Loads the page while the reads are refused. Returns those that the page asked for, with the reason given to each. */
async function loadRefused(page: Page, address: string, reads: ReadonlySet<string>) {
  const reasons = new Map<string, string>();
  await page.route(
    (url) => reads.has(pathOf(url.href)),
    async (route) => {
      const read = pathOf(route.request().url());
      const reason = reasons.get(read) ?? `Planted fault ${reasons.size + 1}.`;
      reasons.set(read, reason);
      const json = read.startsWith("/console/api/gateway/")
        ? { error: reason }
        : { error: "forbidden", message: reason };
      await route.fulfill({ status: 403, json });
    },
  );
  await page.goto(new URL(address, page.url()).href);
  // A page whose first read fails shows the reason in place of its heading.
  await page.waitForFunction(
    () =>
      document.querySelector('main [role="alert"], h1:not([data-left])') !== null &&
      document.querySelector('[role="status"], .mantine-Skeleton-root') === null,
    undefined,
    { polling: 50 },
  );
  return reasons;
}

describe("reads that fail", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio");
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  for (const { path } of pages) {
    executableTest(
      `${path}: the reason of each read that is 403 is on the page`,
      async () => {
        const { page } = opened;
        const address = addressesOf(world.names).find((one) => one.page === path)?.address ?? "";
        const unseen = new Set<string>();
        page.on("request", (request) => {
          const read = pathOf(request.url());
          if (request.method() === "GET" && read.startsWith("/console/api/")) unseen.add(read);
        });
        await loadPage(opened, address);
        page.removeAllListeners("request");
        let silent: string[] = [];
        // Parts that need a read ask for their own only when it succeeds, and a part with several reads shows one reason: those that are not
        // reported follow in another round.
        for (let isProgress = true; isProgress; ) {
          const reasons = await loadRefused(page, address, unseen);
          silent = [];
          for (const [read, reason] of reasons) {
            const report = page.locator('[role="alert"]', { hasText: reason }).first();
            await report.waitFor({ timeout: silentAfterMs }).then(
              () => unseen.delete(read),
              () => silent.push(read),
            );
          }
          await page.unrouteAll();
          isProgress = reasons.size > silent.length;
        }
        expect(silent).toEqual([]);
      },
      browserMissing,
    );
  }
});
