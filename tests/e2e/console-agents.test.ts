import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  keepScreenshotInBothColors,
  openBrowser,
  overflowOf,
  type Visit,
} from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, consoleLink, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest, startServer } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

describe("the design of agents, their history, the palette and the keys", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio");
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "a shipped agent becomes an own one, is changed as a form and as YAML, and goes again",
    async () => {
      const { page, complaints } = opened;
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: world.server.url });
      await page.getByRole("link", { name: "Gallery" }).click();
      await page.getByRole("link", { name: "Use template: support" }).click();
      // The name of the gallery agent is taken here.
      expect(await nameField(page).inputValue()).toBe("support-2");
      await nameField(page).fill("desk");
      await expectVerdict(page, "Valid");
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.waitForURL("**/studio/agents/desk/edit");
      await page.locator(".ar-edit-choice").getByText("YAML").click();
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

      // What is not saved is still there after another page.
      await page.getByRole("link", { name: "Doctor" }).click();
      await page.getByRole("heading", { level: 1, name: "Doctor" }).waitFor();
      await page.goBack();
      await page.getByText("This is your unsaved draft").waitFor();
      await expectVerdict(page, "Valid");

      await page.keyboard.press("Control+s");
      await page.getByText("These changes to desk").waitFor();
      await page.locator(".cm-deletedChunk").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "studio-agent-editor-diff");
      await page.getByRole("button", { name: "Save agent" }).click();
      await noticed(page, "Saved.");
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
      const { page } = opened;
      await goTo(page, "/studio/agents/hello/edit");
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

  executableTest(
    "the palette finds traces, tenants, agents, pages and actions, and the navigation counts what waits",
    async () => {
      const { page, complaints } = opened;
      complaints.length = 0;
      await goTo(page, "/studio");
      await page.getByRole("link", { name: /^Approvals.*1 approval waiting$/ }).waitFor();
      await keepScreenshot(page, "studio-badge");
      const { tenant, trace } = world.names;

      await choose(page, trace, trace);
      await page.waitForURL(`**/studio/traces/${trace}`);
      await settled(page);
      await expectKeptWhileSearching(page, "Ada Ltd");
      await choose(page, "Ada Ltd", "Ada Ltd");
      await page.waitForURL(`**/platform/operator/tenants/${tenant}`);
      await settled(page);
      await choose(page, "errand", "errand");
      await page.waitForURL("**/studio/agents/errand");
      await settled(page);
      await choose(page, "create", "New agent");
      await page.waitForURL("**/studio/agents/new");
      await settled(page);
      await choose(page, "dark", "Theme: Dark");
      await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === "dark");
      await choose(page, "Theme", "Theme: System");
      await page.waitForFunction(() => document.documentElement.dataset.mantineColorScheme === "light");

      // A question mark is a letter in a field.
      const field = page.getByLabel("Description").first();
      await field.fill("Why");
      await field.press("?");
      expect(await field.inputValue()).toBe("Why?");
      expect(await page.getByRole("dialog").count()).toBe(0);
      await page.locator("h1").click();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "keys");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });

      expect(complaints).toEqual([]);
      await choose(page, "sign out", "Sign out");
      await page.getByRole("heading", { name: "Sign in", level: 1 }).waitFor();
      // The palette's last search may reach the server after the end of the session.
      expect(complaints.filter((text) => !text.includes("401"))).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "two versions of an agent are compared, and one is restored",
    async () => {
      using folder = temporaryFolder();
      const { path } = folder;
      const manifest = (description: string) =>
        `apiVersion: platform/v1\nkind: Agent\nmetadata: {name: desk}\nspec:\n  identity:\n    description: ${JSON.stringify(description)}\n  model: {primary: {provider: rehearsal, model: rehearsal}}\n`;
      writeFiles(path, { "agents/desk.agent.yaml": manifest("First.") });
      const env = { PLATFORM_PERSIST_AGENTS: "1" };
      await using server = await startServer(path, { env });
      await using opened = await visitPage(
        browser,
        await consoleLink(path, env),
        "/studio/agents/desk/history",
      );
      const { page, complaints } = opened;
      await page.getByText("There is one version.").waitFor();
      await goTo(page, "/studio/agents/desk/edit");
      const hostile = `<img src=x onerror=alert(1)> ${"long".repeat(50)} \u202Ertl`;
      await page.getByLabel("Description").first().fill(hostile);
      await page.locator(".ar-save-bar").getByText("Valid", { exact: true }).waitFor();
      await page.keyboard.press("Control+s");
      await page.getByRole("button", { name: "Save agent" }).click();
      await noticed(page, "Saved.");
      await goTo(page, "/studio/agents/desk");
      await page.getByRole("link", { name: "History" }).click();
      await page.locator(".cm-deletedChunk").waitFor();
      await page.getByRole("cell", { name: "Console", exact: true }).waitFor();
      expect(await page.locator("main img[src]").count()).toBe(0);
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "studio-history");
      await page.getByRole("button", { name: "Restore version 1" }).press("Enter");
      const dialog = page.getByRole("dialog", { name: "Restore version 1" });
      await dialog.locator(".cm-deletedChunk").waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "studio-history-restore");
      await dialog.getByRole("button", { name: "Restore version" }).click();
      await noticed(page, "Version 1 was restored.");
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Restore version 2" }).waitFor();
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: server.url });
      expect(await daemon.getManifest("desk")).toBe(manifest("First."));

      // Settings that were tried in the playground become the agent's own.
      await goTo(page, "/studio/playground?agent=desk&temperature=0.5");
      await page.getByRole("button", { name: "Apply to desk" }).click();
      const review = page.getByRole("dialog", { name: "Review changes" });
      await review.locator(".cm-changedLine, .cm-insertedLine").first().waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "playground-apply");
      await review.getByRole("button", { name: "Save agent" }).click();
      await review.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Apply to desk" }).waitFor({ state: "detached" });
      expect(await daemon.getManifest("desk")).toContain("temperature: 0.5");

      // Parts that once needed the YAML.
      await goTo(page, "/studio/agents/desk/edit?view=yaml");
      await page.getByRole("button", { name: "Add webhook" }).click();
      await page.getByRole("button", { name: "Add MCP server" }).click();
      await page.getByText("url: https://example.com/").waitFor();
      await page.getByRole("button", { name: "Orchestration" }).click();
      await page.getByLabel("Pattern").first().click();
      await page.getByRole("option", { name: "pipeline", exact: true }).click();
      await page.getByRole("button", { name: "Add stage" }).click();
      await page.getByText("name: stage-1").waitFor();
      await page.getByRole("button", { name: "Remove Stage 1" }).waitFor();
      await page.locator(".ar-save-bar").getByText("Valid", { exact: true }).waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "studio-agent-form");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});

/** Expects that a tenant that the palette found by a part of its name stays there while the server is asked for the whole name. */
async function expectKeptWhileSearching(page: Page, name: string): Promise<void> {
  const answering = Promise.withResolvers<void>();
  const isSearch = (url: URL) => url.searchParams.get("search") === name;
  await page.route(isSearch, async (route) => {
    await answering.promise;
    await route.continue();
  });
  await page.keyboard.press("Control+K");
  const field = page.getByLabel("Search and commands");
  await field.fill(name.slice(0, 3));
  const row = page.locator(".mantine-Spotlight-action", { hasText: name });
  await row.waitFor();
  const searching = page.waitForRequest((request) => isSearch(new URL(request.url())));
  await field.fill(name);
  await searching;
  expect(await row.count()).toBe(1);
  const answered = page.waitForResponse((response) => isSearch(new URL(response.url())));
  answering.resolve();
  await answered;
  await page.unroute(isSearch);
  await page.keyboard.press("Escape");
  await row.waitFor({ state: "detached" });
}

/** Types in the palette, and chooses the first result with the label. */
async function choose(page: Page, text: string, label: string): Promise<void> {
  await page.keyboard.press("Control+K");
  const field = page.getByLabel("Search and commands");
  await field.fill(text);
  await page
    .locator(".mantine-Spotlight-action", { hasText: new RegExp(label) })
    .first()
    .click();
  await field.waitFor({ state: "detached" });
}

/** Keeps screenshots in light, dark and on a phone, where nothing may be wider than the window. */
async function looks(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await keepScreenshotInBothColors(page, name);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  expect(await cutElements(page)).toEqual([]);
  await keepScreenshot(page, `${name}-360`);
  await page.setViewportSize(size);
}

const nameField = (page: Page) => page.getByRole("textbox", { name: "Name", exact: false }).first();

/** Waits for the verdict next to the page's title. */
const expectVerdict = (page: Page, verdict: string) =>
  page.locator(".ar-save-bar").getByText(verdict, { exact: true }).waitFor();
