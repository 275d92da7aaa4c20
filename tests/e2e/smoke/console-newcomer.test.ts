import { describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { accessFaults, browserMissing, keepScreenshot, openBrowser, visit } from "../../support/browser.ts";
import { settled } from "../../support/console-page.ts";
import { consoleLink } from "../../support/console-world.ts";
import { argosy, executableTest, startServer } from "../../support/executable.ts";
import { noticed } from "../../support/notices.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

describe("a newcomer", () => {
  executableTest(
    "opens the console, asks an agent, sees the tool call and the trace, changes the prompt, asks again and compares",
    async () => {
      using folder = temporaryFolder();
      expect((await argosy(folder.path, ["init", "."])).code).toBe(0);
      await using _server = await startServer(folder.path);
      await using browser = await openBrowser();
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page, complaints } = opened;
      const heading = (name: string | RegExp) => page.getByRole("heading", { level: 1, name }).waitFor();

      // Uses a gallery agent.
      await heading("Overview");
      await page.getByRole("link", { name: "Gallery", exact: true }).click();
      await page.getByRole("link", { name: "Use template: hello" }).click();
      await heading("New agent");
      await page.getByText("Valid", { exact: true }).waitFor();
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await heading("Edit hello");

      // Asks the agent, and sees its tool call and the answer.
      await page.getByRole("link", { name: "Open in playground" }).first().click();
      await heading("Playground");
      await page.getByLabel("Your question").fill("What time is it in Tokyo?");
      await page.keyboard.press("Control+Enter");
      const answer = page.getByRole("article");
      await answer.getByText("datetime_now").first().waitFor();
      await answer.getByText("Asia/Tokyo").first().waitFor();
      await answer.getByRole("link", { name: "Trace" }).waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "newcomer-1-answer");

      // Opens the trace and the model's input.
      await answer.getByRole("link", { name: "Model input" }).click();
      await heading(/^Run of hello/);
      await settled(page);
      await page.getByText("Use your tools; never guess the time.").first().waitFor();
      await page.getByRole("treeitem", { name: /datetime_now/ }).click();
      await page.getByText("Asia/Tokyo").first().waitFor();
      await keepScreenshot(page, "newcomer-2-trace");

      // Changes the prompt; the file changes too.
      await page.goto(new URL("/studio/agents/hello/edit", page.url()).href);
      await heading(/^Edit hello/);
      await page.getByLabel("System prompt").fill("You answer in verse. Use your tools.");
      await page.getByText("Unsaved changes").first().waitFor();
      await page.getByText("Valid", { exact: true }).waitFor();
      await page.keyboard.press("Control+s");
      await page.getByText("You answer in verse").first().waitFor();
      await keepScreenshot(page, "newcomer-3-change");
      await page.getByRole("button", { name: "Save agent" }).click();
      await noticed(page, "Saved.");
      const file = readFileSync(join(folder.path, "agents/hello.agent.yaml"), "utf8");
      expect(file).toContain("You answer in verse. Use your tools.");
      expect(file, "comments stay").toContain("# The smallest agent that does something");

      // Asks again in two columns: with the agent as it is, and with another prompt for this question.
      await page.goto(new URL("/studio/playground?agent=hello", page.url()).href);
      await heading("Playground");
      await page.getByRole("button", { name: "Compare" }).click();
      await page.getByLabel("Your question").fill("What time is it in Lima?");
      await page.keyboard.press("Control+Enter");
      await page.getByRole("article").nth(1).getByText("America/Lima").first().waitFor();
      await page.getByRole("article").nth(0).getByText("America/Lima").first().waitFor();
      await page.getByRole("table", { name: "Comparison" }).waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "newcomer-4-compare");
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});
