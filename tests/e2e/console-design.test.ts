import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import { accessFaults, browserMissing, keepScreenshot, openBrowser, visit } from "../support/browser.ts";
import { settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

describe("an agent that is designed in the console", () => {
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

  executableTest(
    "a shipped agent becomes an own one, is changed as a form and as YAML, and goes again",
    async () => {
      await using opened = await visit(browser, await world.link());
      const { page, complaints } = opened;
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: world.server.url });
      await settled(page);

      await page.getByRole("link", { name: "Gallery" }).click();
      await page.getByRole("link", { name: "Use template: support" }).click();
      // The name of the gallery agent is taken here.
      expect(await nameField(page).inputValue()).toBe("support-2");
      await nameField(page).fill("desk");
      await expectVerdict(page, "Valid");
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("button", { name: "Create agent" }).click();
      await page.waitForURL("**/studio/agents/desk/edit");
      const shipped = await daemon.getManifest("desk");
      expect(shipped).toContain("# Jinja2. What the caller sends");

      // Changes in the form appear in the YAML, and its comments stay.
      await page.getByLabel("Description").first().fill("Second line: of the help desk.");
      await page.getByText('description: "Second line: of the help desk."').waitFor();

      // An error in the YAML is reported at its line and next to the field, and prevents saving.
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("    token_budget: 0\n");
      await expectVerdict(page, "1 problem");
      await page.getByRole("button", { name: /^Line \d+$/ }).waitFor();
      expect(await page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "studio-agent-editor-fault");
      for (let letter = 0; letter < "    token_budget: 0\n".length; letter++) {
        await page.keyboard.press("Backspace");
      }
      await expectVerdict(page, "Valid");

      // The page asks before the user leaves.
      await page.getByRole("link", { name: "Doctor" }).click();
      await stay(page);
      await page.evaluate(() => history.back());
      await stay(page);

      await page.keyboard.press("Control+s");
      await page.getByText("These changes to desk").waitFor();
      await page.locator(".cm-deletedChunk").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "studio-agent-editor-diff");
      await page.getByRole("button", { name: "Save agent" }).click();
      await page.getByText("Saved.").waitFor();
      expect(await daemon.getManifest("desk")).toBe(
        shipped.replace("First line of the help desk.", '"Second line: of the help desk."'),
      );

      await page.getByRole("link", { name: "← desk" }).click();
      await page.getByRole("button", { name: "Pause" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
      await page.getByText("Paused", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Deploy" }).click();
      await page.getByText("Ready", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByLabel("Type “desk” to confirm").fill("desk");
      await page.getByRole("button", { name: "Delete agent" }).click();
      await page.waitForURL("**/studio/agents");
      expect((await daemon.listAgents()).agents.map(({ name }) => name)).not.toContain("desk");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "an agent of a file that the API may not write is saved as a copy",
    async () => {
      await using opened = await visitPage(browser, await world.link(), "/studio/agents/hello/edit");
      const { page } = opened;
      await page.getByLabel("System prompt").fill("Tell the time.\nNothing else.");
      await expectVerdict(page, "Valid");
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await page.getByRole("button", { name: "Save agent" }).click();
      await page.getByRole("button", { name: "Save as hello-2 instead" }).click();
      await page.waitForURL("**/studio/agents/hello-2/edit");
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: world.server.url });
      expect(await daemon.getManifest("hello-2")).toContain(
        "system: |-\n      Tell the time.\n      Nothing else.\n",
      );
    },
    browserMissing,
  );
});

const nameField = (page: Page) => page.getByRole("textbox", { name: "Name", exact: false }).first();

/** Answers the leave dialog with Cancel. */
async function stay(page: Page): Promise<void> {
  await page.getByText("Leave without saving?").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Leave without saving?").waitFor({ state: "detached" });
}

/** Waits for the verdict next to the page's title. */
const expectVerdict = (page: Page, verdict: string) =>
  page.locator(".ar-save-bar").getByText(verdict, { exact: true }).waitFor();
