import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  type Visit,
  visit,
} from "../support/browser.ts";
import { translatorOf } from "../support/cloud-world.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import {
  argosy,
  executableBuilt,
  executableTest,
  type ServerProcess,
  startServer,
} from "../support/executable.ts";
import { agentFiles, startMeshNodes } from "../support/mesh-nodes.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const looksWell = async (opened: Visit, name: string) => {
  expect(await accessFaults(opened.page)).toEqual([]);
  await isQuiet(opened, name);
};

/** For a page that the walk of console-pages.test.ts checks in the same state. */
const isQuiet = async ({ page, complaints }: Visit, name: string) => {
  expect(await overflowOf(page)).toBeLessThanOrEqual(0);
  // A browser's message about a refused request is not a complaint.
  expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  await keepScreenshot(page, name);
};

describe("the cloud's and the translator's pages", () => {
  const folder = temporaryFolder();
  let server: ServerProcess;
  let browser: Browser;
  let opened: Visit;
  let page: Page;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    await argosy(folder.path, ["init"]);
    server = await startServer(folder.path, { services: ["daemon", "cloud", "translator"] });
    browser = await openBrowser();
    opened = await visit(browser, await consoleLink(folder.path, {}));
    ({ page } = opened);
    await settled(page);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });
  const open = (path: string) => goTo(page, path);
  const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
  const dialog = () => page.getByRole("dialog");
  const valid = () => page.getByText("Valid", { exact: true }).waitFor();

  executableTest(
    "areas are switched by the keyboard; an agent is made from a template, asked before it is stored, and published",
    async () => {
      await page.getByRole("button", { name: "Area: Studio" }).focus();
      await page.keyboard.press("Enter");
      // The menu takes the focus once it is open.
      const chosen = page.locator('[role="menuitem"]:focus');
      await chosen.waitFor();
      while (!(await chosen.textContent())?.includes("Cloud")) await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByText("Create the first agent").waitFor();
      await looksWell(opened, "cloud-empty");
      await page.getByRole("link", { name: "New agent" }).click();
      await page.getByRole("combobox", { name: "Begin with" }).click();
      await page.getByRole("option", { name: "A shop's assistant" }).click();
      await valid();
      const name = page.getByRole("textbox", { name: "Name", exact: true });
      await name.fill("shop-helper");
      await page.getByLabel("Display name").fill("Shop helper");
      await page.getByLabel("System prompt").fill("You help. {{ nope");
      await page.getByText("unexpected end of input").first().waitFor();
      await looksWell(opened, "cloud-builder-fault");
      expect(await button("Create").isDisabled()).toBe(true);
      await page.getByLabel("System prompt").fill("You help in a shop.");
      // The org has no key for this vendor.
      await page.getByRole("combobox", { name: "Provider", exact: true }).fill("openai");
      await page.getByText("openai needs a key of the org.").waitFor();
      await page.getByText("Not complete yet").waitFor();
      expect(await button("Publish").isDisabled()).toBe(true);
      expect(await button("Create").isDisabled()).toBe(false);
      await page.getByRole("combobox", { name: "Provider", exact: true }).fill("rehearsal");
      await valid();
      // Asked before it is stored, by the keyboard.
      await page.getByLabel("Your question").fill("What time is it in Tokyo?");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Called datetime_now").waitFor();
      await page.getByText(/tokens? · /).waitFor();
      await looksWell(opened, "cloud-builder-tried");
      // What is not saved outlives the page.
      await page.reload();
      await page.getByText("This is your unsaved draft").waitFor();
      expect(await name.inputValue()).toBe("shop-helper");
      await valid();
      await button("Publish").click();
      await page.getByText("Deployed", { exact: true }).first().waitFor();
    },
    browserMissing,
  );

  executableTest(
    "an agent is tested, streamed, paused, edited and deleted",
    async () => {
      await open("/cloud/o/owner/agents/shop-helper");
      await page.getByLabel("Your question").fill("What time is it in Tokyo?");
      await page.keyboard.press("Control+Enter");
      await page.getByText(/rehearsal\/rehearsal · /).waitFor();
      await page.getByText("Stream", { exact: true }).click();
      await page.getByLabel("Your question").fill("<img src=x onerror=alert(1)>");
      await button("Run").click();
      await page
        .getByText(/rehearsal\/rehearsal · /)
        .nth(1)
        .waitFor();
      expect(await page.locator("main img").count()).toBe(0);
      await looksWell(opened, "cloud-agent");
      await button("Pause").click();
      await dialog().getByRole("button", { name: "Pause" }).click();
      await page.getByText("Deploy the agent to try it.").waitFor();
      await page.getByRole("link", { name: "Edit" }).click();
      await page.getByLabel("Display name").fill("Tea helper");
      await valid();
      await button("Save draft").click();
      await noticed(page, "The draft of Shop helper was saved.");
      await page.getByRole("link", { name: "← Tea helper" }).click();
      await page.getByRole("heading", { level: 1, name: "Tea helper" }).waitFor();
      // The test was not counted, and the run was.
      await open("/cloud/o/owner/usage");
      await page.getByText("of 1,000").waitFor();
      await page.getByText("999").waitFor();
      await isQuiet(opened, "cloud-usage");
      await open("/cloud/o/owner/agents/shop-helper");
      await button("Delete").click();
      await dialog().getByRole("textbox").fill("shop-helper");
      await button("Delete agent").click();
      await page.getByText("Create the first agent").waitFor();
      // Back to a page whose agent the console has read, and to one that it reads for the first time.
      await page.goBack();
      await page.getByText("The agent does not exist.").waitFor();
      await page.reload();
      await page.getByText("The agent does not exist.").waitFor();
      await open("/cloud/o/nobody/agents");
      await page.getByText("Org not found").waitFor();
      await looksWell(opened, "cloud-missing-org");
    },
    browserMissing,
  );

  executableTest(
    "a key is shown once, provider keys are masked, and an invited person joins",
    async () => {
      await open("/cloud/o/owner/keys");
      await button("New API key").click();
      await dialog().getByLabel("Name").fill("web-shop");
      await button("Create key").click();
      const secret = await dialog().getByLabel("API key", { exact: true }).innerText();
      expect(secret).toStartWith("ask-");
      await button("Copy key").click();
      await noticed(page, "Copied");
      await button("I have copied it").click();
      await page.getByText("web-shop").waitFor();
      expect(await page.content()).not.toContain(secret);
      await isQuiet(opened, "cloud-keys");
      await button(/Revoke/).click();
      await button("Revoke key").click();
      await page.getByText("Create the first API key").waitFor();
      await open("/cloud/o/owner/providers");
      await button("Add key: mistral").click();
      await dialog().getByLabel("API key").first().focus();
      await page.keyboard.press("ControlOrMeta+v");
      expect(await dialog().getByLabel("API key").first().inputValue()).toBe(secret);
      await dialog().getByLabel("API key").first().fill("key-of-mistral-7890");
      await button("Save key").click();
      await page.getByText("7890").waitFor();
      expect(await page.locator("main").innerText()).not.toContain("key-of-mistral");
      await open("/cloud/o/owner/members");
      await button("Invite").click();
      await dialog().getByLabel("E-mail").fill("bea@example.com");
      await button("Send invitation").click();
      await page.getByText("Invited", { exact: true }).waitFor();
      await isQuiet(opened, "cloud-members");

      await using other = await visit(browser, `${server.urlOf("cloud")}/`);
      await other.page.getByLabel("E-mail for the cloud").fill("bea@example.com");
      await keepScreenshot(other.page, "cloud-sign-in");
      await other.page.getByRole("button", { name: "Sign in to the cloud" }).click();
      await other.page.getByRole("heading", { level: 1, name: "Agents" }).waitFor();
      // She has an org of her own, and joins the other by accepting.
      expect(new URL(other.page.url()).pathname).toBe("/cloud/o/bea/agents");
      await other.page.getByRole("button", { name: "Accept invitation" }).click();
      await other.page.waitForURL("**/cloud/o/owner/agents");
      await goTo(other.page, "/cloud/o/owner/keys");
      // A member reads the keys and can't create any.
      await other.page.getByText("Only owners and admins").waitFor();
      expect(await other.page.getByRole("button", { name: "New API key" }).count()).toBe(0);
      await looksWell(other, "cloud-member");
      await goTo(other.page, "/cloud/o/owner/members");
      await other.page.getByRole("button", { name: "Leave org" }).click();
      await other.page.getByRole("dialog").getByRole("button", { name: "Leave org" }).click();
      await other.page.waitForURL("**/cloud/o/bea/agents");
    },
    browserMissing,
  );

  executableTest(
    "a manifest is translated, planned, applied with progress, checked for drift, and destroyed",
    async () => {
      await open("/translator");
      await page.getByText("Translate the first manifest").waitFor();
      await looksWell(opened, "translator-empty");
      await page.getByRole("link", { name: "New manifest" }).click();
      await page.getByText("Valid", { exact: true }).waitFor();
      const editor = page.getByRole("textbox", { name: "Manifest" });
      await editor.click();
      await page.keyboard.press("Control+End");
      await page.keyboard.insertText("  promts: {}\n");
      await page.getByText("Has faults").waitFor();
      await page
        .getByText(/promts/)
        .last()
        .waitFor();
      await looksWell(opened, "translator-faults");
      await page.keyboard.press("Control+z");
      await page.getByText("Valid", { exact: true }).waitFor();
      await button("Save manifest").click();
      await page.getByRole("heading", { level: 1, name: "help-desk" }).waitFor();
      await page.getByText("An arrow leads").waitFor();
      await isQuiet(opened, "translator-spec");

      const translator = translatorOf(server);
      await page.getByText("Plan", { exact: true }).click();
      await page.getByText("2 to create").waitFor();
      await looksWell(opened, "translator-plan");
      await translator.failNext("local", {
        action: "create",
        resource_type: "vertex.agent_engine",
        times: 1,
      });
      await button("Apply").click();
      await dialog().getByRole("button", { name: "Apply" }).click();
      await page.getByText("The apply ended early").waitFor();
      await page.getByText("1 of 2 done").waitFor();
      await page.getByText("Failed", { exact: true }).waitFor();
      await looksWell(opened, "translator-failed");
      await button("Plan").click();
      await page.getByText("1 to create").waitFor();
      await button("Apply").click();
      await dialog().getByRole("button", { name: "Apply" }).click();
      await page.getByText("1 of 1 done").waitFor();
      await button("Plan").click();
      await page.getByText("Nothing to change").waitFor();

      const { resources } = await translator.listHeld("local");
      const engine = resources.find((held) => held.resource_type === "vertex.agent_engine");
      await translator.editHeld("local", engine?.id ?? "", { set: { display_name: "<b>By hand</b>" } });
      await page.getByText("Drift", { exact: true }).click();
      await page.getByText("The account differs").waitFor();
      await page.getByText("display_name: <b>By hand</b>").waitFor();
      await looksWell(opened, "translator-drift");
      await button("Destroy").click();
      await dialog().getByRole("textbox").fill("help-desk");
      await button("Destroy resources and manifest").click();
      await page.getByText("Translate the first manifest").waitFor();
      expect((await translator.listHeld("local")).resources).toEqual([]);
    },
    browserMissing,
  );
});

executableTest(
  "the mesh shows its nodes, drains this one, and takes it back",
  async () => {
    await using mesh = await startMeshNodes({
      agents: { a: agentFiles("helper"), b: agentFiles("helper", "clerk") },
      models: () => ({ text: "Hello." }),
    });
    await mesh.converged("a", "b");
    await using browser = await openBrowser();
    await using opened = await visitPage(
      browser,
      await consoleLink(mesh.folder("a"), mesh.env("a")),
      "/studio/mesh",
    );
    const { page } = opened;
    await page.getByText("2 of 2 alive").waitFor();
    await page.getByRole("row", { name: /clerk/ }).getByText("b", { exact: true }).waitFor();
    await looksWell(opened, "mesh");
    await page.getByRole("button", { name: "Drain a" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Drain" }).click();
    await page.getByText("Left", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Rejoin" }).click();
    await page.getByText("Left", { exact: true }).waitFor({ state: "detached" });
    await page.setViewportSize({ width: 360, height: 740 });
    await looksWell(opened, "mesh-narrow");
  },
  browserMissing,
);
