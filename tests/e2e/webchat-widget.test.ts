import { describe, expect } from "bun:test";
import hostileStrings from "../corpora/strings_hostile.json" with { type: "json" };
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  type VisitOptions,
  visit,
} from "../support/browser.ts";
import { browserTest, openChat, say, shown, startChat } from "../support/embedded-chat.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { startForeignSite } from "../support/foreign-page.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const greeting = "Hello! How can we help?";

describe("the chat on a page of another site", () => {
  const looks: [string, VisitOptions][] = [
    ["light", {}],
    ["dark", { colorScheme: "dark" }],
    ["narrow", { viewport: { width: 360, height: 640 } }],
  ];
  for (const [look, options] of looks) {
    browserTest(`talks, counts what is unread, and has no fault of access: ${look}`, async () => {
      await using chat = await startChat();
      await using opened = await chat.open(options);
      const { page, complaints } = opened;
      expect(await accessFaults(page)).toEqual([]);
      await openChat(page);
      expect(await accessFaults(page)).toEqual([]);
      await say(page, "Do you have green tea?");
      await page.locator(".visitante time").waitFor();
      await chat.answer("Yes: sencha, gyokuro and matcha.\nWhich one would you like to know more about?");
      await page.getByText("sencha").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      expect(await overflowOf(page)).toBe(0);
      await keepScreenshot(page, `webchat-${look}`);
      await page.getByRole("button", { name: "Close chat" }).first().click();
      await chat.answer("Are you still there?");
      await page.getByRole("button", { name: "Open chat, 1 new" }).waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, `webchat-${look}-unread`);
      await page.getByRole("button", { name: "Open chat, 1 new" }).click();
      await page.getByText("still there").waitFor();
      await page.getByRole("button", { name: "Close chat" }).first().click();
      await page.getByRole("button", { name: "Open chat", exact: true }).waitFor();
      expect(complaints).toEqual([]);
    });
  }

  browserTest("talks to the agent of its account, in several messages if the agent wishes", async () => {
    await using chat = await startChat();
    await chat.bind();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    await say(page, "do you have green tea?");
    await page.locator(".agente .bubble", { hasText: /DO YOU HAVE GREEN TEA\?$/ }).waitFor();
    await say(page, "one[[+]]two");
    await page.locator(".agente .bubble", { hasText: /ONE$/ }).waitFor();
    // The messages of an answer are 1.5 s apart, and the outbox looks once a second.
    await chat.gateway.clock.advance(3_000);
    await page.locator(".agente .bubble", { hasText: /TWO$/ }).waitFor();
    const said = [greeting, "do you have green tea?", "DO YOU HAVE GREEN TEA?", "one[[+]]two", "ONE", "TWO"];
    expect(await shown(page)).toEqual(said);
    const [first, second] = chat.gateway.platform.runs;
    expect(first?.request.session_id).toBe(second?.request.session_id ?? "");
    expect(first?.request.context).toMatchObject({ channel: "webchat", is_new_conversation: true });
  });

  browserTest("keeps the thread over reloads, and shares it with another tab", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    await say(page, "Hello");
    await page.locator(".visitante time").waitFor();
    await chat.answer("Good morning");
    await page.getByText("Good morning").waitFor();
    await page.reload();
    // The chat was open, and is again, without taking the focus from the page.
    await page.getByText("Good morning").waitFor();
    expect(await shown(page)).toEqual([greeting, "Hello", "Good morning"]);
    expect(await page.evaluate(() => document.activeElement === document.body)).toBe(true);
    const other = await page.context().newPage();
    await other.goto(chat.site.origin);
    await openChat(other);
    await other.getByText("Good morning").waitFor();
    await say(other, "From the other tab");
    await page.getByText("From the other tab").waitFor();
    expect(await shown(page)).toEqual([greeting, "Hello", "Good morning", "From the other tab"]);
    expect(await shown(other)).toEqual(await shown(page));
  });

  browserTest("says when the network is lost, and catches up when it is back", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    const context = page.context();
    await openChat(page);
    await say(page, "Hello");
    await page.locator(".visitante time").waitFor();
    await context.setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await chat.answer("Good morning");
    await say(page, "Are you there?");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await keepScreenshot(page, "webchat-offline");
    await context.setOffline(false);
    await page.getByText("Good morning").waitFor();
    await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    await page.locator(".visitante time").nth(1).waitFor();
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    expect(await shown(page)).toEqual([greeting, "Hello", "Good morning", "Are you there?"]);
    expect(await chat.thread()).toEqual(["Hello", "Good morning", "Are you there?"]);
  });

  browserTest("sends the first message of a visitor who was offline", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    await page.context().setOffline(true);
    await page.getByText("You are offline.").waitFor();
    await say(page, "Hello");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.context().setOffline(false);
    await page.locator(".visitante time").waitFor();
    await page.getByText("You are offline.").waitFor({ state: "detached" });
    expect(await chat.thread()).toEqual(["Hello"]);
  });

  browserTest("sends a message whose answer was lost once, when the visitor tries again", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    await say(page, "Hello");
    await page.locator(".visitante time").waitFor();
    // The gateway stores the message, and the page never hears of it.
    await page.context().route("**/webchat/shop/stream*", (route) => route.abort());
    await page.context().route("**/webchat/shop/messages", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.reload();
    await say(page, "Two teas, please");
    await page.getByRole("button", { name: "Try again" }).waitFor();
    await page.getByText("Connecting…").waitFor();
    await page.context().unroute("**/webchat/shop/messages");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    await page.context().unroute("**/webchat/shop/stream*");
    await page.getByText("Connecting…").waitFor({ state: "detached" });
    expect(await chat.thread()).toEqual(["Hello", "Two teas, please"]);
    expect(await shown(page)).toEqual([greeting, "Hello", "Two teas, please"]);
  });

  browserTest("tells a visitor who writes too much to wait", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    await openChat(page);
    for (let count = 1; count <= 20; count++) {
      await say(page, `message ${count}`);
      await page
        .locator(".visitante time")
        .nth(count - 1)
        .waitFor();
    }
    await say(page, "one more");
    await page.getByText("Too many messages. Wait a minute.").waitFor();
    await chat.gateway.clock.advance(60_000);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.locator(".visitante time").nth(20).waitFor();
    expect((await chat.thread()).at(-1)).toBe("one more");
  });

  browserTest("shows hostile texts as texts", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page, complaints } = opened;
    await openChat(page);
    const storable = (text: unknown): text is string =>
      typeof text === "string" && text !== "" && !text.includes("\0") && text.isWellFormed();
    const hostile = [
      "<img src=x onerror=alert(1)>",
      "</script><script>alert(1)</script>",
      "javascript:alert(1)",
      "<svg onload=alert(1)>",
      "{{constructor.constructor('alert(1)')()}}",
      "\u202eevil\u202c",
      ...hostileStrings.entries.map(({ input }) => input as unknown).filter(storable),
    ];
    await say(page, "<b>bold</b>");
    await page.locator(".visitante time").waitFor();
    for (const text of hostile) await chat.answer(text);
    await page
      .locator(".agente time")
      .nth(hostile.length - 1)
      .waitFor();
    expect(await shown(page)).toEqual([greeting, "<b>bold</b>", ...hostile]);
    expect(await page.locator(".log img, .log script, .log b, .log svg").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  browserTest("works by the keyboard alone", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    const focused = () => page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.className);
    await page.getByRole("button", { name: "Open chat" }).waitFor();
    for (let count = 0; count < 3; count++) await page.keyboard.press("Tab");
    expect(await focused()).toBe("launcher");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Chat" }).waitFor();
    await page.keyboard.type("Hello");
    await page.keyboard.press("Shift+Enter");
    await page.keyboard.type("there");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("send");
    await page.keyboard.press("Enter");
    await page.locator(".visitante time").waitFor();
    expect(await shown(page)).toEqual([greeting, "Hello\nthere"]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog", { name: "Chat" }).waitFor({ state: "hidden" });
    expect(await focused()).toBe("launcher");
  });

  browserTest("takes its texts, colors and place from the tag", async () => {
    const attributes = `data-lang="es" data-text-title="Tienda" data-text-greeting="" data-color="#ffd400" data-position="left" data-theme="dark"`;
    await using chat = await startChat({ attributes });
    await using opened = await chat.open();
    const { page } = opened;
    await page.getByRole("button", { name: "Abrir el chat" }).click();
    await page.getByRole("dialog", { name: "Tienda" }).waitFor();
    await page.getByPlaceholder("Escriba un mensaje").fill("Hola");
    await page.getByRole("button", { name: "Enviar" }).click();
    await page.locator(".visitante time").waitFor();
    expect(await shown(page)).toEqual(["Hola"]);
    expect(await accessFaults(page)).toEqual([]);
    const color = await page
      .locator(".visitante .bubble")
      .evaluate((bubble) => getComputedStyle(bubble).color);
    expect(color).toBe("rgb(0, 0, 0)");
    const box = await page.locator(".launcher").boundingBox();
    expect(box?.x).toBe(20);
    await keepScreenshot(page, "webchat-own-look");
  });

  browserTest("works where a page's storage is closed, until the page is left", async () => {
    await using chat = await startChat();
    await using opened = await chat.open();
    const { page } = opened;
    await page.addInitScript(() => {
      for (const name of ["localStorage", "sessionStorage"]) {
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException("denied", "SecurityError");
          },
        });
      }
    });
    await page.reload();
    await openChat(page);
    await say(page, "Hello");
    await page.locator(".visitante time").waitFor();
    await chat.answer("Good morning");
    await page.getByText("Good morning").waitFor();
  });
});

executableTest("the executable has the widget of its source, compressed for browsers", async () => {
  using folder = temporaryFolder();
  await using server = await startServer(folder.path, {
    services: ["gateway"],
    args: ["--enable-webchat"],
    env: { ARGOSY_GATEWAY_PORT: "0", GATEWAY_PLATFORM_URL: "http://127.0.0.1:1" },
  });
  const load = (encoding: string) =>
    fetch(`${server.urlOf("gateway")}/webchat/widget.js`, { headers: { "accept-encoding": encoding } });
  const loaded = await load("br");
  expect([loaded.status, loaded.headers.get("content-encoding")]).toEqual([200, "br"]);
  const text = await loaded.text();
  expect(text).toContain("argosy-chat");
  expect(await (await load("gzip")).text()).toBe(text);
  expect(await (await load("identity")).text()).toBe(text);
});

executableTest(
  "an open chat lives on over a restart of the server, and what was said meanwhile arrives once",
  async () => {
    using folder = temporaryFolder();
    const admin = "admin-token-of-the-gateway-with-32-bytes";
    const start = (port: number) =>
      startServer(folder.path, {
        services: ["gateway"],
        args: ["--enable-webchat"],
        env: {
          ARGOSY_GATEWAY_PORT: String(port),
          GATEWAY_PLATFORM_URL: "http://127.0.0.1:1",
          GATEWAY_ADMIN_TOKEN: admin,
        },
      });
    const first = await start(0);
    const ask = async (method: string, path: string, body: object) => {
      const headers = { "x-admin-token": admin };
      expect((await first.call(method, path, { headers, body })).status).toBeLessThan(300);
    };
    using site = startForeignSite(() => ({ gateway: first.url }));
    await ask("POST", "/admin/accounts", { tenant_id: "a", channel: "webchat", external_id: "shop" });
    await ask("PUT", "/admin/webchat/sites/shop", { origins: [site.origin] });
    await using browser = await openBrowser();
    await using opened = await visit(browser, site.origin);
    const { page } = opened;
    await openChat(page);
    await say(page, "Hello");
    await page.locator(".visitante time").waitFor();

    first.kill("SIGKILL");
    await first.exited;
    await page.getByText("Connecting…").waitFor();
    await say(page, "Are you there?");
    await page.getByRole("button", { name: "Try again" }).waitFor();

    await using _second = await start(first.port);
    await page.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    await page.locator(".visitante time").nth(1).waitFor();
    expect(await shown(page)).toEqual([greeting, "Hello", "Are you there?"]);
    // As the server has it.
    await page.reload();
    await page.locator(".visitante time").nth(1).waitFor();
    expect(await shown(page)).toEqual([greeting, "Hello", "Are you there?"]);
  },
  browserMissing,
);

browserTest("a page that is not allowed gets no answer", async () => {
  await using chat = await startChat({}, { isAllowed: false });
  await using opened = await chat.open();
  const { page, complaints } = opened;
  await openChat(page);
  await say(page, "Hello");
  await page.getByText("Not sent.").waitFor();
  expect(complaints.join()).toContain("CORS");
  const { storage } = chat.gateway.deps;
  expect(await storage.read.select().from(storage.tables.webchatThreads)).toEqual([]);
});
