import { expect } from "bun:test";
import {
  accessFaults,
  browserMissing,
  keepScreenshot,
  openBrowser,
  overflowOf,
  visit,
} from "../support/browser.ts";
import { ownersCloud } from "../support/cloud-world.ts";
import { settled } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { startModelServer } from "../support/model-server.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const kindness = `apiVersion: platform/v1
kind: Eval
metadata: {name: kindness}
spec:
  agent: helper
  cases:
    - {id: greets, query: Hello?, checks: [{contains: dear}]}
`;

executableTest(
  "a manager sets a gate, sees why it refuses, mends the agent and deploys; or deploys all the same",
  async () => {
    using folder = temporaryFolder();
    const model = await startModelServer(({ body: { messages } }) => ({
      text: JSON.stringify(messages[0]).includes("kind") ? "My dear!" : "What?",
    }));
    const openai = { type: "openai", endpoint: model.url };
    writeFiles(folder.path, { "providers.yaml": JSON.stringify({ providers: { openai } }) });
    await using server = await startServer(folder.path, { services: ["daemon", "cloud"] });
    const owner = await ownersCloud(server, await consoleLink(folder.path, {}));
    await owner.saveProvider("owner", { provider: "openai", api_key: "sk-of-a-test-1234" });
    await owner.createAgent("owner", {
      name: "helper",
      display_name: "Helper",
      step1: { model: "openai/test-model" },
      step2: { system_prompt: "Be short." },
    });
    await using browser = await openBrowser();
    const opened = await visit(browser, await consoleLink(folder.path, {}));
    const { page, complaints } = opened;
    const button = (name: string) => page.getByRole("button", { name, exact: true });
    const dialog = page.getByRole("dialog");
    const open = async (path: string) => {
      await page.goto(new URL(path, page.url()).href);
      await settled(page);
    };
    const looksWell = async (name: string) => {
      expect([name, await accessFaults(page)]).toEqual([name, []]);
      expect(await overflowOf(page)).toBeLessThanOrEqual(0);
      await keepScreenshot(page, name);
      await page.setViewportSize({ width: 360, height: 740 });
      expect([name, await cutElements(page)]).toEqual([name, []]);
      await keepScreenshot(page, `${name}-360`);
      await page.setViewportSize({ width: 1280, height: 800 });
    };
    await settled(page);
    await open("/cloud/o/owner/agents/helper");
    await button("Set gate").click();
    await dialog.getByText("Store an eval first.").waitFor();
    await dialog.getByRole("link", { name: "Evals" }).click();
    await page.getByText("No evals yet").waitFor();
    await button("Store eval").click();
    await dialog.getByLabel("Document").fill(kindness);
    await dialog.getByRole("button", { name: "Store eval" }).click();
    await noticed(page, "kindness was stored.");
    await looksWell("cloud-evals");

    await open("/cloud/o/owner/agents/helper");
    await button("Set gate").click();
    await dialog.getByRole("button", { name: "Add eval" }).click();
    await dialog.getByRole("combobox", { name: "Eval" }).click();
    await page.getByRole("option", { name: "kindness" }).click();
    await dialog.getByLabel("Least pass rate, in %").fill("");
    await page.keyboard.type("87.5");
    await dialog.getByLabel("Refuse regressions").check();
    await looksWell("cloud-gate-dialog");
    await dialog.getByRole("button", { name: "Save gate" }).click();
    await page.getByText("eval kindness has not asked this version").waitFor();
    expect(await owner.releaseGate("owner", "helper")).toMatchObject({
      requires: [{ eval: "kindness", min_score: 0.875, no_regressions: true }],
    });
    await button("Run its evals").click();
    await page.getByText("eval kindness scores 0 %").waitFor();
    await button("Deploy").click();
    await page.getByText("The release gate refuses this version").waitFor();
    await looksWell("cloud-gate-refused");

    // The agent is mended, and its evals pass.
    await owner.updateAgent("owner", "helper", { step2: { system_prompt: "Be kind." } });
    await open("/cloud/o/owner/agents/helper");
    await button("Run its evals").click();
    await page.getByText("The agent as it is meets its gate.").waitFor();
    await button("Deploy").click();
    await page.getByText("Deployed", { exact: true }).first().waitFor();
    await looksWell("cloud-gate-met");

    await owner.pause("owner", "helper");
    await owner.updateAgent("owner", "helper", { step2: { system_prompt: "Be quick." } });
    await open("/cloud/o/owner/agents/helper");
    await button("Deploy").click();
    await button("Deploy all the same").click();
    expect(await dialog.getByRole("button", { name: "Deploy all the same" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Reason").fill("The kind one is too slow");
    await dialog.getByRole("button", { name: "Deploy all the same" }).click();
    await page.getByText("Deployed", { exact: true }).first().waitFor();

    await open("/cloud/o/owner/evals");
    await page.getByRole("link", { name: "kindness" }).last().click();
    await page.getByRole("heading", { level: 1, name: "Run of kindness" }).waitFor();
    await button("greets").click();
    await dialog.getByText("What?").waitFor();
    await looksWell("cloud-eval-run");
    expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
  },
  browserMissing,
);
