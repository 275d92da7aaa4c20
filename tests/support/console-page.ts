import type { Browser, Locator, Page, Request, Response } from "playwright-core";
import { type Visit, type VisitOptions, visit } from "./browser.ts";

/** Waits until the page has its heading and nothing on it is loading. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const heading = document.querySelector("h1:not([data-left])");
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

/**
 * Loads a page of the console anew in an open window, and forgets the complaints about earlier pages. This takes a third of the CPU time of
 * another profile, which has to sign in and has no code in its cache.
 */
export async function loadPage({ page, complaints }: Visit, path: string): Promise<void> {
  complaints.length = 0;
  await page.goto(new URL(path, page.url()).href);
  await settled(page);
}

/**
 * Opens another page of the console as a link in it does, and waits until the page has its heading and all data that it asked for. This takes
 * a quarter of the CPU time of loading the console. The console is loaded if the address differs only in its query, because such a page keeps
 * its heading, and if the page has unsaved changes. The console does not ask again for data that it read in the last five seconds: if a test
 * has changed such data by the API, it opens the page by `page.goto`.
 */
export async function goTo(page: Page, path: string): Promise<void> {
  const address = new URL(path, page.url()).href;
  const asked = new Set<Request>();
  let wake = () => {};
  const begin = (request: Request) => void asked.add(request);
  const end = (request: Request) => {
    asked.delete(request);
    wake();
  };
  // A stream of events has no end.
  const answer = (response: Response) => {
    if (response.headers()["content-type"]?.startsWith("text/event-stream")) end(response.request());
  };
  page.on("request", begin).on("response", answer).on("requestfinished", end).on("requestfailed", end);
  try {
    if (!(await follow(page, address))) await page.goto(address);
    await settled(page);
    while (asked.size > 0) {
      await new Promise<void>((ended) => {
        wake = ended;
      });
      // The page shows the answer, and may ask for more.
      if (asked.size === 0) await page.evaluate(() => new Promise((shown) => setTimeout(shown, 0)));
    }
    await settled(page);
  } finally {
    page.off("request", begin).off("response", answer).off("requestfinished", end).off("requestfailed", end);
  }
}

/** Goes to an address of the console without loading it. Returns false if the old page would keep its heading, or asks before it is left. */
const follow = (page: Page, address: string): Promise<boolean> =>
  page.evaluate((to) => {
    const { origin, pathname } = new URL(to);
    const heading = document.querySelector<HTMLElement>("main h1");
    if (heading === null || origin !== location.origin || pathname === location.pathname) return false;
    // The frame removes the old page with its heading once it draws the new one.
    heading.dataset.left = "";
    history.pushState(null, "", to);
    return location.pathname === pathname;
  }, address);

/** Finds a field by its label, without the mark for required fields. */
export const inputOf = (dialog: Locator, label: string): Locator =>
  dialog
    .locator("label")
    .filter({ hasText: new RegExp(`^${label}( \\*)?$`) })
    .locator("xpath=..")
    .locator("input, textarea")
    .first();
