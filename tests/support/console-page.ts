import type { Page } from "playwright-core";

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
