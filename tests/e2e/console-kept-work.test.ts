import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page, Route } from "playwright-core";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { accessFaults, browserMissing, openBrowser, type Visit } from "../support/browser.ts";
import { translatorOf } from "../support/cloud-world.ts";
import { loadPage, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { gatewayAdmin } from "../support/gateway-world.ts";
import { noticed } from "../support/notices.ts";

const evalOf = (contains: string) => `apiVersion: platform/v1
kind: Eval
metadata: {name: opening}
spec:
  agent: helper
  cases:
    - {id: answers, query: When does the shop open?, checks: [{contains: ${contains}}]}
`;

describe("what a person typed or made in the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  let page: Page;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/translator");
    ({ page } = opened);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });
  const open = (path: string) => loadPage(opened, path);
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialogOf = (name: string) => page.getByRole("dialog", { name, exact: true });
  const manifest = () => page.locator(".cm-content").first();
  /** Replaces the text of the editor. */
  const write = async (text: string) => {
    await manifest().click();
    await page.keyboard.press("Control+A");
    // If text is typed over a selection, the browser adds style attributes, which the policy refuses.
    await page.keyboard.press("Backspace");
    await page.keyboard.insertText(text);
  };
  /** Holds the page's changes at these addresses back until they are released. */
  const hold = async (address: RegExp) => {
    const held = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    await page.route(address, async (route) => {
      if (route.request().method() === "POST") {
        asked.resolve();
        await held.promise;
      }
      await route.continue();
    });
    return { asked: asked.promise, release: held.resolve };
  };

  const lists = [
    [
      "/translator",
      "Manifests",
      /\/v1\/specs\?/,
      (from: number, count: number) => ({
        specs: numbers(from, count).map((at) => ({ kind: "Agent", name: `agent-${at}` })),
        ...(from === 0 && { next_cursor: "100" }),
      }),
    ],
    [
      "/gateway/accounts",
      "Accounts",
      /\/admin\/directory\?(?=.*limit=100)/,
      (from: number, count: number) => ({
        entries: numbers(from, count).map((at) => ({
          account: {
            id: `account-${at}`,
            tenant_id: "shop",
            channel: "echo",
            external_id: `echo-${at}`,
            credentials: {},
            emulated: false,
            status: "active",
            paused_reason: null,
            created_at: "2026-01-01T00:00:00.000Z",
          },
          binding: null,
        })),
        total: 101,
        limit: 100,
        offset: from,
      }),
    ],
  ] as const;
  for (const [path, label, address, rows] of lists) {
    executableTest(
      `the table of ${path} asks once for a next page that fails, and again on request`,
      async () => {
        let asked = 0;
        let isBusy = true;
        const answer = async (route: Route) => {
          const { searchParams } = new URL(route.request().url());
          const isFirst = !searchParams.has("cursor") && (searchParams.get("offset") ?? "0") === "0";
          if (isFirst) return route.fulfill({ json: rows(0, 100) });
          asked++;
          if (!isBusy) return route.fulfill({ json: rows(100, 1) });
          const error = { code: "rate_limited", message: "Too many requests." };
          return route.fulfill({ status: 429, json: { error } });
        };
        await page.route(address, answer);
        await open(path);
        const table = page.getByRole("table", { name: label });
        await table.waitFor();
        await page.mouse.move(400, 400);
        await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
        const retry = button("Try again");
        await retry.waitFor();
        expect(await page.getByText("Loading more…").count()).toBe(0);
        // Each scroll draws the table again.
        for (const top of [0, 1000, 10_000]) {
          await page.evaluate(async (to) => {
            window.scrollTo(0, to);
            for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame);
          }, top);
        }
        expect(asked).toBe(1);
        expect(await accessFaults(page)).toEqual([]);
        isBusy = false;
        await retry.click();
        await retry.waitFor({ state: "detached" });
        expect(await table.getAttribute("aria-rowcount")).toBe("102");
        expect(asked).toBe(2);
        await page.unroute(address);
      },
      browserMissing,
    );
  }

  executableTest(
    "in a stored eval overwrites no other version, even after the connection broke",
    async () => {
      const { tenant } = world.names;
      const ada = await tenantClient(world.server.urlOf("platform"), tenant);
      await open(`/platform/t/${tenant}/evals`);
      await button("Show opening").click();
      const document = page.getByRole("textbox", { name: "Document" });
      const store = page.getByRole("dialog").getByRole("button", { name: "Store eval" });
      await document.fill(evalOf("Mine"));
      await ada.putEval("opening", evalOf("Theirs"));
      // The request is lost on its way. Once the server is back, the page reads everything again.
      const address = /\/evals\/opening$/;
      await page.route(address, (route) =>
        route.request().method() === "PUT" ? route.abort("connectionrefused") : route.continue(),
      );
      const again = page.waitForResponse(
        (response) => address.test(response.url()) && response.request().method() === "GET",
      );
      await store.click();
      await again;
      await page.unroute(address);
      await page.getByText("The server does not answer").waitFor({ state: "detached" });
      await store.click();
      const conflict = dialogOf("Changed by someone else");
      await conflict.locator(".cm-deletedChunk").first().waitFor();
      expect(await page.getByText("If-Match").count()).toBe(0);
      expect(JSON.stringify(await ada.getEval("opening"))).toContain("Theirs");
      await button("Go on editing").click();
      expect(await document.inputValue()).toContain("Mine");
      expect(await page.getByText("If-Match").count()).toBe(0);
      await store.click();
      await button("Save mine over theirs").click();
      await noticed(page, "opening was stored.");
      expect(JSON.stringify(await ada.getEval("opening"))).toContain("Mine");

      // A new eval does not replace one of the same name.
      await button("Store eval").first().click();
      await document.fill(evalOf("Newest"));
      await store.click();
      await dialogOf("This name is already in use").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await button("Go on editing").click();
      expect(await document.inputValue()).toContain("Newest");
      expect(JSON.stringify(await ada.getEval("opening"))).toContain("Mine");
    },
    browserMissing,
  );

  executableTest(
    "in a cloud agent meets another version without the words of the API",
    async () => {
      const path = `/cloud/o/${world.names.org}/agents/draft/edit`;
      await open(path);
      await page.getByLabel("Display name").fill("Mine");
      const other = await page.context().newPage();
      await other.goto(new URL(path, page.url()).href);
      await other.getByLabel("Display name").fill("Theirs");
      await other.getByRole("button", { name: "Save draft" }).click();
      await other.getByText("Unsaved changes").waitFor({ state: "detached" });
      await other.close();
      await button("Save draft").click();
      await dialogOf("Changed by someone else").locator(".cm-deletedChunk").first().waitFor();
      await button("Go on editing").click();
      await dialogOf("Changed by someone else").waitFor({ state: "detached" });
      expect(await page.locator("main").getByRole("alert").allInnerTexts()).toEqual([]);
      await button("Save draft").click();
      await button("Save mine over theirs").click();
      await page.getByText("Unsaved changes").waitFor({ state: "detached" });
      await page.getByRole("heading", { level: 1, name: "Edit Mine" }).waitFor();
    },
    browserMissing,
  );

  executableTest(
    "as a reply stays with its conversation, and while another one is being sent",
    async () => {
      await open("/gateway/inbox");
      const reply = page.getByRole("textbox", { name: "Reply" });
      const ana = page.getByRole("button", { name: /Ana García/ });
      await ana.click();
      await page.getByRole("heading", { level: 2, name: "Ana García" }).waitFor();
      await reply.fill("A long answer for Ana");
      await page.getByRole("button", { name: /Ben Okafor/ }).click();
      await page.getByRole("heading", { level: 2, name: "Ben Okafor" }).waitFor();
      expect(await reply.inputValue()).toBe("");
      await ana.click();
      await page.getByRole("heading", { level: 2, name: "Ana García" }).waitFor();
      expect(await reply.inputValue()).toBe("A long answer for Ana");

      const log = page.getByRole("log");
      const sending = await hold(/\/admin\/send$/);
      await reply.press("Control+Enter");
      await sending.asked;
      await reply.fill("And the next one");
      sending.release();
      await log.getByText("A long answer for Ana").waitFor();
      expect(await reply.inputValue()).toBe("And the next one");
      await reply.press("Control+Enter");
      await log.getByText("And the next one").waitFor();
      expect(await reply.inputValue()).toBe("");

      await open("/gateway/phone");
      const message = page.getByRole("textbox", { name: "Message", exact: true });
      await message.fill("Do you have cups?");
      const playing = await hold(/\/admin\/emulator\/inbound$/);
      await message.press("Control+Enter");
      await playing.asked;
      await message.fill("And teapots?");
      playing.release();
      await page.getByText("Do you have cups?").first().waitFor();
      expect(await message.inputValue()).toBe("And teapots?");
    },
    browserMissing,
  );

  executableTest(
    "as something new replaces nothing that has its name",
    async () => {
      const { tenant, spec, account } = world.names;
      await open("/studio/models");
      const dialog = page.getByRole("dialog");
      const name = dialog.getByRole("textbox", { name: "Name", exact: true });
      for (const endpoint of ["http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"]) {
        await button("Add provider").click();
        await name.fill("acme");
        await dialog.getByRole("textbox", { name: "Base URL" }).fill(endpoint);
        if (endpoint.includes(":10/")) break;
        await button("Save provider").click();
        await dialog.waitFor({ state: "detached" });
        await page.getByText("set up here").waitFor();
      }
      await dialog.getByText("exists. Choose another name").waitFor();
      expect(await button("Save provider").isDisabled()).toBe(true);
      expect(await accessFaults(page)).toEqual([]);
      await name.fill("acme-2");
      expect(await button("Save provider").isDisabled()).toBe(false);

      await open(`/platform/t/${tenant}/connections`);
      await button("Add connection").click();
      await name.fill("crm");
      await dialog.getByLabel("Base URL").fill("https://crm.example.com");
      await dialog.getByLabel("Value", { exact: true }).fill("another secret");
      await dialog.getByText("exists. Choose another name").waitFor();
      expect(await button("Save connection").isDisabled()).toBe(true);

      const translator = translatorOf(world.server);
      const { yaml } = await translator.getSpec("Agent", spec);
      await open("/translator/new");
      await write(`${yaml}\n# mine\n`);
      await page.getByText("Valid", { exact: true }).waitFor();
      await button("Save manifest").click();
      await dialogOf("This name is already in use").waitFor();
      await page.locator(".cm-insertedLine, .cm-changedLine").first().waitFor();
      expect(await accessFaults(page)).toEqual([]);
      expect((await translator.getSpec("Agent", spec)).yaml).toBe(yaml);
      await button("Go on editing").click();
      expect(await manifest().innerText()).toContain("# mine");
      await button("Save manifest").click();
      await button("Save mine over theirs").click();
      await page.waitForURL(`**/translator/specs/Agent/${spec}`);
      expect((await translator.getSpec("Agent", spec)).yaml).toContain("# mine");

      const gateway = gatewayAdmin(world.server);
      const stored = await gateway.readAccount(account);
      await open("/gateway/accounts");
      await button("New account").click();
      await dialog.getByLabel("Tenant").fill(stored.value.tenant_id);
      await dialog.getByLabel("External id").fill(stored.value.external_id);
      await dialog.getByLabel("Access token").fill("EAAG-token-of-somebody-else");
      await button("Create account").click();
      await dialog.getByRole("alert").getByText("has an account already").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      expect((await gateway.readAccount(account)).tag).toBe(stored.tag);
      await dialog.getByRole("link", { name: "Open the account" }).click();
      await page.waitForURL(`**/gateway/accounts/${account}`);
    },
    browserMissing,
  );

  executableTest(
    "is not left behind by a link or a click outside without a question",
    async () => {
      const { org } = world.names;
      const question = dialogOf("Leave without saving?");
      const leaves = async (path: string, change: () => Promise<void>, kept: () => Promise<void>) => {
        await open(path);
        await change();
        // The way up, in the head of the page.
        const up = page.locator("main header a, main nav a, main a").first();
        await up.click();
        await question.waitFor();
        await question.getByRole("button", { name: "Cancel" }).click();
        await question.waitFor({ state: "detached" });
        expect(new URL(page.url()).pathname).toBe(path);
        await kept();
        await up.click();
        await question.getByRole("button", { name: "Leave" }).click();
        await page.waitForURL((url) => url.pathname !== path);
      };
      const comment = async () => {
        await manifest().click();
        await page.keyboard.press("Control+End");
        await page.keyboard.insertText("# mine\n");
      };
      const isCommented = async () => expect(await manifest().innerText()).toContain("# mine");
      await leaves("/translator/new", comment, isCommented);
      await leaves("/studio/knowledge/pipelines/edit", comment, isCommented);
      // An agent that is not saved outlives its page.
      const display = page.getByLabel("Display name");
      await open(`/cloud/o/${org}/new-agent`);
      await display.fill("Mine");
      await page.getByText("Unsaved changes").waitFor();
      await page.getByRole("link", { name: "← Agents" }).click();
      await page.waitForURL(`**/cloud/o/${org}/agents`);
      await page.goBack();
      await page.getByText("This is your unsaved draft").waitFor();
      expect(await display.inputValue()).toBe("Mine");

      await open("/studio/models");
      const dialog = page.getByRole("dialog");
      await button("Add provider").click();
      await dialog.waitFor();
      await page.mouse.click(5, 400);
      await dialog.waitFor({ state: "detached" });
      await button("Add provider").click();
      const endpoint = dialog.getByRole("textbox", { name: "Base URL" });
      await endpoint.fill("http://127.0.0.1:9/v1");
      await page.mouse.click(5, 400);
      await page.evaluate(() => new Promise(requestAnimationFrame));
      expect(await endpoint.inputValue()).toBe("http://127.0.0.1:9/v1");
      // The dialog is still open, and Escape closes it.
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    },
    browserMissing,
  );

  executableTest(
    "as a key is shown in any case: nothing closes the dialog while the key is created",
    async () => {
      const { tenant } = world.names;
      await open(`/platform/t/${tenant}/keys`);
      await button("New key").click();
      await page.getByLabel("Label").fill("shop");
      const creating = await hold(/\/keys$/);
      await button("Create key").click();
      await creating.asked;
      await page.keyboard.press("Escape");
      await page.mouse.click(5, 400);
      expect(await button("Cancel").isDisabled()).toBe(true);
      expect(await button("Close").isDisabled()).toBe(true);
      creating.release();
      await page.getByText(/^apk_/).waitFor();
      await button("I have copied the key").click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
    },
    browserMissing,
  );
});

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

/** Client of a person of the tenant. */
async function tenantClient(baseUrl: string, tenantId: string) {
  const address = { fetch: (request: Request) => fetch(request), baseUrl };
  const login = { email: "ada@example.com", password: "correct horse" };
  const { accessToken } = await platformClient(address).login(login);
  return platformClient({ ...address, accessToken, tenantId });
}
