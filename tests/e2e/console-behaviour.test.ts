import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page, Request } from "playwright-core";
import { accessFaults, browserMissing, openBrowser, visit } from "../support/browser.ts";
import { settled } from "../support/console-page.ts";
import { addressesOf } from "../support/console-pages.ts";
import { type ConsoleWorld, consoleLink, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

/** Limit for the first page, in bytes over the wire. */
const firstLoadBytesMax = 200 * 1024;

describe("the console as a whole", () => {
  let browser: Browser;
  /** A test ends its server, and no test after that one uses it. */
  let world: ConsoleWorld;
  /** A link that a window has used. */
  let link: string;
  let page: Page;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    link = await world.link();
    ({ page } = await visit(browser, link));
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "the first page is small, and one that nobody touches asks the server nothing",
    async () => {
      await using opened = await visit(browser, "about:blank");
      const { page } = opened;
      await page.clock.install();
      const wire = await page.context().newCDPSession(page);
      await wire.send("Network.enable");
      // Answers of the API are as long as a server's data, and may come before or after the heading.
      const data = new Set<string>();
      wire.on("Network.requestWillBeSent", ({ requestId, request }) => {
        if (new URL(request.url).pathname.startsWith("/console/api/")) data.add(requestId);
      });
      let bytes = 0;
      const asked: string[] = [];
      wire.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
        if (!data.has(requestId)) bytes += encodedDataLength;
      });
      page.on("request", (request) => asked.push(request.url()));

      await page.goto(await world.link());
      await shown(page, "Overview");
      expect(bytes).toBeGreaterThan(50 * 1024);
      expect(bytes).toBeLessThan(firstLoadBytesMax);

      const before = asked.length;
      await page.clock.fastForward("02:00:00");
      expect(asked.slice(before)).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "it goes on by itself when the server was stopped and started under it, and who was signed in still is",
    async () => {
      using folder = temporaryFolder();
      const first = await startServer(folder.path);
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page } = opened;
      await shown(page, "Overview");
      first.kill("SIGTERM");
      await first.exited;
      await page.getByRole("link", { name: "Doctor" }).click();
      await page.getByText("The server does not answer").first().waitFor();
      expect(await accessFaults(page)).toEqual([]);

      await using _again = await startServer(folder.path, { env: { PLATFORM_PORT: String(first.port) } });
      await page.getByText("The server does not answer").first().waitFor({ state: "detached" });
      await page.getByText("Healthy").first().waitFor();
      expect(new URL(page.url()).pathname).toBe("/studio/doctor");
    },
    browserMissing,
  );

  executableTest(
    "a link that was used opens nothing, and nothing of it stays in the address or the history",
    async () => {
      await shown(page, "Overview");
      expect(page.url()).not.toContain("open=");
      expect(world.server.stderr()).not.toContain(new URL(link).hash.slice("#open=".length));

      await using second = await visit(browser, link);
      await shown(second.page, "Sign in");
      expect(await second.page.getByRole("alert").innerText()).toContain("link");
      expect(await accessFaults(second.page)).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "everything is reached by the keyboard: the palette, a page, its first link",
    async () => {
      await shown(page, "Overview");
      await page.keyboard.press("Control+K");
      await page.getByLabel("Search and commands").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await page.keyboard.type("doct");
      await page.keyboard.press("Enter");
      await shown(page, "Doctor");
      await page.keyboard.press("Tab");
      const outline = await page.evaluate(
        () => getComputedStyle(document.activeElement as Element).outlineStyle,
      );
      expect(outline).not.toBe("none");
      await page.goBack();
      await shown(page, "Overview");
    },
    browserMissing,
  );

  executableTest(
    "without its server every page keeps what it has, under one banner and without a box",
    async () => {
      const pending = new Set<Request>();
      page.on("request", (request) => pending.add(request));
      for (const ended of ["requestfailed", "requestfinished"] as const) {
        page.on(ended as "requestfailed", (request) => pending.delete(request));
      }
      const addresses = addressesOf(world.names).map(({ address }) => address);
      for (const address of addresses) {
        await goTo(page, address);
        await settled(page);
      }
      world.server.kill("SIGTERM");
      await world.server.exited;

      // The last three were not open before: there is nothing to keep.
      const unseen = ["/studio/traces?agent=nobody", "/studio/costs?days=30", "/studio/recordings/unknown"];
      for (const address of [...addresses, ...unseen]) {
        await goTo(page, address);
        await page.locator(".ar-offline").waitFor();
        while (pending.size > 0) await page.waitForEvent("requestfailed");
        const shown = await page.locator('.ar-offline, [role="alert"]').allInnerTexts();
        expect({ address, shown }).toEqual({ address, shown: [expect.stringContaining("does not answer")] });
      }
      await goTo(page, "/studio/metrics");
      await page.getByRole("button", { name: "Reset" }).click();
      const failed = page.waitForEvent("requestfailed", (request) => request.method() !== "GET");
      await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
      await failed;
      expect(await page.locator('[role="alert"]').allInnerTexts()).toEqual([]);
    },
    browserMissing,
  );
});

/** Goes to another page as a link does, without loading the window again. */
const goTo = (page: Page, address: string): Promise<void> =>
  page.evaluate((to) => history.pushState(null, "", to), address);

const shown = (page: Page, heading: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name: heading }).waitFor();
