import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { pages } from "../../src/console/pages.ts";
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  visit,
} from "../support/browser.ts";
import { settled } from "../support/console-page.ts";
import { addressesOf, fileNameOf } from "../support/console-pages.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

describe("every page of the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
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
        for (const [colorScheme, viewport] of [
          ["light", wide],
          ["dark", wide],
          ["light", narrow],
        ] as const) {
          await using opened = await visit(browser, await world.link(), { colorScheme, viewport });
          const { page, complaints } = opened;
          await settled(page);
          await page.goto(new URL(address, page.url()).href);
          await settled(page);
          expect(await page.locator("h1").count(), "one heading of the first level").toBe(1);
          expect(await page.locator('[role="alert"]').allInnerTexts()).toEqual([]);
          expect(await accessFaults(page)).toEqual([]);
          expect(await overflowOf(page), "pixels beyond the window").toBeLessThanOrEqual(0);
          expect(complaints).toEqual([]);
          const size = viewport === narrow ? "narrow" : colorScheme;
          await keepScreenshot(page, `${fileNameOf(path)}-${size}`);
        }
      },
      browserMissing,
    );
  }
});
