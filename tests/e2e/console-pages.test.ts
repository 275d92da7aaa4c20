import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { pages } from "../../src/console/areas.ts";
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  showIn,
  type Visit,
  visit,
} from "../support/browser.ts";
import { goTo, settled } from "../support/console-page.ts";
import { addressesOf, fileNameOf } from "../support/console-pages.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { rawIds } from "../support/raw-ids.ts";

const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

describe("every page of the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visit(browser, await world.link(), { viewport: wide });
    await settled(opened.page);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "is served at its own address as well, for who loads it there",
    async () => {
      for (const { address } of addressesOf(world.names)) {
        const response = await fetch(new URL(address, opened.page.url()));
        expect(`${address} ${response.status}`).toBe(`${address} 200`);
        expect(await response.text(), address).toContain('<div id="root">');
      }
    },
    browserMissing,
  );

  for (const { path } of pages) {
    executableTest(
      `${path}: shows its data without a complaint, light, dark and narrow, to everybody`,
      async () => {
        const address = addressesOf(world.names).find(({ page }) => page === path)?.address ?? "";
        const { page, complaints } = opened;
        const looksRight = async (view: string, rules?: readonly string[]) => {
          await settled(page);
          expect(await page.locator('[role="alert"]').allInnerTexts(), view).toEqual([]);
          expect(await cutElements(page), view).toEqual([]);
          expect(await rawIds(page), `${view}: names in place of ids`).toEqual([]);
          expect(await accessFaults(page, rules), view).toEqual([]);
          expect(complaints, view).toEqual([]);
          await keepScreenshot(page, `${fileNameOf(path)}-${view}`);
        };
        complaints.length = 0;
        await goTo(page, address);
        expect(await page.locator("h1").count(), "one heading of the first level").toBe(1);
        await looksRight("light");
        // The same elements in other colors.
        await showIn(page, "dark");
        await looksRight("dark", ["color-contrast"]);
        await showIn(page, "light");
        await page.setViewportSize(narrow);
        await looksRight("narrow", ["target-size"]);
        await page.setViewportSize(wide);
      },
      browserMissing,
    );
  }
});
