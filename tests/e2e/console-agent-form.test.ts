import { afterAll, beforeAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { parse } from "yaml";
import {
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  keepScreenshotInBothColors,
  openBrowser,
  type Visit,
} from "../support/browser.ts";
import { goTo, visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const files = { desk: "agents/desk.agent.yaml", greeter: "agents/greeter.agent.yaml" };
const manifest = `# Answers at the desk.
apiVersion: platform/v1
kind: Agent
metadata:
  name: desk # its address
spec:
  model:
    # By hand.
    primary: {provider: rehearsal, model: rehearsal}
  orchestration:
    pattern: pipeline # in stages
    stages:
      - name: draft
        prompt: Draft an answer.
  prompts:
    system: You help.
`;

const simple = `# Greets.
apiVersion: platform/v1
kind: Agent
metadata: {name: greeter}
spec:
  model:
    primary: {provider: rehearsal, model: rehearsal}
  prompts: {system: You help.}
`;

describe("sections of the agent's form", () => {
  const { path, [Symbol.dispose]: removeFolder } = temporaryFolder();
  let server: ServerProcess;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    writeFiles(path, { [files.desk]: manifest, [files.greeter]: simple });
    const env = { PLATFORM_PERSIST_AGENTS: "1" };
    server = await startServer(path, { env });
    browser = await openBrowser();
    opened = await visitPage(browser, await consoleLink(path, env), "/studio/agents/desk/edit?view=yaml", {
      viewport: { width: 1280, height: 2400 },
    });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    removeFolder();
  });

  executableTest(
    "are filled key by key, edit the YAML without losing a comment, and show faults at their fields",
    async () => {
      const { page, complaints } = opened;
      const { keyboard } = page;

      // Models by role: the stages of this manifest are roles.
      await press(page, "Models by role");
      // Keys may come faster than the timers that the page has set for them.
      await holdTimers(page);
      await page.getByLabel("Add role").first().focus();
      await keyboard.type("draft");
      await keyboard.press("ArrowDown");
      await releaseTimers(page);
      await keyboard.press("Enter");
      const model = page
        .getByRole("group", { name: "Model 1 of stage:draft" })
        .getByRole("combobox", { name: "Model", exact: true });
      await model.focus();
      await keyboard.press("Control+A");
      await keyboard.type("rehearsal-2");
      await page.getByText("model: rehearsal-2").waitFor();

      // Output schema: fields, whose names pass through ones that are taken.
      await press(page, "Output schema");
      await press(page, "Add output fields");
      await press(page, "Add field");
      const second = page.getByLabel("Name of field 2");
      await second.focus();
      await keyboard.press("Control+A");
      await keyboard.type("answer");
      await page.getByText("Another field is named answer.").waitFor();
      await keyboard.type("_score");
      await page.getByText("answer_score: string").waitFor();
      expect(await second.inputValue()).toBe("answer_score");
      await page.getByLabel("Type of field 2").first().focus();
      await chooseByKeys(page, "integer");
      await page.getByText("answer_score: integer").waitFor();
      await valid(page);
      await looks(page, "studio-agent-form-output");

      // As a JSON Schema: what is not JSON changes nothing, and the server's fault is at the field.
      await press(page, "Convert to JSON Schema");
      const schema = page.getByLabel("JSON Schema of the data");
      await schema.focus();
      await keyboard.press("Control+End");
      await keyboard.type(",");
      await page.getByText("This is not written to the manifest, because it is not JSON").waitFor();
      await keyboard.press("Backspace");
      await valid(page);
      const before = await schema.inputValue();
      const at = before.indexOf('"integer"');
      await schema.evaluate((field, place) => {
        (field as HTMLTextAreaElement).setSelectionRange(place, place);
      }, at + '"integer'.length);
      await keyboard.type("s");
      await page.getByRole("alert").or(page.locator(".mantine-JsonInput-error")).first().waitFor();
      await page.locator(".mantine-JsonInput-error").filter({ hasText: "type" }).waitFor();
      await keyboard.press("Backspace");
      await valid(page);

      // Next agents.
      await press(page, "Next agents");
      await press(page, "Add next agent");
      await page.getByRole("textbox", { name: "Agent", exact: true }).focus();
      await keyboard.press("Control+A");
      await keyboard.type("Not a name");
      await page.locator(".mantine-TextInput-error").first().waitFor();
      await keyboard.press("Control+A");
      await keyboard.type("desk-two");
      await press(page, "Remove Next agent 1");
      await valid(page);
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "studio-agent-form-sections");

      await keyboard.press("Control+s");
      await page.getByRole("button", { name: "Save agent" }).press("Enter");
      await noticed(page, "Saved.");
      const saved = readFileSync(join(path, files.desk), "utf8");
      for (const comment of ["# Answers at the desk.", "# its address", "# By hand.", "# in stages"]) {
        expect(saved).toContain(comment);
      }
      const { spec } = parse(saved);
      expect(spec.model.roles).toEqual({
        "stage:draft": { candidates: [{ provider: "rehearsal", model: "rehearsal-2" }] },
      });
      expect(spec.output_schema).toEqual({
        type: "object",
        properties: { answer: { type: "string" }, answer_score: { type: "integer" } },
        required: ["answer", "answer_score"],
        additionalProperties: false,
      });
      expect(spec.chain).toBeUndefined();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "add further fallback models, client tools and the parameters of a webhook",
    async () => {
      const { page, complaints } = opened;
      complaints.length = 0;
      await goTo(page, "/studio/agents/greeter/edit?view=yaml");
      const { keyboard } = page;

      expect(await page.getByRole("button", { name: "Add further fallback model" }).count()).toBe(0);
      await press(page, "Add fallback model");
      for (const place of [1, 2]) {
        await press(page, "Add further fallback model");
        const group = page.getByRole("group", { name: `Further fallback model ${place}` });
        const model = group.getByRole("combobox", { name: "Model", exact: true });
        await model.focus();
        await keyboard.press("Control+A");
        await keyboard.type(`spare-${place}`);
      }
      await press(page, "Remove Further fallback model 1");

      await press(page, "Add webhook");
      const parameters = page.getByLabel("Parameters (JSON Schema)").first();
      await parameters.fill('{"type": "object", "properties": {"city": {"type": "string"}}');
      await page.getByText("This is not written to the manifest, because it is not JSON").waitFor();
      await keyboard.press("Control+End");
      await keyboard.type("}");
      await page.getByText("This is not written to the manifest").waitFor({ state: "detached" });
      await press(page, "Add client tool");
      await page.getByText("name: ask_caller").waitFor();
      await valid(page);
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await looks(page, "studio-agent-form-tools");

      await keyboard.press("Control+s");
      await page.getByRole("button", { name: "Save agent" }).press("Enter");
      await noticed(page, "Saved.");
      const saved = readFileSync(join(path, files.greeter), "utf8");
      expect(saved).toContain("# Greets.");
      const { spec } = parse(saved);
      expect(spec.model).toMatchObject({
        fallback: { provider: "ollama" },
        fallbacks: [{ provider: "ollama", model: "spare-2" }],
      });
      expect(spec.tools).toMatchObject([
        { type: "webhook", parameters: { type: "object", properties: { city: { type: "string" } } } },
        {
          name: "ask_caller",
          type: "client",
          parameters: { required: ["query"], properties: { query: { type: "string" } } },
        },
      ]);
      expect(spec.tools[0].parameters.required).toBeUndefined();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});

/** Presses a button with the keyboard. */
const press = (page: Page, name: string) => page.getByRole("button", { name, exact: true }).press("Enter");

const valid = (page: Page) => page.locator(".ar-save-bar").getByText("Valid", { exact: true }).waitFor();

/** Keeps screenshots in light, dark and on a phone, where nothing may be wider than the window. */
async function looks(page: Page, name: string): Promise<void> {
  const size = page.viewportSize() ?? { width: 1280, height: 800 };
  await keepScreenshotInBothColors(page, name);
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await cutElements(page)).toEqual([]);
  await keepScreenshot(page, `${name}-360`);
  await page.setViewportSize(size);
}

/** Keeps the page's timers of 0 ms waiting, as a busy machine does after a key was pressed. */
const holdTimers = (page: Page) =>
  page.evaluate(() => {
    const begin = window.setTimeout;
    const held: (() => void)[] = [];
    const hold = (task: () => void, ms?: number) => (ms ? begin(task, ms) : held.push(task));
    Object.assign(window, {
      setTimeout: hold,
      releaseTimers() {
        window.setTimeout = begin;
        for (const task of held) task();
      },
    });
  });

const releaseTimers = (page: Page) =>
  page.evaluate(() => (window as unknown as { releaseTimers: () => void }).releaseTimers());

/** Waits until the page has been painted and its timers of 0 ms have run: nobody chooses from a list that is not there yet. */
const painted = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));

/** Chooses an option of the focused select with the arrow keys. */
async function chooseByKeys(page: Page, name: string): Promise<void> {
  await page.keyboard.press("Enter");
  const option = page.getByRole("option", { name, exact: true });
  await option.waitFor();
  await painted(page);
  for (let presses = 0; presses < 10; presses++) {
    if ((await option.getAttribute("data-combobox-selected")) === "true") break;
    await page.keyboard.press("ArrowDown");
  }
  await page.keyboard.press("Enter");
}
