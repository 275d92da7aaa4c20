import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "playwright-core";
import { keepNotices } from "./notices.ts";
import { shownPages } from "./shown-pages.ts";

/** The browser without windows first: it takes a third less CPU time than one that hides them. */
const places = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map(
  (name) => `/usr/bin/${name}`,
);
const program = [process.env.ARGOSY_TEST_CHROMIUM ?? "", ...places].find(
  (path) => path !== "" && existsSync(path),
);

/** Why no browser can be opened here; undefined if one can. */
export const browserMissing = program === undefined ? "Chromium is not installed" : undefined;

const root = join(import.meta.dir, "../..");
/** Kept for a later inspection of the run. */
const screenshots = join(root, "dist/screenshots");

/** Starts a separate browser, which is closed at the end of the `await using` block. */
export async function openBrowser(): Promise<Browser> {
  return chromium.launch({
    ...(program === undefined ? {} : { executablePath: program }),
    // Tests may run as root and with little shared memory, and imitating a graphics card takes a fifth of the CPU time.
    args: [
      "--no-sandbox",
      "--disable-dev-shm-usage",
      "--force-color-profile=srgb",
      "--disable-gpu",
      "--disable-software-rasterizer",
      // No page lives long enough to earn back what optimizing its scripts costs.
      "--js-flags=--max-optimized-bytecode-size=0",
    ],
  });
}

export interface VisitOptions {
  colorScheme?: "light" | "dark";
  viewport?: { width: number; height: number };
  /** BCP 47 tag. */
  locale?: string;
  /** True if the page may use the clipboard, as only pages with TLS and those of localhost may. */
  clipboard?: boolean;
}

/** A page in a profile of its own, with its errors. */
export interface Visit extends AsyncDisposable {
  page: Page;
  /** Messages of the browser: errors, violations of the policy, dialogs. */
  complaints: string[];
}

export async function visit(browser: Browser, url: string, options: VisitOptions = {}): Promise<Visit> {
  const {
    colorScheme = "light",
    viewport = { width: 1280, height: 800 },
    locale = "en-GB",
    clipboard = false,
  } = options;
  const context = await browser.newContext({ colorScheme, viewport, locale, reducedMotion: "reduce" });
  // Half of a test's own limit: the error names what the page lacks, and a busy machine is not a fault of the page.
  context.setDefaultTimeout(120_000);
  // As on a page that another machine serves without TLS. On localhost, where the tests' pages are, a browser offers all of this.
  await context.addInitScript((hasClipboard) => {
    Reflect.deleteProperty(Crypto.prototype, "randomUUID");
    Reflect.deleteProperty(Crypto.prototype, "subtle");
    if (!hasClipboard) Reflect.deleteProperty(Navigator.prototype, "clipboard");
  }, clipboard);
  await context.addInitScript(keepNotices);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("dialog", async (dialog) => {
    // A page with unsaved changes asks before it is left.
    if (dialog.type() === "beforeunload") return dialog.accept();
    complaints.push(`A dialog said: ${dialog.message()}`);
    await dialog.dismiss();
  });
  shownPages.add(page);
  await page.goto(url);
  return {
    page,
    complaints,
    async [Symbol.asyncDispose]() {
      await shownPages.leave(page);
      await context.close();
    },
  };
}

const axe = () => readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8");

/** Returns the faults that axe-core finds in the page, each with its elements; with `rules`, only those of these rules. */
export async function accessFaults(page: Page, rules?: readonly string[]): Promise<string[]> {
  // The page's policy refuses script elements, but the debugger may evaluate code; once for each document.
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(axe());
  return page.evaluate(async (runOnly) => {
    // A color on its way to another theme's is not what a reader sees.
    for (const animation of document.getAnimations())
      if (animation instanceof CSSTransition) animation.finish();
    const found = await (globalThis as unknown as { axe: Axe }).axe.run({
      reporter: "no-passes",
      ...(runOnly === undefined ? {} : { runOnly: [...runOnly] }),
    });
    return found.violations.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, any }) => `${id}: ${help}: ${target.join(" ")} ${any[0]?.message ?? ""}`),
    );
  }, rules);
}

/** Shows the page in a color scheme, as when the device's own setting changes. */
export async function showIn(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.waitForFunction(
    (wanted) => document.documentElement.dataset.mantineColorScheme === wanted,
    colorScheme,
  );
}

/** Returns the faults of a light page in both color schemes; the dark page has the same elements in other colors. */
export async function accessFaultsInBothColors(page: Page): Promise<string[]> {
  const light = await accessFaults(page);
  await showIn(page, "dark");
  const dark = await accessFaults(page, ["color-contrast"]);
  await showIn(page, "light");
  return [...light, ...dark];
}

interface Axe {
  run(options: { reporter: "no-passes"; runOnly?: string[] }): Promise<{
    violations: { id: string; help: string; nodes: { target: string[]; any: { message: string }[] }[] }[];
  }>;
}

const keepsScreenshots = process.env.ARGOSY_TEST_SCREENSHOTS === "1";

/** Saves a screenshot of the whole page under `dist/screenshots` if `ARGOSY_TEST_SCREENSHOTS` is 1; they take a fifth of a page's time. */
export async function keepScreenshot(page: Page, name: string): Promise<void> {
  if (!keepsScreenshots) return;
  mkdirSync(screenshots, { recursive: true });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: join(screenshots, `${name}.png`), fullPage: true });
}

/** Saves a screenshot of a light page, and one of the page in dark colors. */
export async function keepScreenshotInBothColors(page: Page, name: string): Promise<void> {
  if (!keepsScreenshots) return;
  await keepScreenshot(page, name);
  await showIn(page, "dark");
  await keepScreenshot(page, `${name}-dark`);
  await showIn(page, "light");
}

/** Returns how far the page is wider than the window, in pixels. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
