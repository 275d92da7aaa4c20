import { describe, expect } from "bun:test";
import { browserMissing, openBrowser, visit } from "../support/browser.ts";
import { goTo, settled } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { turnedTexts } from "../support/turned-text.ts";
import { writeFiles } from "../support/write-files.ts";

/** Turns the direction of all text after it on the line, and is never closed. */
const turning = "\u202e";

const manifest = `apiVersion: platform/v1
kind: Agent
metadata: {name: turned}
spec:
  identity: {description: "${turning}Turns around what follows"}
  model: {primary: {provider: rehearsal, model: "re${turning}hearsal"}}
  prompts: {system: You answer.}
`;

const addresses = [
  "/studio",
  "/studio/agents",
  "/studio/agents/turned",
  "/studio/playground?agent=turned",
  "/studio/traces",
  "/studio/costs",
  "/studio/memory?agent=turned",
  "/studio/models",
];

describe("text that would turn its line around", () => {
  executableTest(
    "in a description, a model's name, a session or a tenant's name turns nothing beside it, nor the window's title",
    async () => {
      using folder = temporaryFolder();
      writeFiles(folder.path, { "agents/turned.agent.yaml": manifest });
      await using server = await startServer(folder.path, { services: ["daemon", "platform"] });
      await server.run("turned", "Hello", `ses${turning}sion`);
      await using browser = await openBrowser();
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page } = opened;
      await settled(page);

      // Proves that the check sees turned text: the name is appended without isolation.
      await page.evaluate((name) => {
        document.querySelector("h1")?.append(name, document.createTextNode(" beside it"));
      }, turning);
      expect(await turnedTexts(page)).toEqual([" beside it"]);

      for (const address of addresses) {
        await goTo(page, address);
        expect({ address, turned: await turnedTexts(page) }).toEqual({ address, turned: [] });
      }

      await page.goto(`${server.url}/platform/tenants`);
      await page.getByRole("button", { name: "Create tenant" }).first().click();
      await page.getByRole("dialog").getByRole("textbox").fill(`Tea${turning}house`);
      await page
        .getByRole("dialog")
        .getByRole("button", { name: /create/i })
        .click();
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Keys" }).click();
      await page.getByText("Keys for programs that run the agents of Teahouse.").waitFor();
      expect(await turnedTexts(page)).toEqual([]);
      expect(await page.title()).not.toContain(turning);
    },
    browserMissing,
  );
});
