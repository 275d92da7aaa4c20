import { afterAll, beforeAll, describe, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  keepScreenshotInBothColors,
  openBrowser,
} from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, consoleLink, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest, startServer } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const manifest = (description: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: desk}
spec:
  identity:
    description: ${JSON.stringify(description)}
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You help.}
`;
const file = "agents/desk.agent.yaml";
const title = "Changed by someone else";
const dialogOf = (page: Page) => page.getByRole("dialog", { name: title });
const buttonOf = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

describe("a save that another change was faster than", () => {
  let browser: Browser;
  let world: ConsoleWorld;
  /** Two windows of one person. */
  let page: Page;
  let second: Page;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    ({ page } = await visitPage(browser, await world.link(), "/translator"));
    second = await page.context().newPage();
    await second.goto(page.url());
    await settled(second);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "shows both versions of an agent, and loses nothing that was typed",
    async () => {
      using folder = temporaryFolder();
      const { path } = folder;
      writeFiles(path, { [file]: manifest("First.") });
      const env = { PLATFORM_PERSIST_AGENTS: "1" };
      await using _server = await startServer(path, { env });
      const address = "/studio/agents/desk/edit";
      await using one = await visitPage(browser, await consoleLink(path, env), address);
      await using other = await visitPage(browser, await consoleLink(path, env), address);
      const hostile = `<img src=x onerror=alert(1)> ${"long".repeat(50)} \u202Eright to left`;
      await describeAs(other.page, hostile);
      await save(other.page);
      await noticed(other.page, "Saved.");

      const { page, complaints } = one;
      await describeAs(page, "Mine.");
      await save(page);
      await dialogOf(page).waitFor();
      await page.locator(".cm-deletedChunk").first().waitFor();
      expect(await dialogOf(page).locator("img[src]").count()).toBe(0);
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "studio-agent-conflict");
      await buttonOf(page, "Go on editing").click();
      expect(await describedAs(page)).toBe("Mine.");
      expect(readFileSync(join(path, file), "utf8")).toContain("<img");

      // The keyboard alone: save, and save over the other version.
      await describeAs(page, "Mine, again.");
      await valid(page);
      await page.keyboard.press("Control+s");
      await page.getByRole("button", { name: "Save agent" }).press("Enter");
      await dialogOf(page).waitFor();
      await buttonOf(page, "Save mine over theirs").press("Enter");
      await noticed(page, "Saved.");
      await dialogOf(page).waitFor({ state: "detached" });
      expect(readFileSync(join(path, file), "utf8")).toContain("Mine, again.");

      // Somebody edits the file.
      await describeAs(page, "Mine, a third time.");
      writeFileSync(join(path, file), manifest("From the disk."));
      await save(page);
      await dialogOf(page).waitFor();
      await buttonOf(page, "Discard mine, use theirs").click();
      await dialogOf(page).waitFor({ state: "detached" });
      expect(await describedAs(page)).toBe("From the disk.");
      await describeAs(page, "On top of the disk.");
      await save(page);
      await dialogOf(page).waitFor({ state: "detached" });
      await page.getByText("Unsaved changes").waitFor({ state: "detached" });
      expect(readFileSync(join(path, file), "utf8")).toContain("On top of the disk.");
      expect(complaints.filter((text) => !text.includes("412"))).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "is compared for manifests of the translator, and for accounts without showing a credential",
    async () => {
      const openBoth = async (path: string) => {
        for (const each of [page, second]) await goTo(each, path);
      };
      const { spec, account } = world.names;

      await openBoth(`/translator/specs/Agent/${spec}/edit`);
      for (const [each, comment] of [
        [page, "# mine"],
        [second, "# theirs"],
      ] as const) {
        await each.locator(".cm-content").click();
        await each.keyboard.press("Control+End");
        await each.keyboard.type(comment);
      }
      await buttonOf(second, "Save manifest").click();
      await second.waitForURL(`**/translator/specs/Agent/${spec}`);
      await page.bringToFront();
      await buttonOf(page, "Save manifest").click();
      await dialogOf(page).waitFor();
      await page.locator(".cm-deletedChunk").first().waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "translator-spec-conflict");
      await buttonOf(page, "Go on editing").click();
      expect(await page.locator(".cm-content").first().innerText()).toContain("# mine");
      await buttonOf(page, "Save manifest").click();
      await buttonOf(page, "Save mine over theirs").click();
      await page.waitForURL(`**/translator/specs/Agent/${spec}`);

      await openBoth(`/gateway/accounts/${account}`);
      const token = page.getByLabel("Access token");
      for (const [each, text] of [
        [page, "my-token-of-the-account"],
        [second, "their-token-of-the-account"],
      ] as const) {
        await buttonOf(each, "Replace credentials").click();
        await each.getByLabel("Access token").fill(text);
      }
      await buttonOf(second, "Save credentials").click();
      await second.getByRole("dialog").waitFor({ state: "detached" });
      await page.bringToFront();
      await buttonOf(page, "Save credentials").click();
      await dialogOf(page).waitFor();
      await page.locator(".cm-deletedChunk").first().waitFor();
      const shown = await dialogOf(page).innerText();
      expect(shown).toContain("new, hidden");
      expect(shown).not.toContain("token-of-the-account");
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "gateway-account-conflict");
      await buttonOf(page, "Go on editing").click();
      expect(await token.inputValue()).toBe("my-token-of-the-account");
      await buttonOf(page, "Save credentials").click();
      await buttonOf(page, "Save mine over theirs").click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
    browserMissing,
  );

  executableTest(
    "is refused for agents of tenants and of orgs, and for bindings",
    async () => {
      const open = (path: string) => goTo(page, path);
      const { tenant, org, cloudAgent, account } = world.names;

      await open(`/platform/t/${tenant}/agents/helper/edit?view=yaml`);
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+End");
      await page.keyboard.type("# mine");
      await otherVersion(world.server.urlOf("platform"), tenant);
      await valid(page);
      await buttonOf(page, "Save new version").click();
      await page.getByRole("dialog").getByRole("button", { name: "Save new version" }).click();
      await dialogOf(page).waitFor();
      await page.locator(".cm-deletedChunk").first().waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await looks(page, "platform-agent-conflict");
      await buttonOf(page, "Save mine over theirs").click();
      await noticed(page, "Version 4 is now current.");

      await open(`/cloud/o/${org}/agents/${cloudAgent}`);
      await buttonOf(page, "Pause").click();
      await page.getByRole("dialog").getByRole("button", { name: "Pause" }).click();
      await page.getByText("Deploy the agent to try it.").waitFor();
      await open(`/cloud/o/${org}/agents/${cloudAgent}/edit`);
      await page.getByLabel("Display name").fill("Mine");
      await goTo(second, page.url());
      await second.getByLabel("Display name").fill("Theirs");
      await valid(second);
      await buttonOf(second, "Save draft").click();
      await noticed(second, "The draft of");
      await page.bringToFront();
      // The newer version that the page reads on focus does not replace what was typed.
      expect(await page.getByLabel("Display name").inputValue()).toBe("Mine");
      await valid(page);
      await buttonOf(page, "Save draft").click();
      await dialogOf(page).waitFor();
      await looks(page, "cloud-agent-conflict");
      await buttonOf(page, "Go on editing").click();
      expect(await page.getByLabel("Display name").inputValue()).toBe("Mine");
      await buttonOf(page, "Save draft").click();
      await buttonOf(page, "Save mine over theirs").click();
      await page.getByText("Unsaved changes").waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1, name: "Edit Mine" }).waitFor();

      await open(`/gateway/accounts/${account}`);
      await goTo(second, page.url());
      for (const [each, text] of [
        [page, "My answer"],
        [second, "Their answer"],
      ] as const) {
        await buttonOf(each, "Change").click();
        await each.getByLabel("Fallback message").fill(text);
      }
      await buttonOf(second, "Save binding").click();
      await second.getByRole("dialog").waitFor({ state: "detached" });
      await buttonOf(page, "Save binding").click();
      await dialogOf(page).waitFor();
      await looks(page, "gateway-binding-conflict");
      await buttonOf(page, "Go on editing").click();
      expect(await page.getByLabel("Fallback message").inputValue()).toBe("My answer");
      await buttonOf(page, "Save binding").click();
      await buttonOf(page, "Save mine over theirs").click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByText("My answer").waitFor();
    },
    browserMissing,
  );
});

const described = (page: Page) => page.getByLabel("Description").first();
const describeAs = (page: Page, text: string) => described(page).fill(text);
const describedAs = (page: Page) => described(page).inputValue();

const valid = (page: Page) => page.locator(".ar-save-bar").getByText("Valid", { exact: true }).waitFor();

/** Saves by the buttons, once the manifest is valid. */
async function save(page: Page): Promise<void> {
  await valid(page);
  await buttonOf(page, "Save").click();
  await buttonOf(page, "Save agent").click();
}

/** Another person of the tenant saves a version. */
async function otherVersion(baseUrl: string, tenantId: string): Promise<void> {
  const address = { fetch: (request: Request) => fetch(request), baseUrl };
  const login = { email: "ada@example.com", password: "correct horse" };
  const { accessToken } = await platformClient(address).login(login);
  const ada = platformClient({ ...address, accessToken, tenantId });
  const { spec } = await ada.getAgent("helper");
  const changed = structuredClone(spec) as { spec: { identity: { description: string } } };
  changed.spec.identity.description = "Changed by Ada.";
  await ada.updateAgent("helper", changed);
}

/** Keeps screenshots in light, dark and on a phone, where nothing may be wider than the window. */
async function looks(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await keepScreenshotInBothColors(page, name);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await cutElements(page)).toEqual([]);
  await keepScreenshot(page, `${name}-360`);
  await page.setViewportSize(size);
}
