import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { planInput } from "../conformance/platform/route-row.ts";
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  type Visit,
  visit,
} from "../support/browser.ts";
import { goTo, visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const env = { PLATFORM_OPERATOR_TOKEN: "operator-token-of-at-least-32-bytes" };
const model = "{primary: {provider: rehearsal, model: rehearsal}}";
const manifest = (name: string, rest: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: ${name}}
spec:
  model: ${model}
  prompts: {system: You help in a shop.}
${rest}`;

describe("the platform as a tenant's people see it", () => {
  const folder = temporaryFolder();
  let server: ServerProcess;
  let browser: Browser;
  let opened: Visit;
  let page: Page;
  /** Root address of the tenant's pages. */
  let root = "";

  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    server = await startServer(folder.path, {
      services: ["daemon", "platform"],
      env,
    });
    browser = await openBrowser();
    opened = await visit(browser, server.urlOf("platform"));
    ({ page } = opened);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** For a page that the walk of console-pages.test.ts checks in the same state. */
  const isQuiet = async (name: string) => {
    expect(opened.complaints).toEqual([]);
    await keepScreenshot(page, `tenant-${name}`);
  };
  const looksWell = async (name: string) => {
    expect(await accessFaults(page)).toEqual([]);
    await isQuiet(name);
    await page.setViewportSize({ width: 360, height: 740 });
    // Charts follow the window a moment later.
    await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
    expect(await cutElements(page)).toEqual([]);
    await keepScreenshot(page, `tenant-${name}-360`);
    await page.setViewportSize({ width: 1280, height: 800 });
  };
  const open = (path: string) => goTo(page, `${root}${path}`);
  /** Replaces the editor's text. */
  const write = async (text: string) => {
    await page.getByRole("textbox", { name: "Manifest" }).click();
    await page.keyboard.press("Control+A");
    // If text is typed over a selection, the browser adds style attributes, which the policy refuses.
    await page.keyboard.press("Backspace");
    await page.keyboard.insertText(text);
  };
  const valid = () => page.locator(".ar-save-bar").getByText("Valid", { exact: true }).waitFor();
  const ask = async (question: string) => {
    await page.getByLabel("Question").fill(question);
    await page.keyboard.press("Control+Enter");
  };

  executableTest(
    "somebody new makes an account and a tenant",
    async () => {
      await page.getByRole("button", { name: "Create an account instead" }).click();
      await page.getByLabel("Your name").fill("Ada");
      await page.getByLabel("E-mail").fill("ada@example.com");
      await page.getByLabel(/^Password/).fill("correct horse");
      await page.getByRole("button", { name: "Create account" }).click();
      await page.getByText("No tenants yet").waitFor();
      await looksWell("none");
      await page.getByRole("button", { name: "Create tenant" }).click();
      await page.getByRole("dialog").getByLabel("Name").fill("Ada <b>Ltd</b>");
      await page.getByRole("dialog").getByRole("button", { name: "Create tenant" }).click();
      await page.getByText("No agents yet").waitFor();
      root = page.url().replace(/\/agents$/, "");
      expect(root).toMatch(/\/platform\/t\/[^/]+$/);
      await looksWell("no-agents");
    },
    browserMissing,
  );

  executableTest(
    "an agent is made from a template; what is wrong is marked while one writes, and what the platform refuses when one saves",
    async () => {
      await open("/agents/new?template=tools&view=yaml");
      await write(manifest("helper", "  prompt: x\n"));
      await page.getByText("is not a known key").first().waitFor();
      await looksWell("faults");
      await write(manifest("helper", "  tools:\n    - {name: no_such_tool, type: builtin}\n"));
      await valid();
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByText("spec.tools[0].name").waitFor();
      expect(await page.getByText("Line 8").count()).toBe(1);
      opened.complaints.length = 0;
      await write(manifest("helper", "  tools:\n    - {name: datetime_now, type: builtin}\n"));
      await valid();
      await page.keyboard.press("Control+S");
      await page.getByRole("heading", { level: 1, name: "helper" }).waitFor();
      await isQuiet("agent");
    },
    browserMissing,
  );

  executableTest(
    "a question streams its answer with the tool's call and what was charged, and the conversation goes on",
    async () => {
      await open("/agents/helper/run");
      await ask("What time is it in Tokyo?");
      await page.getByText("Asia/Tokyo").first().waitFor();
      await page.getByRole("link", { name: "Open run" }).waitFor();
      expect(new URL(page.url()).searchParams.get("session")).not.toBeNull();
      await ask("And thank you.");
      await page.getByRole("link", { name: "Open run" }).nth(1).waitFor();
      await looksWell("run");
      await page.getByRole("link", { name: "Open run" }).first().click();
      await page.getByText("About this run").waitFor();
      // Why it answered so: the question, the answer, and each step with its texts.
      await page.getByText("What time is it in Tokyo?").waitFor();
      await page.getByRole("treeitem", { name: /datetime_now/ }).click();
      await page.getByRole("region", { name: "Span" }).getByText("Asia/Tokyo").first().waitFor();
      await isQuiet("invocation");
    },
    browserMissing,
  );

  executableTest(
    "a new version is compared with the one before, and that one restored",
    async () => {
      await open("/agents/helper/edit?view=yaml");
      await write(manifest("helper", "  identity: {description: Another one.}\n"));
      await valid();
      // A click elsewhere loses no unsaved text.
      await page.getByRole("link", { name: "Usage", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "Usage" }).waitFor();
      await page.goBack();
      await page.getByText("This is your unsaved draft").waitFor();
      await valid();
      await page.getByRole("button", { name: "Save new version" }).click();
      await page.getByLabel("What has changed").fill("Says <b>what</b> it is");
      await looksWell("review");
      await page.getByRole("dialog").getByRole("button", { name: "Save new version" }).click();
      await page.getByText("Version 2", { exact: true }).waitFor();
      await open("/agents/helper?tab=versions&diff=fields");
      await page.getByText("spec.identity").first().waitFor();
      await page.getByText("Says <b>what</b> it is").waitFor();
      await looksWell("versions");
      await page.getByRole("button", { name: "Restore version 1" }).click();
      await page.getByRole("button", { name: "Restore version", exact: true }).click();
      await page.getByText("Version 3", { exact: true }).waitFor();
    },
    browserMissing,
  );

  executableTest(
    "a call that needs a person is decided on where it waits, and the run goes on",
    async () => {
      await open("/agents/new?view=yaml");
      const tool = "  tools:\n    - {name: datetime_now, type: builtin, requires_approval: true}\n";
      await write(manifest("careful", tool));
      await valid();
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByRole("heading", { level: 1, name: "careful" }).waitFor();
      await open("/agents/careful/run");
      await ask("What time is it?");
      await page.getByRole("button", { name: "Approve" }).waitFor();
      await looksWell("waiting");
      await page.getByRole("button", { name: "Approve" }).click();
      await page.getByText("The answer is complete.").waitFor({ state: "attached" });

      await ask("What time is it now?");
      await page.getByRole("button", { name: "Reject" }).waitFor();
      await open("/approvals");
      await looksWell("approvals");
      await page.getByRole("button", { name: "Reject" }).click();
      await page.getByText("No pending approvals.").waitFor();
    },
    browserMissing,
  );

  executableTest(
    "a key is shown once, a connection's secret never",
    async () => {
      await open("/keys");
      await page.getByRole("button", { name: "New key" }).click();
      await page.getByLabel("Label").fill("shop");
      await page.getByRole("button", { name: "Create key" }).click();
      const key = await page.getByText(/^apk_/).innerText();
      await looksWell("key");
      await page.getByRole("button", { name: "I have copied the key" }).click();
      await page.getByText("shop").first().waitFor();
      await page.reload();
      await page.getByText("shop").first().waitFor();
      expect(await page.content()).not.toContain(key);

      await open("/connections");
      await page.getByRole("button", { name: "Add connection" }).click();
      await page.getByRole("textbox", { name: "Name", exact: true }).fill("api_crm");
      await page.getByLabel("Base URL").fill("https://crm.example.com");
      await page.getByLabel("Value", { exact: true }).fill("very secret");
      await page.getByRole("button", { name: "Save connection" }).click();
      await page.getByRole("button", { name: "Replace api_crm" }).waitFor();
      expect(await page.content()).not.toContain("very secret");
      await isQuiet("connections");
    },
    browserMissing,
  );

  executableTest(
    "a version that its gate refuses is tested from its draft, and published once it passes",
    async () => {
      await open("/evals");
      await page.getByRole("button", { name: "Store eval" }).click();
      const document = page.getByRole("textbox", { name: "Document" });
      const contains = (text: string) =>
        `apiVersion: platform/v1\nkind: Eval\nmetadata: {name: kind}\nspec:\n  agent: helper\n  cases:\n    - {id: greets, query: Hello there, checks: [{contains: "${text}"}]}\n`;
      await document.fill(contains("Hello <i>dear</i>"));
      await page.getByRole("dialog").getByRole("button", { name: "Store eval" }).click();
      await noticed(page, "kind was stored.");
      await page.getByRole("button", { name: "Show kind" }).waitFor();
      await isQuiet("evals");

      await open("/agents/helper/edit?view=yaml");
      await write(manifest("helper", "  release: {requires: [{eval: kind}]}\n"));
      await valid();
      await page.keyboard.press("Control+S");
      await page.getByRole("dialog").getByRole("button", { name: "Save new version" }).click();
      await page.getByText("The release gate refuses this version").waitFor();
      await page.getByText("has not asked this version").first().waitFor();
      opened.complaints.length = 0;
      await page.getByRole("button", { name: "Run its evals" }).click();
      await page.getByText("0 of 1").waitFor();
      await page.getByText("complete").waitFor();
      await looksWell("gate");
      const [run] = await Promise.all([
        page.context().waitForEvent("page"),
        page.getByRole("link", { name: "kind", exact: true }).click(),
      ]);
      await run.getByRole("button", { name: "greets" }).click();
      await run.getByText('"Hello <i>dear</i>" is not in the answer').waitFor();
      expect(await run.locator("i").count()).toBe(0);
      await run.close();
    },
    browserMissing,
  );

  executableTest(
    "a colleague is invited, joins by the code, gets another role and is removed",
    async () => {
      await open("/members");
      await page.getByRole("button", { name: "Invite person" }).click();
      await page.getByLabel("E-mail address").fill("bob@example.com");
      await page.getByRole("button", { name: "Create invitation" }).click();
      const code = await page.getByLabel("Invitation code", { exact: true }).innerText();
      await looksWell("invitation");
      await page.getByRole("button", { name: "I have copied the code" }).click();
      await page.getByRole("button", { name: "Withdraw the invitation of bob@example.com" }).waitFor();
      expect(await page.content()).not.toContain(code);

      const address = { fetch, baseUrl: server.urlOf("platform") };
      const account = { email: "bob@example.com", password: "correct horse", displayName: "Bob <i>B</i>" };
      const { accessToken } = await platformClient(address).register(account);
      const bob = platformClient({ ...address, accessToken });
      expect(await bob.acceptInvitation(code)).toMatchObject({ role: "member" });
      await open("/members");
      await page.getByRole("combobox", { name: "Role of Bob <i>B</i>" }).click();
      await page.getByRole("option", { name: "Viewer" }).click();
      await page.getByText("Bob <i>B</i> is now Viewer.").waitFor();
      expect((await bob.listTenants()).tenants).toMatchObject([{ role: "viewer" }]);
      await looksWell("members");

      // The operator's page of the tenant shows the same members, to read only.
      const tenant = root.slice(root.lastIndexOf("/") + 1);
      const link = await consoleLink(folder.path, env);
      await using operator = await visitPage(browser, link, `/platform/operator/tenants/${tenant}`);
      const members = operator.page.getByRole("table", { name: "Members" });
      const texts = await members.locator("tbody tr").allInnerTexts();
      expect(texts.map((text) => text.split(/[\t\n]+/).slice(0, 3))).toEqual([
        ["Ada", "ada@example.com", "Owner"],
        ["Bob <i>B</i>", "bob@example.com", "Viewer"],
      ]);
      expect(await members.getByRole("button").count()).toBe(0);
      expect(operator.complaints).toEqual([]);
      await keepScreenshot(operator.page, "tenant-members-operator");

      await page.getByRole("button", { name: "Remove Bob <i>B</i>" }).click();
      await page.getByRole("button", { name: "Remove member" }).click();
      await noticed(page, "Bob <i>B</i> was removed.");
      expect((await bob.listTenants()).tenants).toEqual([]);
      // The last owner can't leave: the tenant would have nobody.
      await page.getByRole("button", { name: "Leave tenant" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Leave tenant" }).click();
      await page.getByRole("dialog").getByRole("alert").waitFor();
      await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
      opened.complaints.length = 0;
    },
    browserMissing,
  );

  executableTest(
    "documents are uploaded into a collection, found by a test search, and deleted",
    async () => {
      await page.getByRole("link", { name: "Documents", exact: true }).click();
      await page.getByText("No documents yet").waitFor();
      await page.getByText("0 of 1,000").waitFor();
      await looksWell("no-documents");
      await page.getByRole("button", { name: "Upload documents" }).click();
      await page.getByRole("textbox", { name: "Name" }).fill("hand book");
      await page.getByText("1 to 63 letters").waitFor();
      await page.getByRole("textbox", { name: "Name" }).fill("handbook");
      await page.getByRole("button", { name: "Continue" }).click();
      await page.getByRole("heading", { level: 1, name: "handbook" }).waitFor();
      await page.getByText("at most 8 MiB each").waitFor();
      await page.locator('input[type="file"]').setInputFiles([
        { name: "hours.md", mimeType: "text/markdown", buffer: Buffer.from("The shop opens at nine.") },
        { name: "broken.pdf", mimeType: "application/pdf", buffer: Buffer.from("no PDF") },
      ]);
      await page.getByText("1 of 2 files uploaded, 1 failed").waitFor();
      await page.getByRole("button", { name: "Delete hours.md" }).waitFor();
      expect(await page.getByRole("button", { name: "Delete broken.pdf" }).count()).toBe(0);
      // The browser tells of the refused file by itself.
      opened.complaints.length = 0;
      await looksWell("collection");
      await page.getByText("Test search").click();
      await page.getByRole("textbox", { name: "Question" }).fill("When does the shop open?");
      await page.getByRole("button", { name: "Search", exact: true }).last().click();
      await page.getByText("The shop opens at nine.").waitFor();
      await looksWell("search");
      await open("/documents/handbook");
      await page.getByRole("button", { name: "Delete hours.md" }).click();
      await page.getByRole("button", { name: "Delete document" }).click();
      await noticed(page, "hours.md was deleted.");
      await open("/documents");
      await page.getByRole("button", { name: "Delete handbook" }).click();
      await page.getByRole("button", { name: "Delete collection" }).click();
      await page.getByText("No documents yet").waitFor();
    },
    browserMissing,
  );

  executableTest(
    "a run that the plan refuses says why, and what to do",
    async () => {
      const address = { fetch: (request: Request) => fetch(request), baseUrl: server.urlOf("platform") };
      const operator = platformClient({ ...address, operatorToken: env.PLATFORM_OPERATOR_TOKEN });
      await operator.createPlan({ ...planInput("spent"), credit_cap_period_micros: 0 });
      const tenantId = root.slice(root.lastIndexOf("/") + 1);
      await operator.setTenantPlan(tenantId, "spent");
      await open("/agents/helper/run");
      await ask("Do you sell tea?");
      await page.getByText("credit_budget_exhausted").waitFor();
      expect(await page.getByText("ask your operator for another plan").count()).toBe(1);
      // The browser itself reports each refused request.
      opened.complaints.length = 0;
      await looksWell("refused");
      await operator.setTenantPlan(tenantId, "plan_free");
    },
    browserMissing,
  );

  executableTest(
    "usage is shown by day, and a deleted agent stays in it",
    async () => {
      await open("/agents/careful");
      await page.getByRole("button", { name: "Delete", exact: true }).click();
      await page.getByLabel("Type “careful” to confirm").fill("careful");
      await page.getByRole("button", { name: "Delete agent" }).click();
      await noticed(page, "careful was deleted.");
      await open("/usage");
      await page.getByRole("link", { name: "careful" }).waitFor();
      await page.getByText("Show as table").click();
      await looksWell("usage");
      await page.getByRole("link", { name: "careful" }).click();
      await page.getByText("This agent can no longer run").waitFor();
      await page.getByRole("row", { name: /What time is it\? datetime_now/ }).waitFor();
      await looksWell("deleted");
    },
    browserMissing,
  );

  executableTest(
    "a tenant that isn't one's own is not there, and the way back is",
    async () => {
      await page.goto(`${new URL(root).origin}/platform/t/somebody-elses/agents`);
      await page.getByRole("heading", { level: 1, name: "Tenant not found" }).waitFor();
      await looksWell("foreign");
      await page.getByRole("link", { name: "Open your tenants" }).click();
      await page.getByRole("link", { name: "Ada <b>Ltd</b>" }).waitFor();
    },
    browserMissing,
  );
});
