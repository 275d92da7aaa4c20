import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { browserMissing, openBrowser } from "../support/browser.ts";
import { visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { walkByKeyboard } from "../support/keyboard-walk.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const files = {
  "agents/hello.agent.yaml": `apiVersion: platform/v1
kind: Agent
metadata: {name: hello}
spec:
  model: {primary: {provider: rehearsal, model: rehearsal}}
  prompts: {system: You greet.}
`,
  "evals/greet.eval.yaml": `apiVersion: platform/v1
kind: Eval
metadata: {name: greet}
spec:
  agent: hello
  cases:
    - {id: passes, query: "Hello?", checks: [{not_contains: "zebra"}]}
    - {id: fails, query: "Bye?", checks: [{contains: "zebra"}]}
`,
};

/** Presses Enter on a control that the keyboard can focus. */
async function press(page: Page, role: "button" | "link", name: string): Promise<void> {
  const control = page.getByRole(role, { name, exact: true }).first();
  await control.waitFor();
  await control.focus();
  await page.keyboard.press("Enter");
}

async function walk(page: Page, root: string, least: number): Promise<void> {
  const { reached, ...rest } = await walkByKeyboard(page, root);
  expect({ root, ...rest }).toEqual({ root, missed: [], unseen: [], hasEnded: true });
  expect(reached).toBeGreaterThanOrEqual(least);
}

executableTest(
  "the pages about evals work by the keyboard alone: all is reached, seen and left again",
  async () => {
    using folder = temporaryFolder();
    writeFiles(folder.path, files);
    await using _server = await startServer(folder.path, { services: ["daemon"] });
    await using browser = await openBrowser();
    await using opened = await visitPage(browser, await consoleLink(folder.path, {}), "/studio/evals", {
      viewport: { width: 1280, height: 800 },
    });
    const { page, complaints } = opened;
    await page.getByRole("link", { name: "greet", exact: true }).waitFor();
    await walk(page, "main", 2);
    await press(page, "link", "greet");
    const runEval = async () => {
      await press(page, "button", "Run eval");
      const dialog = page.getByRole("dialog", { name: "Run greet" });
      await dialog.getByText("2 results: at least 2 model calls.").waitFor();
      await walk(page, "[role=dialog]", 3);
      await press(page, "button", "Start run");
      await page.getByText("Complete").first().waitFor();
    };
    await runEval();
    await page.getByRole("table", { name: "Results" }).getByText("fails").first().waitFor();
    await walk(page, "main", 5);
    // The case view opens and closes by keys.
    await press(page, "button", "fails");
    await page.getByRole("dialog").getByText('"zebra" is not in the answer').first().waitFor();
    await walk(page, "[role=dialog]", 1);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.goto(new URL("/studio/evals/greet", page.url()).href);
    await runEval();
    await page.goto(new URL("/studio/evals/greet", page.url()).href);
    await page.getByRole("link", { name: "Compare", exact: true }).waitFor();
    await walk(page, "main", 8);
    for (const name of ["Add case", "Import cases"]) {
      await press(page, "button", name);
      await page.getByRole("dialog").waitFor();
      await walk(page, "[role=dialog]", 3);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.waitForFunction((label) => document.activeElement?.textContent === label, name);
    }
    await press(page, "link", "Compare");
    await page.waitForURL("**/compare?before=*");
    await page.getByRole("main").getByText("fails").first().waitFor();
    await walk(page, "main", 1);
    expect(complaints).toEqual([]);
  },
  browserMissing,
);
