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
import { goTo, loadPage, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { argosy, executableBuilt, executableTest, startServer } from "../support/executable.ts";
import { answered, gatewayAdmin, gatewayAdminToken } from "../support/gateway-world.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { until } from "../support/until.ts";

describe("the gateway's pages", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  let page: Page;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    // The command's link opens the gateway's own pages.
    const { stdout } = await argosy(world.folder, ["gateway", "--ui", "--json"], { env: world.env });
    opened = await visit(browser, JSON.parse(stdout).url);
    ({ page } = opened);
    await settled(page);
    expect(new URL(page.url()).pathname).toBe("/gateway");
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => goTo(page, path);
  const looksWell = async (name: string) => {
    expect(await accessFaults(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await cutElements(page)).toEqual([]);
    // A browser's message about a refused request is not a complaint.
    expect(opened.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    await keepScreenshot(page, `gateway-${name}`);
  };

  executableTest(
    "a tenant's agent is put on a website from its own page, without a call of the API",
    async () => {
      const { tenant } = world.names;
      await using owner = await visitPage(browser, await world.link(), `/platform/t/${tenant}/agents/helper`);
      await owner.page.getByRole("link", { name: "On my website" }).click();
      const dialog = owner.page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "External id" }).fill("ada-web");
      await dialog.getByRole("button", { name: "Create account" }).click();
      await owner.page.waitForURL("**/gateway/accounts/*?agent=helper");
      expect(await dialog.getByRole("combobox", { name: "Agent" }).inputValue()).toBe("helper");
      await owner.page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      const sites = owner.page.getByRole("combobox", { name: "Websites that may show the chat" });
      await sites.fill("https://shop.example");
      await owner.page.keyboard.press("Enter");
      await owner.page.getByRole("button", { name: "Save websites" }).click();
      await noticed(owner.page, "The websites were saved.");
      await owner.page.getByText('data-account="ada-web"').waitFor();
      expect(await accessFaults(owner.page)).toEqual([]);
      expect(await gatewayAdmin(world.server).getWebchatSite("ada-web")).toMatchObject({
        tenant_id: tenant,
        origins: ["https://shop.example"],
      });
      expect(owner.complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "an account is created, bound by the server's rules, paused, resumed and deleted",
    async () => {
      await open("/gateway/accounts");
      await page.getByRole("button", { name: "New account" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByLabel("Tenant").fill(world.names.tenant);
      await dialog.getByLabel("External id").fill("two words");
      await dialog.getByLabel("Access token").fill("EAAG-token-of-a-test");
      await dialog.getByRole("button", { name: "Create account" }).click();
      await dialog.getByText("must be 1 to 255 letters, digits").waitFor();
      await looksWell("account-refused");
      await dialog.getByLabel("External id").fill("PN-77");
      await dialog.getByRole("button", { name: "Create account" }).click();
      await page.getByRole("heading", { level: 1, name: "PN-77" }).waitFor();
      await page.getByText("https://chat.example.com/webhooks/phone_messenger").waitFor();
      await page.getByText("verify-me").waitFor();
      expect(await page.locator("main").innerText()).not.toContain("EAAG-token");
      await page.getByText("•••test").waitFor();

      await page.getByRole("button", { name: "Bind", exact: true }).click();
      await dialog.getByRole("combobox", { name: "Agent" }).fill("nobody");
      await dialog.getByLabel("API key of the tenant").fill("apk_of-nobody-0000");
      await page.keyboard.press("Tab");
      await dialog.getByRole("button", { name: "Save binding" }).click();
      await dialog.getByRole("alert").waitFor();
      await dialog.getByText("A callback").click();
      await dialog.getByLabel("Callback URL").fill("https://bridge.example.com/in");
      await dialog.getByRole("button", { name: "Save binding" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByText("https://bridge.example.com/in").waitFor();

      await page.getByRole("button", { name: "Pause" }).click();
      await dialog.getByRole("button", { name: "Pause" }).click();
      await page.getByText("paused by an operator").waitFor();
      await looksWell("account-paused");
      await page.getByRole("button", { name: "Resume" }).click();
      await page.getByText("Healthy").waitFor();
      await page.getByRole("button", { name: "Delete" }).click();
      await dialog.getByRole("textbox").fill("PN-77");
      await dialog.getByRole("button", { name: "Delete account" }).click();
      await page.waitForURL("**/gateway/accounts");
    },
    browserMissing,
  );

  executableTest(
    "a conversation is found, taken over by the keyboard, answered, and gets new messages by itself",
    async () => {
      const gateway = gatewayAdmin(world.server);
      await open("/gateway/inbox");
      await page.getByText("Live", { exact: true }).waitFor();
      await page.getByRole("button", { name: /Ben Okafor/ }).waitFor();
      await page.getByLabel("Search names, numbers and messages").fill("garc");
      await page.getByRole("button", { name: /Ben Okafor/ }).waitFor({ state: "detached" });
      await page.getByRole("button", { name: /Ana García/ }).click();
      const log = page.getByRole("log");
      await log.getByText("How much is a bag of 100 g?", { exact: true }).waitFor();
      await page.keyboard.press("t");
      await page.getByText("A person answers").waitFor();
      // A new message comes without a reload, and no agent answers it.
      await gateway.emulateInbound({
        cuenta: "106540352242922",
        desde: "5215550001111",
        texto: "Is somebody there?",
      });
      await log.getByText("Is somebody there?").waitFor();
      await page.keyboard.press("r");
      await page.keyboard.type("Yes, it is me.");
      await page.keyboard.press("Control+Enter");
      await log.getByText("Yes, it is me.").waitFor();
      await log.getByText("Sent ✓").last().waitFor();
      await log.getByText("Owner of this machine", { exact: true }).waitFor();
      await looksWell("inbox-taken-over");
      await page.getByRole("button", { name: "Assign", exact: true }).click();
      await page.getByRole("menuitem", { name: "Assign to me" }).click();
      const talk = page.getByRole("region", { name: "Conversation", exact: true });
      await talk.getByText("Assignee: Owner of this machine").waitFor();
      await page.getByRole("button", { name: "Details" }).click();
      await page.getByLabel("Private note").fill("calls at five");
      await page.getByRole("button", { name: "Add note" }).click();
      await page.getByText("calls at five", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Resolve" }).click();
      await page.getByText("resolved it").waitFor();
      await looksWell("inbox-desk");
      await page.getByRole("button", { name: "Reopen" }).click();
      await page.getByText("opened it again").waitFor();
      await page.getByRole("button", { name: "Details" }).click();
      await page.getByRole("button", { name: "Release to agent" }).click();
      await page.getByText("Agent answers", { exact: true }).waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      await looksWell("inbox-narrow");
      await page.getByRole("button", { name: "Back to the list" }).click();
      await page.getByRole("button", { name: /Ana García/ }).waitFor();
      await page.setViewportSize({ width: 1280, height: 800 });
    },
    browserMissing,
  );

  executableTest(
    "a failed message tells why, is retried, and its trail says where it is",
    async () => {
      await open("/gateway/outbox?status=failed");
      await page.getByText("The user wrote too long ago.").waitFor();
      await looksWell("outbox-failed");
      await page.getByRole("button", { name: "Retry the message to" }).click();
      await page.getByText("No message has this status.").waitFor();
      await open("/gateway/trail");
      await page.getByLabel("Message id, provider's id, or address").fill("77001");
      await page.keyboard.press("Enter");
      await page.getByText("The provider refused it for good").waitFor();
      await page.getByText("The agent answered").first().waitFor();
      await looksWell("trail");
      await page.getByLabel("Message id, provider's id, or address").fill("<img src=x onerror=alert(1)>");
      await page.keyboard.press("Enter");
      await page.getByText("Nothing found").waitFor();
      await looksWell("trail-none");
    },
    browserMissing,
  );

  executableTest(
    "the phone writes, and each step lights up with its time and credits; faults show where they act",
    async () => {
      await open("/gateway/phone");
      const steps = page.getByRole("list", { name: "Pipeline" });
      const step = (name: string) => steps.getByRole("listitem").filter({ hasText: name });
      await page.getByText("WhatsApp", { exact: true }).first().click();
      await page.getByRole("textbox", { name: "Message" }).fill("Do you deliver?");
      await page.keyboard.press("Control+Enter");
      await step("Receipt").getByText("Delivered and read.").waitFor();
      await step("Model")
        .getByText(/credits/)
        .waitFor();
      expect(await step("Outbox").getAttribute("data-state")).toBe("done");
      await looksWell("phone");
      await page.getByRole("button", { name: "Delivered twice" }).click();
      await step("Webhook").getByText("Delivered again, and ignored.").waitFor();
      await page.getByRole("button", { name: "Closed window" }).click();
      await step("Outbox").getByText("The user wrote more than 24 hours ago.").waitFor();
      expect(await step("Outbox").getAttribute("data-state")).toBe("failed");
      await looksWell("phone-closed-window");
      await page.getByRole("button", { name: "429" }).click();
      await step("Outbox").getByText("The provider asked to wait.").waitFor();
      await page.getByRole("button", { name: "With picture" }).click();
      await page.getByRole("log").getByText("[Picture: picture.jpg]").first().waitFor();
      await page.emulateMedia({ colorScheme: "dark" });
      await settled(page);
      await looksWell("phone-dark");
      await page.setViewportSize({ width: 360, height: 740 });
      await looksWell("phone-narrow");
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
    },
    browserMissing,
  );

  executableTest(
    "hostile names and texts are shown as text, everywhere",
    async () => {
      const gateway = gatewayAdmin(world.server);
      const hostile = "<img src=x onerror=alert(1)>\u202e{{7*7}}";
      await gateway.emulateInbound({
        cuenta: "106540352242922",
        desde: "5215550009999",
        nombre: hostile,
        texto: `${hostile} </script><script>alert(1)</script> javascript:alert(1)`,
        media: [{ kind: "document", file_name: `${hostile}.pdf` }],
      });
      await answered(world.server, 5);
      // Loaded anew, the console shows nothing that it read before.
      await page.goto(new URL("/gateway", page.url()).href);
      await settled(page);
      for (const path of [
        "/gateway/inbox?q=5215550009999",
        "/gateway/outbox",
        "/gateway/trail?id=5215550009999",
        "/gateway/phone?from=5215550009999",
        `/gateway/accounts?tenant=${encodeURIComponent("</script>")}`,
        "/gateway/inbox?c=%3Csvg%20onload=alert(1)%3E",
        "/gateway/accounts/%3Csvg%3E",
        "/gateway/contacts?q=5215550009999",
        "/gateway/contacts/%3Csvg%3E",
      ]) {
        opened.complaints.length = 0;
        await open(path);
        expect(await page.locator("main img, main svg[onload], main script").count()).toBe(0);
        // A browser's message about a refused request is not a complaint.
        expect(opened.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
      }
      opened.complaints.length = 0;
      // The same customer, as a person writes the number.
      await open("/gateway/phone?from=%2B52%201%20555%20000-9999");
      await page.locator("main").getByText("javascript:alert(1)").first().waitFor();
    },
    browserMissing,
  );

  executableTest(
    "a contact is found by its number, shown and forgotten",
    async () => {
      const gateway = gatewayAdmin(world.server);
      await gateway.emulateInbound({
        cuenta: "106540352242922",
        desde: "5215550007777",
        nombre: "Zoe Quist",
        texto: "Hello",
      });
      await answered(world.server, 6);
      await open("/gateway/contacts?q=%2B52%201%20555%20000-7777");
      await page.getByRole("link", { name: "Zoe Quist" }).click();
      await page.getByText("5215550007777").first().waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await page.getByRole("button", { name: "Forget contact" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Forget contact" }).click();
      await page.waitForURL("**/gateway/contacts");
      await page.locator("main").waitFor();
      expect((await gateway.listContacts({ q: "Zoe Quist" })).total).toBe(0);
      expect(await page.getByRole("link", { name: "Zoe Quist" }).count()).toBe(0);
    },
    browserMissing,
  );

  executableTest(
    "phones are set up for another tenant with a key that is created in place",
    async () => {
      await open("/gateway/phone");
      await page.getByRole("button", { name: "Set up emulated accounts" }).click();
      const dialog = page.getByRole("dialog");
      const create = dialog.getByRole("button", { name: "Create key" });
      // A key belongs to a tenant.
      expect(await create.count()).toBe(0);
      await dialog.getByRole("combobox", { name: "Tenant" }).fill("nobody");
      await create.click();
      await dialog.getByRole("alert").waitFor();
      opened.complaints.length = 0;
      await dialog.getByRole("combobox", { name: "Tenant" }).fill(world.names.tenant);
      await dialog.getByRole("combobox", { name: "Agent" }).fill("helper");
      await create.click();
      const key = await dialog.getByLabel("New API key").innerText();
      expect(key).toMatch(/^apk_/);
      expect(await dialog.getByLabel("API key of the tenant").inputValue()).toBe(key);
      expect(await create.isDisabled()).toBe(true);
      await looksWell("set-up-key");
      await page.setViewportSize({ width: 360, height: 740 });
      await looksWell("set-up-key-narrow");
      await page.setViewportSize({ width: 1280, height: 800 });
      // A key that is typed over is not the one that was created.
      await dialog.getByLabel("API key of the tenant").fill("apk_other");
      expect(await dialog.getByLabel("New API key").count()).toBe(0);
      await dialog.getByLabel("API key of the tenant").fill(key);
      await dialog.getByRole("button", { name: "Create accounts" }).click();
      await noticed(page, "The emulated accounts are ready.");
      const { accounts } = await gatewayAdmin(world.server).listAccounts(world.names.tenant);
      expect(accounts.filter(({ emulated }) => emulated)).toHaveLength(4);
      expect(await page.content()).not.toContain(key);
    },
    browserMissing,
  );

  executableTest(
    "what happens while the stream of changes is broken shows when it is back",
    async () => {
      const gateway = gatewayAdmin(world.server);
      const eva = "5215550004444";
      const write = (texto: string) =>
        gateway.emulateInbound({ cuenta: "106540352242922", desde: eva, nombre: "Eva Blum", texto });
      const received = async () => {
        const { messages_per_day: days } = await gateway.stats({ days: 7 });
        return days.reduce((sum, { inbound }) => sum + inbound, 0);
      };
      // Each message gets an answer.
      const answeredTo = (texts: number) =>
        until(async () => (await gateway.trail(eva)).messages.length === 2 * texts);
      await write("Do you sell cups?");
      await answeredTo(1);

      let stream = await breakFirstStream(page);
      // Not by `open`, which waits for all that the page asks for: for the stream that is held, too, if the page is slow.
      await loadPage(opened, "/gateway");
      const figure = (count: number) =>
        page
          .locator(".ar-figures > div", { hasText: "From users" })
          .getByText(String(count), { exact: true });
      const before = await received();
      await figure(before).waitFor();
      await stream.broken;
      await write("And saucers?");
      await until(async () => (await received()) === before + 1);
      await answeredTo(2);
      stream.mend();
      await figure(before + 1).waitFor();

      stream = await breakFirstStream(page);
      await loadPage(opened, `/gateway/trail?id=${eva}`);
      await page.getByText("4 messages", { exact: true }).waitFor();
      await stream.broken;
      await write("And teapots?");
      await answeredTo(3);
      stream.mend();
      await page.getByText("6 messages", { exact: true }).waitFor();
    },
    browserMissing,
  );
});

/** Lets the page's next stream of changes end after it has begun, and holds the following one back until it is mended. */
async function breakFirstStream(page: Page): Promise<{ broken: Promise<void>; mend: () => void }> {
  const opening = { at: "2026-01-01T00:00:00.000Z", about: "stream", change: "open" };
  const broken = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  let asked = 0;
  await page.route("**/admin/events*", async (route) => {
    asked++;
    if (asked === 1)
      return await route.fulfill({
        contentType: "text/event-stream",
        body: `data: ${JSON.stringify(opening)}\n\n`,
      });
    broken.resolve();
    await held.promise;
    await route.continue();
  });
  return { broken: broken.promise, mend: held.resolve };
}

executableTest(
  "a gateway without accounts explains what to do, and opens by its admin token at its own address",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, {
      services: ["daemon", "platform", "gateway"],
      env: { GATEWAY_ADMIN_TOKEN: gatewayAdminToken },
    });
    await using browser = await openBrowser();
    await using opened = await visit(browser, `${server.urlOf("gateway")}/ui/`);
    const { page, complaints } = opened;
    await page.getByLabel("Token").fill(gatewayAdminToken);
    await page.getByRole("button", { name: "Sign in with token" }).click();
    await page.waitForURL("**/gateway");
    await page.getByText("No messages yet").waitFor();
    complaints.length = 0;
    for (const [path, text] of [
      ["/gateway", "No messages yet"],
      ["/gateway/inbox", "No conversations yet"],
      ["/gateway/outbox", "No messages were sent yet."],
      ["/gateway/trail", "Find a message"],
      ["/gateway/contacts", "Nobody wrote yet."],
      ["/gateway/accounts", "Connect the first channel"],
      ["/gateway/phone", "The emulator is off"],
    ] as const) {
      await goTo(page, path);
      await page.getByText(text).waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, `gateway-empty${path.replaceAll("/", "-")}`);
    }
    expect(complaints).toEqual([]);
    // The token opens the gateway alone.
    const status = await page.evaluate(async () => {
      const key = localStorage.getItem("argosy-session-key") ?? "";
      const answer = await fetch("/console/api/daemon/v1/agents", { headers: { "x-argosy-console": key } });
      return answer.status;
    });
    expect(status).toBe(403);
  },
  browserMissing,
);
