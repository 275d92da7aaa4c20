import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { pages } from "../../src/console/areas.ts";
import { accessFaults, browserMissing, openBrowser, type Visit, visit } from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { addressesOf } from "../support/console-pages.ts";
import { type ConsoleWorld, startConsoleWorld } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { englishOn, englishPatterns } from "../support/english-texts.ts";
import { executableBuilt, executableTest } from "../support/executable.ts";

/** Names and values of the services' answers that are English words: plans, people, attributes of a trace. */
const data = ["Evals", "Free", "Owner", "default", "local", "session", "simulated", "support"];

const narrow = { width: 360, height: 740 };

describe("the console in a browser in Spanish", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let opened: Visit;
  let patterns: readonly string[];
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    patterns = await englishPatterns();
    world = await startConsoleWorld();
    browser = await openBrowser();
    opened = await visit(browser, await world.link(), { viewport: narrow, locale: "es-MX" });
    await settled(opened.page);
  });
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]();
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  for (const { path } of pages) {
    executableTest(
      `${path}: is in Spanish, and fits a narrow window`,
      async () => {
        const { page, complaints } = opened;
        complaints.length = 0;
        await goTo(page, addressesOf(world.names).find((known) => known.page === path)?.address ?? "");
        expect(await page.locator("html").getAttribute("lang")).toBe("es");
        expect(await englishOn(page, patterns, data)).toEqual([]);
        expect(await cutElements(page)).toEqual([]);
        expect(await accessFaults(page)).toEqual([]);
        expect(complaints).toEqual([]);
      },
      browserMissing,
    );
  }

  executableTest(
    "shows days and money as its region writes them",
    async () => {
      const link = await world.link();
      await using visited = await visitPage(browser, link, "/platform/operator", { locale: "es-AR" });
      const shown = await visited.page.locator("main").innerText();
      expect(shown).toMatch(/\$\s?\d+,\d\d/);
      expect(shown).not.toMatch(/\$\s?\d+\.\d\d/);
    },
    browserMissing,
  );
});

describe("the switch of the language", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  executableTest(
    "keeps the page, its address and the draft, and is kept for the next visit",
    async () => {
      await using opened = await visitPage(browser, await world.link(), "/studio/agents/new");
      const { page } = opened;
      const description = page.getByLabel("Description", { exact: true }).first();
      await description.fill("Answers about tea.");
      await page.getByRole("button", { name: "Account", exact: true }).click();
      await Promise.all([
        page.waitForEvent("load"),
        page.getByRole("menuitem", { name: "Español", exact: true }).click(),
      ]);
      await settled(page);
      expect(new URL(page.url()).pathname).toBe("/studio/agents/new");
      expect(await page.locator("html").getAttribute("lang")).toBe("es");
      expect(await page.locator("main h1").innerText()).toBe("Nuevo agente");
      expect(await page.locator("main").innerHTML()).toContain("Answers about tea.");
      await page.goto(new URL("/studio/traces", page.url()).href);
      await settled(page);
      expect(await page.locator("main h1").innerText()).toBe("Trazas");
      expect(opened.complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "is there before a person signs in",
    async () => {
      await using opened = await visit(browser, `${world.server.urlOf("platform")}/tenants`);
      const { page } = opened;
      await settled(page);
      await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Español" }).click()]);
      await settled(page);
      expect(await page.locator("h1").innerText()).toBe("Iniciar sesión");
      await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "English" }).click()]);
      await settled(page);
      expect(await page.locator("h1").innerText()).toBe("Sign in");
    },
    browserMissing,
  );
});
