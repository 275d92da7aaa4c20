import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Locator, Page } from "playwright-core";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { browserMissing, openBrowser, type Visit, visit } from "../support/browser.ts";
import { loadPage, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { gatewayAdmin } from "../support/gateway-world.ts";
import { until } from "../support/until.ts";

const fetchNow = (request: Request) => fetch(request);
const whatsApp = "106540352242922";

describe("while someone reads or types in the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  let page: Page;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio/agents");
    ({ page } = opened);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "a dialog from a menu gives the focus back to the menu's button",
    async () => {
      await loadPage(opened, "/studio/agents");
      const label = "Actions for hello";
      await page.getByRole("button", { name: label, exact: true }).press("Enter");
      await page.getByRole("menuitem", { name: "Delete" }).press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.waitFor();
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await page.waitForFunction(
        (name) => document.activeElement?.getAttribute("aria-label") === name,
        label,
      );
      expect(opened.complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "a call that someone else rejected says so, and is neither approved nor a failed run",
    async () => {
      const daemon = daemonClient({ fetch: fetchNow, baseUrl: world.server.url });
      await loadPage(opened, "/studio/approvals?status=pending");
      const waiting = page.getByRole("article", { name: "cache_store, clerk" });
      await waiting.getByRole("button", { name: "Approve" }).waitFor();
      const [approval] = (await daemon.listApprovals({ status: "pending" })).approvals;
      await daemon.decideApproval(approval?.id ?? "", "reject", {});
      await waiting.getByRole("button", { name: "Approve" }).click();
      await waiting.getByText("Someone else rejected this call.").waitFor();
      await waiting.getByText("Rejected", { exact: true }).waitFor();
      for (const wrong of ["You approved", "The run failed"]) {
        expect(await page.getByText(wrong).count()).toBe(0);
      }
      await waiting.getByRole("button", { name: "Details: cache_store" }).click();
      await waiting.getByText('"gate"').waitFor();
    },
    browserMissing,
  );

  executableTest(
    "the year of the month can be typed, and a part of it does not change the page",
    async () => {
      await loadPage(opened, "/platform/operator/tenants?period=2026-03");
      const field = page.getByLabel("Month");
      await field.focus();
      // To the field's year.
      await page.keyboard.press("Tab");
      await page.keyboard.type("2025");
      await page.waitForURL(/period=2025-03/);
      expect(await field.inputValue()).toBe("2025-03");
      await settled(page);
      await page.keyboard.press("Shift+Tab");
      await page.keyboard.press("Tab");
      await page.keyboard.type("19");
      expect(await field.inputValue()).toBe("0019-03");
      await field.blur();
      expect(await field.inputValue()).toBe("2025-03");
      expect(new URL(page.url()).searchParams.get("period")).toBe("2025-03");
      expect(opened.complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "relative times move on an open page",
    async () => {
      await using other = await visit(browser, "about:blank");
      await other.page.clock.install();
      const link = await world.link();
      await other.page.goto(new URL(`/studio/approvals${new URL(link).hash}`, link).href);
      await settled(other.page);
      const time = other.page.getByRole("article").locator("time").first();
      expect(await time.innerText()).not.toContain("3 hr");
      await other.page.clock.fastForward("03:10:00");
      await time.filter({ hasText: "3 hr" }).waitFor();
    },
    browserMissing,
  );

  executableTest(
    "a reader of a conversation keeps the place when a message comes, and when earlier ones are shown",
    async () => {
      const gateway = gatewayAdmin(world.server);
      const [ana] = (await gateway.listConversations({ q: "garc" })).conversations;
      const id = ana?.id ?? "";
      // No agent answers meanwhile.
      await gateway.takeOver(id);
      const write = (texto: string) =>
        gateway.emulateInbound({ cuenta: whatsApp, desde: "5215550001111", texto });
      for (let line = 1; line <= 60; line++) await write(`Line ${line}`);
      await until(async () => {
        const { messages } = await gateway.listMessages(id, { order: "newest", limit: 100 });
        return messages.filter(({ text }) => text.startsWith("Line ")).length === 60;
      });
      await loadPage(opened, `/gateway/inbox?c=${id}`);
      await page.getByText("Live", { exact: true }).waitFor();
      const log = page.getByRole("log");
      await log.getByText("Line 60", { exact: true }).waitFor();
      expect(await distanceToEnd(log)).toBeLessThan(2);

      await scrollTo(log, 400);
      const [read, top] = await firstShown(log);
      await write("One more");
      await log.getByText("One more", { exact: true }).waitFor({ state: "attached" });
      expect(await topOf(log, read)).toBeWithin(top - 1, top + 2);

      await scrollTo(log, 0);
      const [oldest, before] = await firstShown(log);
      await page.getByRole("button", { name: "Show earlier messages" }).click();
      await log.getByText("Hello! Do you sell green tea?", { exact: true }).waitFor({ state: "attached" });
      expect(await topOf(log, oldest)).toBeWithin(before - 1, before + 2);

      await page.getByRole("textbox", { name: "Reply" }).fill("I am here.");
      await page.keyboard.press("Control+Enter");
      await log.getByText("I am here.", { exact: true }).waitFor();
      expect(await distanceToEnd(log)).toBeLessThan(2);
      // A reader at the end follows.
      await write("Thank you");
      await log.getByText("Thank you", { exact: true }).waitFor();
      expect(await distanceToEnd(log)).toBeLessThan(2);
      expect(opened.complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "names from right to left are cut at their end, and characters that turn a name are shown",
    async () => {
      const gateway = gatewayAdmin(world.server);
      await gateway.emulateInbound({
        cuenta: whatsApp,
        desde: "5215550004444",
        nombre: "\u202enimda",
        texto: "Hello",
      });
      await until(async () => (await gateway.listConversations({ q: "0004444" })).total === 1);
      await loadPage(opened, "/gateway/inbox?q=0004444");
      await page.getByRole("button", { name: /\\u202enimda/ }).click();
      await page.getByRole("heading", { name: "\\u202enimda" }).waitFor();

      const platform = { fetch: fetchNow, baseUrl: world.server.urlOf("platform") };
      const account = { email: "ada@example.com", password: "correct horse" };
      const { accessToken } = await platformClient(platform).login(account);
      const name = "شركة الشاي والقهوة ".repeat(5).trim();
      await platformClient({ ...platform, accessToken }).createTenant(name);
      await page.setViewportSize({ width: 1440, height: 900 });
      await loadPage(opened, "/platform/operator/tenants");
      const cell = page.getByRole("cell", { name });
      expect(await cell.evaluate(showsBeginning)).toBe(true);
      const charged = page.locator('[role="cell"]:has(> span[title])');
      expect(await charged.count()).toBeGreaterThan(0);
      const cut = await charged.evaluateAll(
        (cells) => cells.filter((one) => one.scrollWidth > one.clientWidth).length,
      );
      expect(cut).toBe(0);
      await page.setViewportSize({ width: 1280, height: 800 });
      expect(opened.complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "two tabs keep each other's views of traces",
    async () => {
      await loadPage(opened, "/studio/traces");
      const second = await page.context().newPage();
      await second.goto(page.url());
      await settled(second);
      for (const tab of [page, second]) await tab.getByRole("button", { name: "Views" }).click();
      await saveView(page, "First");
      // The other tab hears of it.
      await viewOf(second, "First").waitFor();
      await saveView(second, "Second");
      await viewOf(second, "First").waitFor();
      await viewOf(page, "Second").waitFor();
      await page.getByRole("button", { name: "Delete view First" }).click();
      await viewOf(second, "First").waitFor({ state: "detached" });
      await viewOf(second, "Second").waitFor();
      await second.close();
      expect(opened.complaints).toEqual([]);
    },
    browserMissing,
  );
});

const viewOf = (tab: Page, name: string): Locator =>
  tab.getByRole("dialog").getByRole("link", { name, exact: true });

async function saveView(tab: Page, name: string): Promise<void> {
  await tab.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill(name);
  await tab.keyboard.press("Enter");
  await viewOf(tab, name).waitFor();
}

const distanceToEnd = (log: Locator): Promise<number> =>
  log.evaluate((box) => box.scrollHeight - box.scrollTop - box.clientHeight);

/** Scrolls the box, and waits until the page knows. */
const scrollTo = (log: Locator, top: number): Promise<void> =>
  log.evaluate(
    (box, to) =>
      new Promise<void>((done) => {
        box.addEventListener("scroll", () => done(), { once: true });
        box.scrollTop = to;
      }),
    top,
  );

/** Returns the text of the first message in view, and its distance from the upper edge of the box. */
const firstShown = (log: Locator): Promise<[text: string, top: number]> =>
  log.evaluate((box) => {
    const edge = box.getBoundingClientRect().top;
    const first = [...box.querySelectorAll(".ar-bubble")].find(
      (message) => message.getBoundingClientRect().bottom > edge,
    );
    const text = first?.querySelector(".ar-break")?.textContent ?? "";
    return [text, (first?.getBoundingClientRect().top ?? 0) - edge];
  });

const topOf = (log: Locator, text: string): Promise<number> =>
  log.evaluate((box, wanted) => {
    const message = [...box.querySelectorAll(".ar-bubble")].find(
      (one) => one.querySelector(".ar-break")?.textContent === wanted,
    );
    return (message?.getBoundingClientRect().top ?? Number.NaN) - box.getBoundingClientRect().top;
  }, text);

/** Returns true if the first letter of the cell's text is inside the cell. */
function showsBeginning(cell: Element): boolean {
  const text = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT).nextNode();
  if (text === null) return false;
  const range = document.createRange();
  range.setStart(text, 0);
  range.setEnd(text, 1);
  const [letter, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
  return letter.left >= box.left - 1 && letter.right <= box.right + 1;
}
