import type { Page } from "playwright-core";

/** Waits until the page has its heading and nothing on it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator("h1").first().waitFor();
  await page.waitForFunction(
    () => document.querySelector('[role="status"], .mantine-Skeleton-root') === null,
  );
}
