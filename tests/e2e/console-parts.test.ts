import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import {
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  type Visit,
} from "../support/browser.ts";
import { loadPage, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { type OAuthServer, startOAuthServer } from "../support/staged-oauth.ts";
import { writeFiles } from "../support/write-files.ts";

/** An agent with memory, and with tools of a server that requires a sign-in. */
const memberManifest = (url: string) => `apiVersion: platform/v1
kind: Agent
metadata: {name: member}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You remember.}
  tools:
    - {name: club, type: mcp, config: {transport: http, allow_localhost: true, url: "${url}"}}
  memory: {semantic: {}, episodic: {}}
`;

const guide = {
  apiVersion: "platform/v1",
  kind: "Agent",
  metadata: { name: "guide" },
  spec: {
    model: { primary: { provider: "rehearsal", model: "rehearsal" } },
    prompts: { system: "You show the way." },
  },
};

describe("the parts of agents in the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let club: OAuthServer;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    club = await startOAuthServer();
    world = await startConsoleWorld();
    writeFiles(world.folder, { "agents/member.agent.yaml": memberManifest(club.url) });
    await world.server.call("POST", "/v1/agents", { body: guide });
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio");
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
    await club?.[Symbol.asyncDispose]();
  });

  /** Opens a page, uses it and checks it in both color schemes. */
  const onPage = (name: string, path: string, use: (page: Page) => Promise<void>) =>
    executableTest(
      name,
      async () => {
        const { page, complaints } = opened;
        await loadPage(opened, path);
        await use(page);
        expect(await accessFaultsInBothColors(page)).toEqual([]);
        await keepScreenshot(page, `parts-${name.split(":")[0]}`);
        expect(complaints).toEqual([]);
      },
      browserMissing,
    );

  onPage("memory: a text is added, found by meaning, and forgotten", "/studio/memory", async (page) => {
    await page.getByRole("link", { name: "member", exact: true }).click();
    await page.getByText("Texts", { exact: true }).click();
    await page.getByRole("button", { name: "Add text" }).click();
    await page.getByRole("textbox", { name: "Text" }).fill("Ann prefers tea to coffee.");
    await page.getByRole("dialog").getByRole("button", { name: "Add text" }).click();
    await page.getByRole("listitem").getByText("Ann prefers tea").waitFor();
    await page.getByLabel("Search by meaning").fill("does Ann like tea");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByText("similarity").first().waitFor();
    expect(new URL(page.url()).searchParams.get("find")).toBe("does Ann like tea");
    await page.getByLabel("Search by meaning").fill("");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await page.getByRole("button", { name: "Forget", exact: true }).last().click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete text" }).click();
    await page.getByText("No texts yet").waitFor();
  });

  onPage(
    "session: its messages, and how its window is shared out",
    "/studio/memory/support/desk-1",
    async (page) => {
      await page.getByRole("listitem").getByText("Hello, who are you?", { exact: true }).waitFor();
      await page.getByLabel("Question to preview").fill("What did I ask before?");
      await page.getByRole("button", { name: "Show", exact: true }).click();
      await page.locator("summary", { hasText: "Question" }).click();
      await page.locator("details[open]", { hasText: "What did I ask before?" }).waitFor();
      expect(await page.getByRole("img", { name: /System prompt \d/ }).count()).toBe(1);
    },
  );

  onPage("knowledge: a file is uploaded, cut and found", "/studio/knowledge", async (page) => {
    await page.getByRole("button", { name: "Upload documents" }).click();
    await page.getByRole("combobox", { name: "Name" }).fill("teas");
    await page.getByRole("button", { name: "Continue" }).click();
    await page.locator("input[type=file]").setInputFiles([
      { name: "green.md", mimeType: "text/markdown", buffer: Buffer.from("Green tea wants 80 degrees.") },
      { name: "empty.md", mimeType: "text/markdown", buffer: Buffer.alloc(0) },
    ]);
    await page.getByText("1 of 2 files uploaded, 1 failed").waitFor();
    await page.getByText("new, 1 chunk").waitFor();
    await page.getByText("The file is empty").waitFor();
    await page.getByText("Chunk preview").click();
    await page.getByRole("textbox", { name: "Text" }).fill("One. Two. Three. Four.");
    await page.getByLabel("Chunk size").fill("10");
    await page.getByLabel("Overlap").fill("4");
    await page.getByRole("button", { name: "Split text" }).click();
    await page.getByText("Chunk 1", { exact: true }).waitFor();
    await page.getByText("Retrieval test").click();
    await page.getByRole("textbox", { name: "Question" }).fill("how warm is green tea");
    await page.getByRole("button", { name: "Find passages" }).click();
    await page.getByRole("button", { name: "Show in document" }).click();
    await page.locator("mark", { hasText: "80 degrees" }).waitFor();
  });

  onPage(
    "collection: an agent that exists gets it as a tool, once",
    "/studio/knowledge/handbook",
    async (page) => {
      await page.getByRole("button", { name: "Use in agent" }).press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("combobox", { name: "Agent" }).fill("guide");
      await page.getByRole("option", { name: "guide", exact: true }).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await keepScreenshot(page, "parts-use-in-agent");
      await dialog.getByRole("button", { name: "Open editor" }).press("Enter");
      await page.locator(".ar-edit-choice").getByText("YAML").click();
      await page.getByText("name: search_handbook").waitFor();
      await page.getByText("Unsaved changes").waitFor();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await dialog.getByRole("button", { name: "Save agent" }).click();
      await page.getByText("Unsaved changes").waitFor({ state: "detached" });
      await page.goto(
        page.url().replace(/\/studio\/.*/, "/studio/agents/guide/edit?collection=handbook&view=yaml"),
      );
      await page.getByText("name: search_handbook").waitFor();
      expect(await page.getByText("name: search_handbook").count()).toBe(1);
      expect(await page.getByText("Unsaved changes").count()).toBe(0);
      // Without a provider's key, an answer still shows what the documents say.
      await page.goto(new URL("/studio/playground?agent=guide", page.url()).href);
      await page.getByLabel("Your question").fill("How long does a call wait for a decision?");
      await page.keyboard.press("Control+Enter");
      const answer = page.getByRole("article");
      await answer.getByText("search_handbook").first().waitFor();
      await answer.getByText(/search_handbook found: “.*\(approvals\)/s).waitFor();
      await answer.getByRole("link", { name: "Trace" }).waitFor();
    },
  );

  onPage(
    "in-memory: the editor says that a restart removes the agent, and gives its file",
    "/studio/agents/guide/edit",
    async (page) => {
      await page.getByText("In memory only: a restart removes this agent.").waitFor();
      await page.getByText("agents/guide.agent.yaml").waitFor();
      const [download] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: "Download YAML" }).click(),
      ]);
      expect(download.suggestedFilename()).toBe("guide.agent.yaml");
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await cutElements(page)).toEqual([]);
      await keepScreenshot(page, "parts-in-memory-360");
      await page.setViewportSize({ width: 1280, height: 800 });
      // An agent of a file is kept.
      await page.goto(new URL("/studio/agents/hello/edit", page.url()).href);
      await page.getByText("Valid", { exact: true }).waitFor();
      await settled(page);
      expect(await page.getByText("In memory only").count()).toBe(0);
      await page.goBack();
      await page.getByText("In memory only").waitFor();
    },
  );

  onPage("pipeline: a fault stands at its line", "/studio/knowledge/pipelines/edit", async (page) => {
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  bogus: 1");
    await page.getByText("Line 9").waitFor();
    expect(await page.getByRole("button", { name: "Create pipeline" }).isDisabled()).toBe(true);
  });

  onPage("tool: what is missing is said, then it runs", "/studio/tools/cache_store", async (page) => {
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("is required").first().waitFor();
    await page.getByRole("combobox", { name: "Action" }).click();
    await page.getByRole("option", { name: "set" }).click();
    await page.getByRole("textbox", { name: "Key" }).fill("door");
    await page.getByRole("textbox", { name: "Value" }).fill('{"code": 4711}');
    await page.getByRole("button", { name: "Run", exact: true }).click();
    await page.getByText("Succeeded").waitFor();
  });

  onPage("mcp: somebody signs in to a server, and out again", "/studio/mcp", async (page) => {
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByText("1 of 1 tools offered").waitFor();
    expect(page.url()).not.toContain("code=");
    expect(club.grants.authorization_code).toBe(1);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
  });
});
