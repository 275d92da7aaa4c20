import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import {
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  type Visit,
} from "../support/browser.ts";
import { goTo, loadPage, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, operatorToken, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { noticed } from "../support/notices.ts";

const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 640 };

describe("setting up and looking into", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  let vendor: ModelServer;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio");
    vendor = await startModelServer(() => ({ text: "From the vendor." }), ["big-one", "small-one"]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
    await vendor?.stop();
  });

  /** Opens a page in the window that all tests share. */
  async function openPage(path: string, viewport = wide): Promise<Visit> {
    opened.complaints.length = 0;
    await opened.page.setViewportSize(viewport);
    await goTo(opened.page, path);
    return opened;
  }

  executableTest(
    "a model server on this machine is found when asked, and set up with one click",
    async () => {
      const { page, complaints } = await openPage("/studio/models");
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: world.server.url });
      let asked = 0;
      // The usual ports of this machine may be taken by anything, so the answer is staged; the rest is the real daemon.
      await page.route("**/v1/system/providers/detect", async (route) => {
        asked += 1;
        const stored = await daemon.listStoredProviders();
        const set_up = stored.providers.some(({ name }) => name === "lmstudio");
        const server = { program: "LM Studio", name: "lmstudio", type: "llamacpp", endpoint: vendor.url };
        const servers = [{ ...server, models: ["big-one", "small-one"], set_up }];
        await route.fulfill({ json: { servers, looked_at: [vendor.url] } });
      });
      expect(asked).toBe(0);
      await page.getByRole("button", { name: "Find local models" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("2 models: big-one, small-one").waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Add as lmstudio" }).click();
      await dialog.getByText("Set up as lmstudio").waitFor();
      const { providers } = await daemon.listStoredProviders();
      expect(providers).toMatchObject([{ name: "lmstudio", type: "llamacpp", endpoint: vendor.url }]);
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Delete lmstudio" }).click();
      await page.getByRole("button", { name: "Delete provider" }).click();
      await noticed(page, "Provider lmstudio deleted.");
      await page.unroute("**/v1/system/providers/detect");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    `a provider is added with key and prices, tested, suggested and deleted`,
    async () => {
      const { page, complaints } = await openPage("/studio/models", narrow);
      await page.getByRole("button", { name: "Add provider" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Name" }).fill("acme");
      await dialog.getByRole("textbox", { name: "Base URL" }).fill("http://127.0.0.1:9/v1");
      await dialog.getByLabel("API key").fill("sk-browser-key");
      await dialog.getByRole("button", { name: "Test connection" }).click();
      await dialog.getByText("Failed", { exact: true }).waitFor();
      await dialog.getByRole("textbox", { name: "Base URL" }).fill(vendor.url);
      await dialog.getByRole("button", { name: "Test connection" }).click();
      await dialog.getByText("Connected").waitFor();
      await dialog.getByText("2 models: big-one, small-one").waitFor();
      await dialog.getByRole("button", { name: "Add price" }).click();
      await dialog.getByRole("textbox", { name: "Model" }).fill("big-one");
      await dialog.getByRole("textbox", { name: "Input" }).fill("0.25");
      await dialog.getByRole("textbox", { name: "Output" }).fill("1.5");
      await fair(page, `studio-provider-dialog`);
      await dialog.getByRole("button", { name: "Save provider" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("set up here").waitFor();
      await page.getByRole("button", { name: "Test connection to acme" }).click();
      await page.getByText("Connected").waitFor();
      await fair(page, `studio-provider`);

      await page.getByRole("button", { name: "Edit acme" }).click();
      await dialog.getByText("A key is stored.").waitFor();
      expect(await dialog.getByLabel("API key").inputValue()).toBe("");
      expect(await dialog.getByRole("textbox", { name: "Output" }).inputValue()).toBe("1.5");
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Delete acme" }).click();
      await dialog.getByRole("button", { name: "Delete" }).click();
      await page.getByText("set up here").waitFor({ state: "detached" });
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "an agent of the Studio becomes a tenant's, with a phone; an unpriced model gets its price where it is listed",
    async () => {
      const { page, complaints } = await openPage("/studio/agents/hello");
      const dialog = page.getByRole("dialog");
      const copy = () => page.getByRole("button", { name: "Copy to tenant" }).click();
      await copy();
      await dialog.getByText("You have no tenant on the platform yet.").waitFor();
      expect(await dialog.getByRole("button", { name: "Open editor" }).isDisabled()).toBe(true);
      await dialog.getByRole("link", { name: "Create a tenant" }).click();
      await page.getByRole("button", { name: "Create tenant" }).click();
      await dialog.getByLabel("Name").fill("Bazaar <b>1</b>");
      await dialog.getByRole("button", { name: "Create tenant" }).click();
      await page.getByText("No agents yet").waitFor();
      // The navigation of an owner is higher than this window.
      const switcher = await page.getByRole("button", { name: /^Tenant: Bazaar/ }).boundingBox();
      expect(switcher?.height).toBeGreaterThanOrEqual(24);
      const tenant = /\/t\/([^/]+)/.exec(page.url())?.[1] ?? "";

      await goTo(page, "/studio/agents/hello");
      await copy();
      expect(await dialog.getByRole("combobox", { name: "Tenant" }).inputValue()).toBe("Bazaar <b>1</b>");
      await fair(page, "studio-copy-to-tenant");
      await dialog.getByRole("button", { name: "Open editor" }).click();
      const template = page.getByRole("combobox", { name: "Begin with" });
      await page.getByText("Valid", { exact: true }).waitFor();
      expect(await template.inputValue()).toBe("Copy of hello in the Studio");
      await page.getByText("YAML", { exact: true }).locator("visible=true").first().click();
      await page.getByText("# The smallest agent that does something").waitFor();
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "hello" }).waitFor();

      await page.getByRole("link", { name: "Connect emulated phone" }).click();
      expect(await dialog.getByRole("combobox", { name: "Tenant" }).inputValue()).toBe(tenant);
      expect(await dialog.getByRole("combobox", { name: "Agent" }).inputValue()).toBe("hello");
      await dialog.getByRole("button", { name: "Cancel" }).click();
      await dialog.waitFor({ state: "detached" });
      expect(new URL(page.url()).search).toBe("");

      // The agent's own model has a tariff; this one has none.
      await goTo(page, `/platform/t/${tenant}/agents/hello/edit?view=yaml`);
      await page.getByText("model: rehearsal", { exact: true }).click();
      await page.keyboard.press("End");
      await page.keyboard.type("-2");
      await page.getByRole("button", { name: "Save new version" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save new version" }).click();
      await noticed(page, "Version 2 is now current.");
      await page.waitForURL(`**/platform/t/${tenant}/agents/hello`);
      await goTo(page, `/platform/t/${tenant}/agents/hello/run`);
      await page.getByLabel("Question").fill("What time is it in Lima?");
      await page.keyboard.press("Control+Enter");
      await page.getByText("Not charged: the model has no tariff").waitFor();
      await goTo(page, "/platform/operator/tariffs");
      await page.getByRole("button", { name: "Set price of rehearsal/rehearsal-2" }).click();
      await dialog.getByLabel("Credits per 1,000 input tokens").fill("1.25");
      await dialog.getByLabel("Credits per 1,000 output tokens").fill("4");
      expect(await dialog.getByRole("combobox", { name: "Model" }).inputValue()).toBe(
        "rehearsal-2 (no tariff)",
      );
      await dialog.getByRole("button", { name: "Review" }).click();
      await dialog.getByRole("button", { name: "Store tariff" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("cell", { name: "has a tariff now" }).waitFor();
      expect(await page.locator("main b").count()).toBe(0);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "Save stays in sight on a narrow page and at twice the size",
    async () => {
      for (const viewport of [narrow, { width: 640, height: 360 }]) {
        const { page } = await openPage("/studio/agents/hello/edit", viewport);
        const save = page.getByRole("button", { name: "Save", exact: true });
        const isInSight = async () => {
          const box = await save.boundingBox();
          return box !== null && box.y >= 0 && box.y + box.height <= viewport.height;
        };
        expect(await isInSight()).toBe(true);
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight / 2));
        expect(await isInSight()).toBe(true);
        await fair(page, `studio-edit-save-${viewport.width}`);
      }
    },
    browserMissing,
  );

  executableTest(
    "a failed run links its trace, and a trace shows question and answer",
    async () => {
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: world.server.url });
      await daemon.createAgent(terse);
      const { page } = opened;
      await page.setViewportSize(wide);
      await loadPage(opened, "/studio/playground?agent=terse");
      await ask(page, "short");
      const answered = await page.getByRole("link", { name: "Trace", exact: true }).getAttribute("href");
      await ask(page, "far too long a question");
      const failed = page.getByRole("article", { name: "Answer of terse" }).last();
      await failed.getByText("The run failed").waitFor();
      const href = await failed.getByRole("link", { name: "Trace", exact: true }).getAttribute("href");
      expect(href).toMatch(/^\/studio\/traces\/[0-9a-f-]{36}$/);
      await fair(page, "studio-playground-failed");
      await failed.getByRole("link", { name: "Trace", exact: true }).click();
      await page.getByText("a guardrail blocked the question").waitFor();
      await goTo(page, answered ?? "");
      const exchange = page.getByRole("region", { name: "Question and answer" });
      await exchange.getByText("short", { exact: true }).waitFor();
      await fair(page, "studio-trace-exchange");
    },
    browserMissing,
  );

  executableTest(
    "the overview and the doctor tell of a broken agent in the same words",
    async () => {
      const { page } = await openPage("/studio");
      const finding = page.locator(".ar-findings li", { hasText: "broken" }).locator(".ar-home-finding");
      const told = (await finding.innerText()).trim();
      await goTo(page, "/studio/doctor");
      await page.getByText(told).waitFor();
      await fair(page, "studio-doctor-findings");
    },
    browserMissing,
  );

  executableTest(
    "the page of ML models says how one is registered",
    async () => {
      const { page } = await openPage("/studio/ml", narrow);
      await page.getByText("No ML models are registered").waitFor();
      await fair(page, "studio-ml");
    },
    browserMissing,
  );

  executableTest(
    "an operator begins at the overview of the platform",
    async () => {
      const context = await browser.newContext();
      try {
        const page = await context.newPage();
        const platform = world.server.urlOf("platform");
        await page.goto(platform);
        await page.locator("input[type=password]").last().fill(operatorToken);
        await page.getByRole("button", { name: "Sign in with token" }).click();
        await page.waitForURL("**/platform/operator");
      } finally {
        await context.close();
      }
    },
    browserMissing,
  );
});

/** Its guardrail blocks questions of more than ten characters. */
const terse = `apiVersion: platform/v1
kind: Agent
metadata: {name: terse}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You are terse.}
  guardrails: {input: [{type: max_length, action: block, max_chars: 10}]}
`;

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Your question" }).fill(question);
  await page.keyboard.press("Control+Enter");
}

async function fair(page: Page, name: string): Promise<void> {
  expect(await accessFaultsInBothColors(page)).toEqual([]);
  expect(await overflowOf(page), "pixels beyond the window").toBeLessThanOrEqual(0);
  await keepScreenshot(page, name);
}
