import { afterAll, beforeAll, describe, expect } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
import { goTo, visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { executableBuilt, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const hostile = '<img src=x onerror="document.title=1"> \u202e<script>{{y}} \u0007';

const other = `apiVersion: platform/v1
kind: Agent
metadata: {name: other}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You are another one.}
`;

const files = {
  "agents/other.agent.yaml": other,
  "agents/hello.agent.yaml": `apiVersion: platform/v1
kind: Agent
metadata: {name: hello}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You greet.}
`,
  "evals/many.eval.yaml": `apiVersion: platform/v1
kind: Eval
metadata: {name: many}
spec:
  agent: other
  cases: many.jsonl
`,
  "evals/many.jsonl": Array.from({ length: 10_000 }, (_, at) =>
    JSON.stringify({
      id: `c${at}`,
      query: `${at} ${hostile}`,
      answer: at % 3 === 0 ? "no" : hostile,
      checks: [{ not_contains: "no" }],
    }),
  ).join("\n"),
  "evals/broken.eval.yaml":
    "apiVersion: platform/v1\nkind: Eval\nmetadata: {name: broken}\nspec: {agnt: hello}\n",
};

describe("the pages about evals", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ServerProcess;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    folder = temporaryFolder();
    writeFiles(folder.path, files);
    server = await startServer(folder.path, { services: ["daemon"] });
    browser = await openBrowser();
    opened = await visitPage(browser, await consoleLink(folder.path, {}), "/studio");
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  /** Opens a page in the window that all tests share. */
  async function openPage(path: string): Promise<Visit> {
    opened.complaints.length = 0;
    await opened.page.setViewportSize({ width: 1280, height: 800 });
    await goTo(opened.page, path);
    return opened;
  }

  async function fair(page: Page, name: string) {
    expect(await accessFaultsInBothColors(page)).toEqual([]);
    expect(await overflowOf(page)).toBeLessThanOrEqual(0);
    await keepScreenshot(page, name);
  }

  executableTest(
    `from a bad answer in a trace to a test that guards against it, in six actions`,
    async () => {
      const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: server.url });
      const { trace_id: trace } = await daemon.run("hello", {
        query: `Who are you? ${hostile}`,
        trace_content: true,
      });
      const { page, complaints } = await openPage(`/studio/traces/${trace}`);
      let actions = 0;
      const act = async (done: Promise<unknown>) => {
        actions++;
        await done;
      };
      await act(page.getByRole("button", { name: "Add to eval" }).first().click());
      const dialog = page.getByRole("dialog", { name: "Add to eval" });
      await dialog.getByText("Who are you?").first().waitFor();
      expect(await page.getByRole("button", { name: "Add to eval" }).count()).toBe(2);
      await fair(page, "evals-add");
      await act(dialog.getByRole("textbox", { name: "Expected answer" }).fill("I am a bot."));
      await act(dialog.getByRole("textbox", { name: "Text, check 1" }).fill("I am a bot"));
      await act(dialog.getByRole("button", { name: "Add case" }).click());
      await page.waitForURL("**/studio/evals/hello");
      expect(readFileSync(join(folder.path, "evals/hello.eval.yaml"), "utf8")).toContain(
        "contains: I am a bot",
      );
      await act(page.getByRole("button", { name: "Run eval" }).click());
      await page.getByText("1 result: at least 1 model call.").waitFor();
      await fair(page, "evals-run-dialog");
      await act(page.getByRole("button", { name: "Start run" }).click());
      await page.getByText("Complete").first().waitFor();
      expect(actions).toBe(6);
      await page.getByRole("link", { name: "Open trace: trace-" }).waitFor();
      await page.getByRole("table", { name: "Results" }).getByRole("button").first().click();
      await page.getByRole("dialog").getByText('"I am a bot" is not in the answer').first().waitFor();
      await fair(page, "evals-result");
      expect(await page.title()).not.toBe("1");
      expect(complaints).toEqual([]);
    },
  );

  executableTest(
    `a file that changes under an open form is not overwritten before both versions were seen`,
    async () => {
      const file = join(folder.path, "evals/edited.eval.yaml");
      const text =
        "apiVersion: platform/v1\nkind: Eval\nmetadata: {name: edited}\nspec:\n  agent: hello\n  checks: [{contains: a}]\n  cases:\n    - id: one # kept\n      query: One?\n";
      writeFileSync(file, text);
      const { page } = await openPage("/studio/evals/edited");
      await page.getByRole("button", { name: "Edit case one" }).click();
      const question = page.getByRole("textbox", { name: "Question" });
      await question.fill("Two?");
      writeFileSync(file, text.replace("One?", "Three?"));
      const conflict = page.getByRole("dialog", { name: "Changed by someone else" });
      await page.getByRole("button", { name: "Save case" }).click();
      await conflict.waitFor();
      for (const query of ["Two?", "Three?"]) await conflict.getByText(query).first().waitFor();
      expect(readFileSync(file, "utf8")).toContain("Three?");
      await conflict.getByRole("button", { name: "Go on editing" }).click();
      expect(await question.inputValue()).toBe("Two?");
      await page.getByRole("button", { name: "Save case" }).click();
      await conflict.getByRole("button", { name: "Save mine over theirs" }).click();
      await noticed(page, "Case saved.");
      expect(readFileSync(file, "utf8")).toBe(text.replace("One?", "Two?"));
      await page.reload();
      await page.getByRole("button", { name: "Edit case one" }).click();
      await question.fill("Four?");
      await page.getByRole("button", { name: "Save case" }).click();
      await noticed(page, "Case saved.");
      expect(readFileSync(file, "utf8")).toBe(text.replace("One?", "Four?"));
    },
  );

  executableTest(`ten thousand results are paged, filtered and searched, wide and narrow`, async () => {
    const { page, complaints } = await openPage("/studio/evals/many");
    await page.getByRole("button", { name: "Run eval" }).click();
    await page.getByText("10000 results: at least 0 model calls.").waitFor();
    await page.getByRole("button", { name: "Start run" }).click();
    await page.getByRole("button", { name: "Cancel run" }).or(page.getByText("Complete")).first().waitFor();
    await page.getByText("Complete").first().waitFor();
    await page.getByText("c0", { exact: true }).first().waitFor();
    expect(await page.getByRole("table", { name: "Results" }).getByRole("row").count()).toBeLessThan(120);
    await page.locator("label", { hasText: "Passed" }).click();
    await page.getByText("c0", { exact: true }).waitFor({ state: "detached" });
    await page.getByRole("searchbox", { name: "Search" }).fill("9998 ");
    await page.getByText("c9998", { exact: true }).waitFor();
    await fair(page, "evals-many");
    await page.setViewportSize({ width: 360, height: 740 });
    // The table of figures is measured after the window has its size.
    await page.locator('.ar-scroll[tabindex="0"]').waitFor();
    await fair(page, "evals-many-narrow");
    expect(complaints).toEqual([]);
  });

  executableTest(`scores are marked with the agent's version that moved them`, async () => {
    const daemon = daemonClient({ fetch: (request) => fetch(request), baseUrl: server.url });
    const manifest = other.replace("name: other", "name: versioned");
    await daemon.createAgent(manifest);
    const file =
      "apiVersion: platform/v1\nkind: Eval\nmetadata: {name: marked}\nspec:\n  agent: versioned\n  cases: ";
    writeFileSync(
      join(folder.path, "evals/marked.eval.yaml"),
      `${file}[{id: one, query: "Hello?", checks: [{max_steps: 9}]}]\n`,
    );
    const { page, complaints } = await openPage("/studio/evals/marked");
    const runEval = async () => {
      await page.getByRole("button", { name: "Run eval" }).click();
      await page.getByRole("button", { name: "Start run" }).click();
      await page.waitForURL("**/studio/eval-runs/*");
      // The eval's page names runs that are complete as well.
      await page.getByRole("table", { name: "Results" }).waitFor();
      await page.getByText("Complete").first().waitFor();
    };
    await runEval();
    await goTo(page, "/studio/evals/marked");
    await runEval();
    await daemon.replaceAgent("versioned", manifest.replace("another one", "a third one"));
    await goTo(page, "/studio/evals/marked");
    await runEval();
    await page.goto(new URL("/studio/evals/marked", page.url()).href);
    const changes = page.getByRole("list", { name: "Changes of the agent's version" });
    await changes.getByRole("link", { name: "Version 2" }).waitFor();
    expect(await changes.getByRole("listitem").count()).toBe(1);
    await page.getByRole("figure").getByText("Version 2").first().waitFor();
    expect(await page.getByRole("table", { name: "Runs" }).getByText("Version 1").count()).toBe(2);
    await fair(page, "evals-versions");
    await page.setViewportSize({ width: 360, height: 740 });
    await fair(page, "evals-versions-narrow");
    await changes.getByRole("link", { name: "Version 2" }).focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/studio/agents/versioned/history?from=1&to=2");
    await page.getByText("You are a third one.").first().waitFor();
    await page.setViewportSize({ width: 1280, height: 800 });
    const scores = page.getByRole("table", { name: "Versions" }).getByRole("link", { name: "marked 100%" });
    await scores.first().waitFor();
    expect(await scores.count()).toBe(2);
    expect(complaints).toEqual([]);
  });

  executableTest(`a broken file shows its faults and can't run; an unknown run says so`, async () => {
    const { page } = await openPage("/studio/evals/broken");
    await page.getByText("is not a known key; did you mean agent?").waitFor();
    expect(await page.getByRole("button", { name: "Run eval" }).isDisabled()).toBe(true);
    await fair(page, "evals-broken");
    await goTo(page, "/studio/eval-runs/20260101T000000Z-x-000000");
    await page.getByRole("alert").getByText("There is no eval run").waitFor();
    await goTo(page, "/studio/evals");
    await page.getByText("Needs fixing").waitFor();
    await page.getByRole("button", { name: "New eval" }).click();
    await page.getByRole("textbox", { name: "Name" }).fill("broken");
    await page.getByRole("textbox", { name: "First question" }).fill("Hi?");
    await page.getByRole("textbox", { name: "Text, check 1" }).fill("Hi");
    await page.getByRole("button", { name: "Create eval" }).click();
    await page.getByRole("alert").getByText("is an eval named broken").waitFor();
    await fair(page, "evals-new");
  });
});
