import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { pages } from "../../src/console/areas.ts";
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  type Visit,
  visit,
} from "../support/browser.ts";
import { settled } from "../support/console-page.ts";
import { addressesOf, fileNameOf } from "../support/console-pages.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

/** Each page opens once in a window of each size; a wide one then turns dark, as it does in the evening. */
const views = [
  { name: "light", viewport: { width: 1280, height: 800 } },
  { name: "narrow", viewport: { width: 360, height: 740 } },
] as const;

async function turn(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (wanted) => document.documentElement.dataset.mantineColorScheme === wanted,
    colorScheme,
  );
}

describe("every page of the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  /** One signed-in window for each size. */
  const windows = new Map<string, Visit>();
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    for (const { name, ...options } of views) {
      const opened = await visit(browser, await world.link(), options);
      await settled(opened.page);
      windows.set(name, opened);
    }
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  for (const { path } of pages) {
    executableTest(
      `${path}: shows its data without a complaint, light, dark and narrow, to everybody`,
      async () => {
        const address = addressesOf(world.names).find(({ page }) => page === path)?.address ?? "";
        for (const [name, { page, complaints }] of windows) {
          complaints.length = 0;
          await page.goto(new URL(address, page.url()).href);
          await settled(page);
          expect(await page.locator("h1").count(), "one heading of the first level").toBe(1);
          expect(await page.locator('[role="alert"]').allInnerTexts()).toEqual([]);
          expect(await overflowOf(page), "pixels beyond the window").toBeLessThanOrEqual(0);
          // The narrow window has the same elements as the wide one.
          if (name !== "narrow") expect(await accessFaults(page)).toEqual([]);
          expect(complaints).toEqual([]);
          await keepScreenshot(page, `${fileNameOf(path)}-${name}`);
          if (name === "narrow") continue;
          await turn(page, "dark");
          await settled(page);
          expect(await page.locator('[role="alert"]').allInnerTexts()).toEqual([]);
          expect(await overflowOf(page), "pixels beyond the dark window").toBeLessThanOrEqual(0);
          // The same elements in other colors.
          expect(await accessFaults(page, ["color-contrast"])).toEqual([]);
          expect(complaints).toEqual([]);
          await keepScreenshot(page, `${fileNameOf(path)}-dark`);
          await turn(page, "light");
        }
      },
      browserMissing,
    );
  }
});
