import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { browserMissing, openBrowser, visit } from "../../support/browser.ts";
import { executableBuilt, type ServerProcess } from "../../support/executable.ts";
import { apiToken, clientDaemon } from "./followed-daemon.ts";

/* The sample pages, served as their README says and used in a browser. */

const missing = browserMissing ?? (executableBuilt ? undefined : "dist/argosy is not built");

describe.skipIf(missing !== undefined)(missing ? `the chat pages (${missing})` : "the chat pages", () => {
  let argosy: ServerProcess;
  let pages: Bun.Subprocess<"ignore", "pipe", "inherit">;
  let address = "";
  let browser: Browser;
  beforeAll(async () => {
    argosy = await clientDaemon();
    pages = Bun.spawn([process.execPath, join(import.meta.dir, "../../../clients/chat-pages/serve.ts")], {
      env: { ...process.env, ARGOSY_URL: argosy.url, ARGOSY_TOKEN: apiToken, PORT: "0" },
      stdout: "pipe",
      stderr: "inherit",
      stdin: "ignore",
    });
    for await (const chunk of pages.stdout.pipeThrough(new TextDecoderStream())) {
      address = /http:\S+(?=\?)/.exec(chunk)?.[0] ?? "";
      if (address !== "") break;
    }
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser.close();
    pages.kill();
    await argosy[Symbol.asyncDispose]();
  });

  describe.each([
    ["useChat", ""],
    ["HttpAgent", "ag-ui"],
  ])("%s", (_name, path) => {
    const open = (agent: string) => visit(browser, `${address}${path}?agent=${agent}`);

    test("a message is answered, and the tool that was called is shown", async () => {
      await using visited = await open("clock");
      const { page, complaints } = visited;
      await page.getByLabel("Message").fill("What time is it in Lima?");
      await page.keyboard.press("Enter");
      await page.getByText(/datetime_now answered/).waitFor();
      expect(await page.locator("article").count()).toBeGreaterThan(1);
      expect(await page.locator("code").first().textContent()).toBe("datetime_now");
      expect(complaints).toEqual([]);
    });

    test.each([
      ["Allow", /datetime is/],
      ["Refuse", /refus|reject|not (?:allowed|approved)|without/i],
    ])("a call that needs approval asks, and goes on after %s", async (button, text) => {
      await using visited = await open("clerk");
      const { page } = visited;
      await page.getByLabel("Message").fill("What time is it in Lima?");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: button }).click();
      await page.locator("article", { hasText: text }).first().waitFor();
    });

    test("an agent that is not there is said", async () => {
      await using visited = await open("nobody");
      const { page } = visited;
      await page.getByLabel("Message").fill("Hello");
      await page.keyboard.press("Enter");
      expect(await page.getByRole("alert").textContent()).toContain("nobody");
    });
  });
});
