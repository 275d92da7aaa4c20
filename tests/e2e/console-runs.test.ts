import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import {
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  type Visit,
} from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";

describe("the pages about runs", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visitPage(browser, await world.link(), "/studio");
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  /** Opens a page in the window that all tests share. */
  async function openPage(path: string, viewport = wide): Promise<Visit> {
    opened.complaints.length = 0;
    await opened.page.setViewportSize(viewport);
    await goTo(opened.page, path);
    return opened;
  }

  executableTest(
    `a newcomer's path: ask, see the tool call and the trace, change the prompt, compare`,
    async () => {
      const { page, complaints } = await openPage("/studio/playground");
      await page.getByRole("combobox", { name: "Agent" }).click();
      await page.getByRole("option", { name: "hello", exact: true }).click();
      await ask(page, "What time is it in Tokyo?");
      const answer = page.getByRole("article", { name: "Answer of hello" });
      await answer.getByText("datetime_now answered").waitFor();
      await answer.locator("summary").getByText("datetime_now").click();
      await answer.getByText('"timezone": "Asia/Tokyo"').first().waitFor();
      await fair(page, `studio-playground-answer`);

      await answer.getByRole("link", { name: "Model input" }).click();
      await page.getByRole("heading", { name: "Model input" }).waitFor();
      await page.getByText("You are a friendly assistant.").first().waitFor();
      await page.getByRole("treeitem", { selected: true }).focus();
      await page.keyboard.press("ArrowDown");
      await page.getByRole("heading", { name: "Tool datetime_now" }).waitFor();
      await fair(page, `studio-trace-span`);

      await page.getByRole("link", { name: "Ask again" }).click();
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("button", { name: /^Settings.*Column 2/ }).click();
      await page.getByRole("button", { name: "Override system prompt" }).last().click();
      await page.getByRole("textbox", { name: "System prompt" }).fill("Tell the time, in one word.");
      expect(await page.getByRole("textbox", { name: "Your question" }).inputValue()).toBe(
        "What time is it in Tokyo?",
      );
      await page.getByRole("textbox", { name: "Your question" }).press("Control+Enter");
      await page.getByRole("table", { name: "Comparison" }).getByText("Tokens out").waitFor();
      await page.getByText("overridden").waitFor();
      await fair(page, `studio-playground-compare`);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "the question has the focus, and a reload keeps the conversation",
    async () => {
      const { page, complaints } = await openPage("/studio/playground?agent=hello");
      const field = page.getByRole("textbox", { name: "Your question" });
      const isFocused = () =>
        page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Your question");
      await isFocused();
      await page.keyboard.type("What time is it in Tokyo?");
      await page.keyboard.press("Control+Enter");
      const answer = page.getByRole("article", { name: "Answer of hello" });
      await answer.getByRole("link", { name: "Trace", exact: true }).waitFor();
      const address = page.url();
      expect(new URL(address).searchParams.get("session")).toStartWith("play-");

      await page.reload();
      await settled(page);
      expect(page.url()).toBe(address);
      await page.getByText("2 earlier messages").waitFor();
      await page.getByText("What time is it in Tokyo?").waitFor();
      await isFocused();
      await ask(page, "And in Paris?");
      await answer.getByRole("link", { name: "Trace", exact: true }).waitFor();
      expect(page.url()).toBe(address);
      expect(await field.inputValue()).toBe("");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "a waiting call is approved with a note, at its place and in the list of all",
    async () => {
      const { page, complaints } = await openPage("/studio/approvals?status=pending");
      const waiting = page.getByRole("article", { name: "cache_store, clerk" });
      await waiting.getByText('"gate"').waitFor();
      await fair(page, "studio-approvals-waiting");
      await waiting.getByLabel("Note").fill("Go on.");
      await waiting.getByRole("button", { name: "Approve" }).click();
      await waiting.getByText("cache_store answered").waitFor();
      await page.goto(new URL("/studio/approvals?status=approved", page.url()).href);
      await page.getByRole("button", { name: "Details: cache_store" }).click();
      await page.getByText("Go on.").waitFor();

      await goTo(page, "/studio/playground?agent=clerk");
      await ask(page, 'set key "gate" to "shut" in the cache');
      await page.getByText("Approve the call of cache_store?").waitFor();
      await page.getByText("Not recorded").waitFor();
      await page.getByRole("button", { name: "Reject" }).click();
      await page.getByText("You rejected cache_store.").waitFor();
      await page.getByRole("link", { name: "Trace", exact: true }).waitFor();
      await fair(page, "studio-playground-rejected");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "a call that its caller carries out is answered in the playground, and the run goes on",
    async () => {
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: world.server.url });
      await daemon.createAgent(shelves);
      const { page, complaints } = await openPage("/studio/playground?agent=shelves", narrow);
      await page.getByRole("textbox", { name: "Your question" }).fill('look at shelf "tea" please');
      await page.getByRole("button", { name: "Ask", exact: true }).click();
      await page.getByRole("textbox", { name: "Result" }).fill('{"tins": 3}');
      await fair(page, "studio-playground-client-call");
      await page.getByRole("button", { name: "Send result" }).click();
      await page.getByText("look_at_shelf answered: tins is 3.").waitFor();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "a recording is replayed, forked from a call of it, and deleted",
    async () => {
      const { page, complaints } = await openPage(`/studio/recordings/${world.names.recording}`);
      await page.getByText("Model 1").click();
      await page.getByRole("button", { name: "Fork from here" }).click();
      await page.getByRole("button", { name: "Fork run" }).click();
      await page.getByText("Both answers are identical.").waitFor();
      await fair(page, "studio-recording-forked");
      await page.getByRole("link", { name: "Open recording of the fork" }).click();
      await page.waitForURL((url) => !url.pathname.endsWith(world.names.recording));
      await page.getByRole("tab", { name: "Replay" }).click();
      await page.getByRole("button", { name: "Replay run" }).click();
      await page.getByText("Same result").waitFor();
      await fair(page, "studio-recording-replayed");
      await page.getByRole("button", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await page.waitForURL("**/studio/recordings");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "traces are filtered, and the filter is in the address",
    async () => {
      const { page, complaints } = await openPage("/studio/traces");
      const table = page.getByRole("table", { name: "Traces" });
      await page.getByRole("textbox", { name: "Session" }).fill("desk-1");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/studio/traces?session=desk-1");
      await table.getByRole("link", { name: "hello" }).first().waitFor({ state: "detached" });
      await table.getByRole("link", { name: "support" }).first().waitFor();
      expect(await table.getByRole("link", { name: "support" }).count()).toBe(2);
      await page.getByRole("combobox", { name: "Status" }).click();
      await page.getByRole("option", { name: "Failed" }).click();
      await page.getByText("No run matches these filters.").waitFor();
      await page.getByRole("button", { name: "Clear filters" }).click();
      await table.getByRole("link", { name: "hello" }).first().waitFor();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "a run is judged on its page, found by the verdict, and its trace saved",
    async () => {
      const { page, complaints } = await openPage("/studio/traces");
      const table = page.getByRole("table", { name: "Traces" });
      await table.getByRole("link", { name: "support" }).first().click();
      const panel = page.getByRole("region", { name: "Your verdict" });
      const save = panel.getByRole("button", { name: "Save verdict" });
      expect(await save.isDisabled()).toBe(true);
      await panel.getByText("Bad answer").click();
      await panel.getByRole("textbox", { name: "Label" }).fill("<b>tone</b>");
      await panel.getByRole("textbox", { name: "Note" }).fill("Too short");
      await save.click();
      await noticed(page, "Verdict saved.");
      await fair(page, "studio-trace-verdict");
      await page.reload();
      expect(await panel.getByRole("textbox", { name: "Label" }).inputValue()).toBe("<b>tone</b>");
      expect(await panel.getByRole("radio", { name: "Bad answer" }).isChecked()).toBe(true);

      await goTo(page, "/studio/traces?feedback=down");
      await table.getByText("Bad", { exact: true }).waitFor();
      expect(await table.getByRole("link").count()).toBe(1);
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export" }).click();
      const lines = await Bun.file(await (await saved).path()).text();
      expect(
        lines
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line)),
      ).toMatchObject([
        { agent: "support", feedback: { rating: "down", label: "<b>tone</b>", note: "Too short" } },
      ]);
      await table.getByRole("link").click();
      await panel.getByText("No rating").click();
      await panel.getByRole("textbox", { name: "Label" }).fill("");
      await panel.getByRole("textbox", { name: "Note" }).fill("");
      await save.click();
      await noticed(page, "Verdict deleted.");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "columns are added and removed and keep their prompts; an answer is judged, corrected and added to an eval where it stands",
    async () => {
      const { page, complaints } = opened;
      complaints.length = 0;
      await goTo(page, "/studio/playground?agent=hello");
      const column = (number: number) => page.getByRole("region", { name: `Column ${number}` });
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByRole("button", { name: "Add column" }).click();
      await column(2).getByRole("button", { name: "Settings" }).click();
      await column(2).getByRole("button", { name: "Override system prompt" }).click();
      await column(2).getByRole("textbox", { name: "System prompt" }).fill("Answer in verse.");
      await page.reload();
      await settled(page);
      await column(2).getByRole("button", { name: "1 change" }).waitFor();
      await column(3).waitFor();
      await ask(page, "What time is it in Tokyo?");
      await page.getByRole("table", { name: "Comparison" }).getByText("Column 3").waitFor();
      await fair(page, "playground-three");
      await page.getByRole("button", { name: "Remove column 1" }).click();
      await column(1).getByRole("button", { name: "1 change" }).waitFor();
      expect(await column(3).count()).toBe(0);
      await page.getByRole("button", { name: "One column" }).click();

      await ask(page, "What time is it in Lima?");
      const answer = page.getByRole("article").last();
      await answer.getByRole("button", { name: "Good", exact: true }).click();
      await answer.locator('[aria-pressed="true"]').getByText("Good").waitFor();
      await answer.getByRole("button", { name: "Correct it" }).click();
      await page.getByLabel("Right answer").fill("It is <b>noon</b> in Lima.");
      await page.getByRole("button", { name: "Save verdict" }).click();
      await answer.locator('[aria-pressed="true"]').getByText("Bad").waitFor();
      await answer.getByRole("button", { name: "Add to eval" }).click();
      const dialog = page.getByRole("dialog");
      // The right answer comes along, and nothing is added without a check.
      await dialog.getByText("It is <b>noon</b> in Lima.").waitFor();
      await fair(page, "playground-add-case");
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      await answer.getByRole("link", { name: "Trace", exact: true }).click();
      expect(await page.getByLabel("Right answer").inputValue()).toBe("It is <b>noon</b> in Lima.");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});

const wide = { width: 1280, height: 800 };
const narrow = { width: 360, height: 740 };

/** An agent whose caller executes its tool. */
const shelves = `apiVersion: platform/v1
kind: Agent
metadata: {name: shelves}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You know what stands on shelves.}
  tools:
    - name: look_at_shelf
      type: client
      description: Looks at a shelf and says what stands there.
      parameters: {type: object, properties: {shelf: {type: string}}, required: [shelf]}
`;

async function ask(page: Page, question: string): Promise<void> {
  await page.getByRole("textbox", { name: "Your question" }).fill(question);
  await page.keyboard.press("Control+Enter");
}

/** Checks the accessibility of the page and keeps a screenshot. */
async function fair(page: Page, name: string): Promise<void> {
  expect(await accessFaultsInBothColors(page)).toEqual([]);
  await keepScreenshot(page, name);
}
