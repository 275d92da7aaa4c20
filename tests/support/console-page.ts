import type { Browser, Locator, Page } from "playwright-core";
import { type Visit, type VisitOptions, visit } from "./browser.ts";

/** Waits until the page has its heading and nothing on it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const heading = document.querySelector("h1");
      const loading = document.querySelector('[role="status"], .mantine-Skeleton-root');
      return heading?.checkVisibility() === true && loading === null;
    },
    undefined,
    // By default a page is asked, and painted, sixty times a second.
    { polling: 50 },
  );
}

/**
 * Opens a page of the console, signed in by a one-time link, in a profile of its own, and waits until it stands. The link's token is put on
 * the page's own address: through the start page, each test would load the whole console twice.
 */
export async function visitPage(
  browser: Browser,
  link: string,
  path: string,
  options?: VisitOptions,
): Promise<Visit> {
  const opened = await visit(browser, new URL(`${path}${new URL(link).hash}`, link).href, options);
  await settled(opened.page);
  return opened;
}

/** Finds a field by its label, without the mark for required fields. */
export const inputOf = (dialog: Locator, label: string): Locator =>
  dialog
    .locator("label")
    .filter({ hasText: new RegExp(`^${label}( \\*)?$`) })
    .locator("xpath=..")
    .locator("input, textarea")
    .first();
