import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { browserMissing, openBrowser, type Visit } from "../support/browser.ts";
import { visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

describe("traces of tenants", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio/dashboard?by=tenant");
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "open from the dashboard, where tenants have their names, and from the operator's page of the run",
    async () => {
      const { page, complaints } = opened;
      const isTrace = () => page.getByRole("heading", { level: 1, name: "Run of helper" }).waitFor();
      await page.getByRole("table", { name: "Tenant" }).getByRole("link", { name: "Ada Ltd" }).click();
      await page.getByRole("table", { name: "Traces" }).getByRole("link", { name: "helper" }).first().click();
      await isTrace();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();

      const run = `/platform/operator/invocations/${world.names.invocation}`;
      await page.goto(new URL(run, page.url()).href);
      await page.getByRole("heading", { level: 1, name: "Run: helper" }).waitFor();
      await page.getByRole("heading", { name: "Timeline" }).waitFor();
      await page.getByRole("link", { name: "Trace", exact: true }).click();
      await isTrace();
      expect(await page.locator('[role="alert"]').allInnerTexts()).toEqual([]);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});
