import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { serviceFetch } from "../../src/kit/fetch/service-fetch.ts";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  type Visit,
  visit,
} from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { answered, gatewayAdmin } from "../support/gateway-world.ts";
import { until } from "../support/until.ts";

const whatsApp = "106540352242922";
const ana = "5215550001111";
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNk+M9Qz0AEYBxVSF+FAAhKDveksOjmAAAAAElFTkSuQmCC",
  "base64",
);

describe("the desk in the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  let page: Page;
  let conversation: string;
  let tenant: string;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    const gateway = gatewayAdmin(world.server);
    const [found] = (await gateway.listConversations({ q: "Ana" })).conversations;
    conversation = found?.id ?? "";
    tenant = found?.tenant_id ?? "";
    await gateway.takeOver(conversation);
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/gateway/inbox");
    ({ page } = opened);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const open = (path: string) => goTo(page, path);
  const looksWell = async (name: string) => {
    expect(await accessFaultsInBothColors(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    expect(await cutElements(page)).toEqual([]);
    expect(opened.complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
    await keepScreenshot(page, `desk-${name}`);
  };
  const field = () => page.getByRole("textbox", { name: "Reply" });
  const log = () => page.getByRole("log");

  executableTest(
    "files are shown, played and downloaded; a reply quotes; a refused message tells why and is sent again",
    async () => {
      const gateway = gatewayAdmin(world.server);
      const upload = async (bytes: Uint8Array<ArrayBuffer>, contentType: string, filename: string) =>
        (await gateway.uploadMedia({ bytes, contentType, filename, tenantId: tenant })).id;
      const picture = await upload(new Uint8Array(png), "image/png", "shelf.png");
      const order = await upload(new TextEncoder().encode("%PDF-1.7 order"), "application/pdf", "order.pdf");
      const write = (texto: string, more: object = {}) =>
        gateway.emulateInbound({ cuenta: whatsApp, desde: ana, texto, ...more });
      const { messages } = await gateway.listMessages(conversation);
      const ours = messages.find(({ direction }) => direction === "outbound");
      const sentAs = ours?.channel_message_id ?? "";
      await write("Like this?", { responde_a: sentAs });
      await write("the shelf", { media: [{ kind: "image", id: picture, file_name: "shelf.png" }] });
      await write("my order", { media: [{ kind: "document", id: order, file_name: "order.pdf" }] });
      await gateway.emulateReceipt({
        cuenta: whatsApp,
        channel_message_id: sentAs,
        estado: "failed",
        codigo: 131026,
      });
      await until(async () => (await gateway.listConversations({ undelivered: true })).total === 1);

      await open("/gateway/inbox?view=undelivered");
      await page.getByRole("button", { name: /^Undelivered 1$/ }).waitFor();
      await page.getByRole("button", { name: /Ana García/ }).click();
      // The tenant has a name in list and conversation.
      await page.getByRole("region", { name: "Conversation", exact: true }).getByText("Tea shop").waitFor();
      await log().getByText("my order", { exact: true }).waitFor();
      const image = log().getByRole("button", { name: /^Open .*shelf\.png/ });
      await image.locator("img").waitFor();
      expect(await image.locator("img").evaluate((shown: HTMLImageElement) => shown.naturalWidth)).toBe(10);
      expect(await image.locator("img").getAttribute("src")).toStartWith("blob:");
      await looksWell("files");
      const download = page.waitForEvent("download");
      await log()
        .getByRole("button", { name: /Download .*order\.pdf/ })
        .click();
      expect((await download).suggestedFilename()).toBe("order.pdf");
      await log()
        .getByRole("blockquote")
        .getByText(/You said/)
        .waitFor();

      const refused = log().locator(".ar-bubble", { hasText: "The provider can't deliver to this number." });
      await refused.getByRole("button", { name: "Resend" }).click();
      await log().getByText("Sent again").waitFor();
      expect(await page.getByRole("button", { name: "Resend" }).count()).toBe(0);
      expect((await gateway.listConversations({ undelivered: true })).total).toBe(0);
    },
    browserMissing,
  );

  executableTest(
    "a reply takes a canned text by a slash, keeps its draft, refuses files that don't fit, and sends the others",
    async () => {
      const gateway = gatewayAdmin(world.server);
      await gateway.saveCanned({ tenant_id: tenant, name: "hours", text: "Hello {{name}}, we open at 9." });
      await open(`/gateway/inbox?c=${conversation}`);
      await page.keyboard.press("r");
      await page.keyboard.type("/hou");
      await page.getByRole("option", { name: /hours/ }).waitFor();
      await looksWell("canned");
      await page.keyboard.press("Enter");
      expect(await field().inputValue()).toBe("Hello Ana García, we open at 9.");
      await page.locator("input[type=file]").setInputFiles([
        { name: "empty.txt", mimeType: "text/plain", buffer: Buffer.alloc(0) },
        { name: "large.png", mimeType: "image/png", buffer: Buffer.alloc(6 * 1024 * 1024) },
        { name: "offer.txt", mimeType: "text/plain", buffer: Buffer.from("Two for one") },
      ]);
      const problems = page.getByRole("alert");
      await problems.getByText("WhatsApp takes images of at most 5 MiB.").waitFor();
      await problems.getByText(/empty\.txt.* is empty\./).waitFor();
      const files = page.getByRole("list", { name: "Files of this reply" });
      await files.getByText("offer.txt").waitFor();
      await looksWell("reply");
      // Left and loaded anew, the draft is there.
      await page.goto(new URL("/gateway/contacts", page.url()).href);
      await settled(page);
      await open(`/gateway/inbox?c=${conversation}`);
      expect(await field().inputValue()).toBe("Hello Ana García, we open at 9.");
      await files.getByText("offer.txt").waitFor();
      await page.keyboard.press("r");
      await page.keyboard.press("Enter");
      // Enter begins a new line.
      expect(await field().inputValue()).toContain("\n");
      await page.keyboard.press("Control+Enter");
      await log()
        .getByRole("button", { name: /Download .*offer\.txt/ })
        .waitFor();
      expect(await field().inputValue()).toBe("");
      const last = (await gateway.listMessages(conversation, { order: "newest" })).messages[0];
      expect(last).toMatchObject({
        author: "Owner of this machine",
        text: "Hello Ana García, we open at 9.\n",
        media: [{ kind: "document", file_name: "offer.txt" }],
      });
    },
    browserMissing,
  );

  executableTest(
    "outside the window the template comes by itself, with its fields and a preview",
    async () => {
      // The user's last message is a day old for this page.
      await page.route(`**/admin/conversations/${conversation}`, async (route) => {
        const answer = await route.fetch();
        const body = { ...(await answer.json()), window_closes_at: "2026-01-01T00:00:00.000Z" };
        await route.fulfill({ response: answer, json: body });
      });
      await page.goto(new URL(`/gateway/inbox?c=${conversation}`, page.url()).href);
      await settled(page);
      await page.getByText("The 24-hour window is closed").waitFor();
      await page.getByRole("combobox", { name: "Template" }).click();
      await page.getByRole("option", { name: "appointment" }).click();
      await page.getByLabel("{{1}}").fill("Ana");
      await page.getByText("Hello Ana, we expect you {{2}}.").waitFor();
      expect(await page.getByRole("button", { name: "Send template" }).isDisabled()).toBe(true);
      await page.getByLabel("{{2}}").fill("at five");
      await looksWell("template");
      await page.setViewportSize({ width: 360, height: 740 });
      await looksWell("template-narrow");
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.getByRole("button", { name: "Send template" }).click();
      await log().getByText("Hello Ana, we expect you at five.").waitFor();
      // An answer that is still on its way would be given to the next test.
      await page.unrouteAll({ behavior: "wait" });
    },
    browserMissing,
  );

  executableTest(
    "the first message to a user goes from the chosen account and opens its conversation",
    async () => {
      await open("/gateway/inbox");
      await page.keyboard.press("n");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox", { name: "Tenant" }).click();
      await page.getByRole("option", { name: "Tea shop" }).click();
      await dialog.getByRole("combobox", { name: "Account" }).click();
      await page.getByRole("option", { name: `WhatsApp ${whatsApp}` }).click();
      await dialog.getByLabel("To").fill("+52 1 555 000 8888");
      await dialog.getByRole("textbox", { name: "Message" }).fill("Your tea has arrived.");
      expect(await accessFaults(page)).toEqual([]);
      await dialog.getByRole("button", { name: "Send" }).click();
      await dialog.waitFor({ state: "detached" });
      await log().getByText("Your tea has arrived.").waitFor();
      await page.getByText(/never wrote here/).waitFor();
    },
    browserMissing,
  );

  executableTest(
    "the keyboard alone assigns, snoozes, reopens and goes to the labels",
    async () => {
      await open(`/gateway/inbox?c=${conversation}`);
      const head = page.locator(".ar-inbox-head");
      await page.keyboard.press("a");
      await head.getByText("Assignee: Owner of this machine").waitFor();
      await page.getByRole("button", { name: /^Mine 1$/ }).waitFor();
      await page.keyboard.press("s");
      await page.getByRole("menuitem", { name: "For an hour" }).waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await page.keyboard.press("Enter");
      await head.getByText("Snoozed", { exact: true }).waitFor();
      await page.keyboard.press("e");
      await head.getByRole("button", { name: "Snooze" }).waitFor();
      await page.keyboard.press("l");
      await page.keyboard.type("vip");
      await page.keyboard.press("Enter");
      await head.locator(".ar-inbox-label", { hasText: "vip" }).waitFor();
      await page.setViewportSize({ width: 360, height: 740 });
      await looksWell("details-narrow");
      await page.setViewportSize({ width: 1280, height: 800 });
    },
    browserMissing,
  );

  executableTest(
    "a conversation marked as unread by its key is left, and is unread in the list until it is opened",
    async () => {
      await open(`/gateway/inbox?c=${conversation}`);
      const head = page.locator(".ar-inbox-head");
      await head.getByRole("button", { name: "Mark unread" }).waitFor();
      const marked = page.waitForResponse(`**/conversations/${conversation}/unseen`);
      await page.keyboard.press("m");
      expect((await marked).status()).toBe(200);
      await page.getByText("Choose a conversation.").waitFor();
      await page.getByRole("button", { name: /^Unread [1-9]/ }).waitFor();
    },
    browserMissing,
  );

  executableTest(
    "the reports show times, volume and people, and are downloaded as CSV",
    async () => {
      await open("/gateway/reports");
      await page.getByRole("table", { name: "By person" }).getByText("Owner of this machine").waitFor();
      await looksWell("reports");
      await page.setViewportSize({ width: 360, height: 740 });
      await looksWell("reports-narrow");
      await page.setViewportSize({ width: 1280, height: 800 });
      const download = page.waitForEvent("download");
      await page.getByRole("button", { name: "Download CSV" }).click();
      expect((await download).suggestedFilename()).toMatch(/^desk-\d{4}-\d\d-\d\d-\d{4}-\d\d-\d\d\.csv$/);
    },
    browserMissing,
  );

  executableTest(
    "notifications are asked for by a click alone, and then tell of work while the page has no focus",
    async () => {
      const gateway = gatewayAdmin(world.server);
      await page.addInitScript(() => {
        const made: string[] = [];
        let permission = "default";
        class Notice {
          static get permission() {
            return permission;
          }
          static async requestPermission() {
            permission = "granted";
            return permission;
          }
          constructor(title: string, { body }: { body: string }) {
            made.push(`${title}: ${body}`);
          }
        }
        Object.assign(window, { Notification: Notice, made });
        document.hasFocus = () => false;
      });
      await page.goto(new URL("/gateway/inbox", page.url()).href);
      await settled(page);
      const made = () => page.evaluate(() => (window as unknown as { made: string[] }).made);
      await page.getByRole("button", { name: "Notify me" }).click();
      await page.getByRole("button", { name: "Stop notifying me" }).waitFor();
      await page.getByText("Live", { exact: true }).waitFor();
      // Assigned to this person above.
      await gateway.emulateInbound({ cuenta: whatsApp, desde: ana, texto: "Are you there?" });
      await until(async () => (await made()).length > 0);
      expect(await made()).toEqual(["New message for you: Ana García"]);
      await page.waitForFunction(() => /^\(\d+\) Inbox/.test(document.title));
    },
    browserMissing,
  );

  executableTest(
    "a member with the role desk sees and answers the conversations of their tenant alone",
    async () => {
      const address = {
        fetch: (request: Request) => serviceFetch(request),
        baseUrl: world.server.urlOf("platform"),
      };
      const password = "correct horse";
      const { accessToken: adasToken } = await platformClient(address).login({
        email: "ada@example.com",
        password,
      });
      const ada = platformClient({ ...address, accessToken: adasToken });
      const { token } = await ada.inviteMember(tenant, { email: "dora@example.com", role: "desk" });
      const { accessToken } = await platformClient(address).register({
        email: "dora@example.com",
        password,
        displayName: "Dora Díaz",
      });
      await platformClient({ ...address, accessToken }).acceptInvitation(token);

      await using dora = await visit(browser, world.server.urlOf("platform"));
      await dora.page.getByLabel("E-mail").first().fill("dora@example.com");
      await dora.page.getByLabel(/^Password/).fill(password);
      await dora.page.getByRole("button", { name: "Sign in", exact: true }).click();
      await dora.page.getByRole("link", { name: "Tea shop" }).first().waitFor();
      dora.complaints.length = 0;
      // The overview is the operators': a desk starts with its conversations.
      await goTo(dora.page, "/gateway");
      await dora.page.waitForURL("**/gateway/inbox");
      const navigation = dora.page.getByRole("navigation");
      await navigation.getByText("Tea shop").waitFor();
      expect(await navigation.getByRole("link").allInnerTexts()).toEqual(
        expect.arrayContaining(["Inbox", "Contacts", "Reports", "Outbox", "Message trail"]),
      );
      expect(await navigation.getByRole("link", { name: "Accounts" }).count()).toBe(0);
      await dora.page.getByRole("button", { name: /Ana García/ }).click();
      await dora.page.getByRole("textbox", { name: "Reply" }).fill("Dora here.");
      await dora.page.keyboard.press("Control+Enter");
      const bubble = dora.page.getByRole("log").locator(".ar-bubble", { hasText: "Dora here." });
      await bubble.getByText("Dora Díaz").waitFor();
      expect(await accessFaults(dora.page)).toEqual([]);
      for (const path of ["/gateway/contacts", "/gateway/outbox", "/gateway/reports", "/gateway/trail"]) {
        await goTo(dora.page, path);
        expect(await dora.page.getByRole("alert").count()).toBe(0);
      }
      expect(dora.complaints).toEqual([]);
      await answered(world.server, 1);
    },
    browserMissing,
  );
});
