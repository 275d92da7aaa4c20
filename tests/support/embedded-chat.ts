import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { gatewayWorkers } from "../../src/services/gateway/workers.ts";
import { browserMissing, openBrowser, type VisitOptions, visit } from "./browser.ts";
import { type ForeignPage, startForeignSite } from "./foreign-page.ts";
import { asAdmin, startGateway, type TestGateway } from "./gateway.ts";
import { sqliteEngine } from "./storage-engines.ts";
import { openSite } from "./webchat.ts";

/** A test in Chromium; skipped, with the reason in its name, where there is none. */
export function browserTest(name: string, body: () => Promise<void>): void {
  if (browserMissing === undefined) test(name, body, 300_000);
  else test.skip(`${name} (${browserMissing})`, body);
}

/** A gateway, a site of another origin that embeds its chat, and a browser. */
export async function startChat(change: Partial<ForeignPage> = {}, { isAllowed = true } = {}) {
  await using held = new AsyncDisposableStack();
  const gateway = held.use(await startGateway(sqliteEngine));
  const page: ForeignPage = { gateway: gateway.url, ...change };
  const site = held.use(startForeignSite(() => page));
  const account = await openSite(gateway, "a", "shop", isAllowed ? [site.origin] : ["https://shop.example"]);
  held.use(startWorkers(gateway));
  const browser = held.use(await openBrowser());
  const ending = held.move();
  return {
    gateway,
    site,
    open: (options?: VisitOptions) => visit(browser, site.origin, options),
    /** Has an agent answer from now on: it says everything again in capitals. */
    async bind() {
      const config = { platform_api_key: "key-of-the-platform" };
      const body = {
        tenant_id: "a",
        channel: "webchat",
        account_id: account,
        entry_agent: "support",
        config,
      };
      const bound = await gateway.call("POST", "/admin/bindings", { headers: asAdmin, body });
      expect(bound.status).toBe(201);
    },
    /** Answers the only visitor as an operator. */
    async answer(text: string) {
      const body = { tenant_id: "a", channel: "webchat", recipient: await onlyVisitor(gateway), text };
      const sent = await gateway.call("POST", "/admin/send", { headers: asAdmin, body });
      expect(sent.status).toBe(202);
    },
    /** Texts of the only visitor's thread, as operators see them. */
    async thread(): Promise<string[]> {
      const query = new URLSearchParams({ cuenta: "shop", visitante: await onlyVisitor(gateway) });
      const read = await gateway.call("GET", `/admin/webchat/hilo?${query}`, { headers: asAdmin });
      return read.body.mensajes.map(({ texto }: { texto: string }) => texto);
    },
    [Symbol.asyncDispose]: () => ending.disposeAsync(),
  };
}

async function onlyVisitor({ deps: { storage } }: TestGateway): Promise<string> {
  const rows = await storage.read.select().from(storage.tables.webchatThreads);
  if (rows[0] === undefined || rows.length > 1) throw new Error(`There are ${rows.length} visitors.`);
  return rows[0].visitor;
}

/** Runs the gateway's background workers. */
function startWorkers({ deps }: TestGateway): AsyncDisposable {
  const stopping = new AbortController();
  const running = gatewayWorkers(deps).map((worker) => worker.run(stopping.signal));
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(running);
    },
  };
}

export const openChat = (page: Page) => page.getByRole("button", { name: "Open chat" }).click();

export async function say(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder("Write a message").fill(text);
  await page.keyboard.press("Enter");
}

/** Texts in the chat, in order, without those who wrote them. */
export const shown = (page: Page): Promise<string[]> =>
  page
    .locator(".bubble")
    .evaluateAll((bubbles) => bubbles.map(({ lastChild }) => lastChild?.textContent ?? ""));
