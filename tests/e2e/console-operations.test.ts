import { afterAll, beforeAll, describe, expect } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import {
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  showIn,
  visit,
} from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { argosy, executableBuilt, executableTest, startServer } from "../support/executable.ts";
import { noticed } from "../support/notices.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";

const hostile = `<img src=x onerror=alert(1)>"'\u202e${"long".repeat(60)}`;

describe("the operations area", () => {
  let browser: Browser;
  beforeAll(async () => {
    if (browserMissing === undefined && executableBuilt) browser = await openBrowser();
  });
  afterAll(() => browser?.close());

  executableTest(
    "the owner measures the data, makes a backup and finds the command that restores it",
    async () => {
      using folder = temporaryFolder();
      await argosy(folder.path, ["init"]);
      await using server = await startServer(folder.path, { services: ["daemon", "gateway"] });
      await server.run("assistant", "Hello", "one");
      await using opened = await visitPage(
        browser,
        await consoleLink(folder.path, {}),
        "/operations/storage",
      );
      const { page, complaints } = opened;
      await page.getByRole("heading", { name: "Largest tables" }).waitFor();
      await page.getByRole("row", { name: /^conversations gateway 365 days/ }).waitFor();
      for (const text of ["Free disk", "spec.observability.retention_days"])
        expect(await page.getByText(text, { exact: true }).count()).toBe(1);
      await looks(page, "operations-storage");

      await goTo(page, "/operations/backups");
      await page.getByText("No backup of this data folder is known.").waitFor();
      await page.getByRole("button", { name: "Back up now" }).click();
      await page.getByRole("dialog", { name: "New backup" }).waitFor();
      await page.keyboard.type("relative.tar.zst");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").getByText("is not a place for a backup").waitFor();
      await page.getByRole("textbox", { name: "Place" }).fill("");
      await page.keyboard.press("Enter");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByText("Done", { exact: true }).waitFor();
      const place = await page.locator('[role="status"] .ar-mono').innerText();
      expect(existsSync(place)).toBe(true);
      await page.getByText("Present", { exact: true }).waitFor();
      await looks(page, "operations-backups");

      await page.getByRole("button", { name: /^Restore the backup of/ }).click();
      const command = `argosy restore ${place} --data ${join(folder.path, ".argosy")} --force`;
      await page.getByText(command, { exact: true }).waitFor();
      await keepScreenshot(page, "operations-restore");
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      expect(complaints.filter((complaint) => !complaint.includes("400"))).toEqual([]);

      const list = JSON.parse((await argosy(folder.path, ["backups", "--json"])).stdout);
      expect(list.backups).toMatchObject([{ place, state: "present", databases: 2 }]);
      const trial = await argosy(folder.path, ["restore", place, "--data", "restored", "--json"]);
      expect(JSON.parse(trial.stdout)).toMatchObject({ databases: 2, replaced: null });
      expect(existsSync(join(folder.path, "restored/archives"))).toBe(false);
    },
    browserMissing,
  );

  executableTest(
    "hostile log lines show their controls as escapes, run nothing and stay in their row",
    async () => {
      using folder = temporaryFolder();
      const marks = `e${"\u0301".repeat(40)}`;
      const name = `\u202egnp.\u001b[31m\u009b1m\u0007\u2066<img src=x onerror=alert(1)>${marks}`;
      writeFiles(folder.path, {
        [`agents/${name}.agent.yaml`]: `${JSON.stringify(name)}: 1\n`,
      });
      await using _server = await startServer(folder.path, { services: ["daemon"] });
      await using opened = await visit(browser, await consoleLink(folder.path, {}), { clipboard: true });
      const { page, complaints } = opened;
      await settled(page);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await goTo(page, "/operations/logs?text=agent.refused");
      const rows = page.getByRole("table", { name: "Lines" }).getByRole("row");
      const line = rows.filter({ hasText: "<img src=x onerror=alert(1)>" });
      await line.waitFor();
      const text = await line.innerText();
      for (const written of ["\\u202egnp.", "\\u001b[31m", "\\u009b1m", "\\u0007", "\\u2066"])
        expect(text).toContain(written);
      expect(await page.locator("table img").count()).toBe(0);
      await page.getByRole("button", { name: "Copy lines" }).click();
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      expect(copied).not.toMatch(/\p{Cf}|[^\P{Cc}\n]/u);
      expect(copied.split("\n").map((json) => JSON.parse(json).file)).toContain(`agents/${name}.agent.yaml`);
      // The button's tooltip would stand outside the narrow window that comes next.
      await page.mouse.move(0, 0);
      await page.getByRole("tooltip").waitFor({ state: "detached" });
      await looks(page, "operations-logs-hostile");

      const shown = line.locator('[dir="ltr"]');
      expect((await shown.innerText()).length).toBe(1_001);
      const whole = page.getByRole("button", { name: /^Show all [\d,]+ characters$/ });
      const length = Number((await whole.innerText()).replaceAll(/\D/g, ""));
      await whole.click();
      await page.getByRole("button", { name: "Show less" }).waitFor();
      expect((await shown.innerText()).length).toBe(length);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "the log is filtered, paused and copied, and a hidden tab follows nothing",
    async () => {
      using folder = temporaryFolder();
      await argosy(folder.path, ["init"]);
      await using server = await startServer(folder.path, { services: ["daemon"] });
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page, complaints } = opened;
      await settled(page);
      let streams = 0;
      page.on("request", (request) => {
        if (request.url().includes("/v1/system/logs/events")) streams++;
      });
      await goTo(page, "/operations/logs");
      const table = page.getByRole("table", { name: "Lines" });
      await table.getByText("service.listening").waitFor();

      await page.getByLabel("Contains").fill("service.LISTENING");
      await page.waitForURL("**/operations/logs?text=service.LISTENING");
      await page.waitForFunction(() => document.querySelectorAll("tbody tr").length === 1);
      await page.getByRole("button", { name: "Copy lines" }).click();
      // The page has no access to the clipboard, so the browser copies what is selected for a moment.
      expect(await page.evaluate(() => "clipboard" in navigator)).toBe(false);
      await noticed(page, "Copied");
      expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe(
        "Copy lines",
      );
      await page.evaluate(() => {
        document.execCommand = () => false;
      });
      await page.getByRole("button", { name: "Copy lines" }).click();
      await page
        .getByRole("tooltip", { name: "The browser refused. Select the text and copy it." })
        .waitFor();
      await page.getByLabel("Contains").fill("");
      await page.getByLabel("Contains").focus();
      await page.keyboard.press("ControlOrMeta+v");
      const copied = await page.getByLabel("Contains").inputValue();
      expect(JSON.parse(copied)).toMatchObject({ event: "service.listening", service: "daemon" });

      await page.getByLabel("Contains").fill(hostile.slice(0, 200));
      await page.getByText("No line matches.").waitFor();
      await page.getByLabel("Contains").fill("");
      await table.getByText("service.listening").waitFor();

      await page.getByRole("button", { name: "Pause" }).click();
      const before = await table.getByRole("row").count();
      await server.run("assistant", "Hello", "two");
      expect(await table.getByRole("row").count()).toBe(before);
      await page.getByRole("button", { name: "Resume" }).click();
      await page.waitForFunction((count) => document.querySelectorAll("tr").length >= count, before);

      const line = page.getByRole("row").filter({ hasText: "run.finished" });
      await line.getByRole("link", { name: "Open trace" }).click();
      await page.waitForURL("**/studio/traces/*");
      const trace = new URL(page.url()).pathname.split("/").at(-1);
      await page.getByRole("link", { name: "Log lines" }).click();
      await page.waitForURL(`**/operations/logs?text=${trace}`);
      await line.waitFor();
      await page.getByLabel("Contains").fill("");
      await table.getByText("service.listening").waitFor();

      await looks(page, "operations-logs");
      const asked = streams;
      await hide(page, true);
      await page.getByLabel("Contains").fill("argosy");
      await page.waitForURL("**/operations/logs?text=argosy");
      await page.waitForLoadState("networkidle");
      expect(streams).toBe(asked);
      const followed = page.waitForRequest((request) => request.url().includes("text=argosy"));
      await hide(page, false);
      await followed;
      expect(complaints).toEqual([]);

      const lines = await argosy(folder.path, ["logs", "--search", "service.listening", "--json"]);
      expect(JSON.parse(lines.stdout).lines).toMatchObject([{ event: "service.listening" }]);
      const workers = JSON.parse((await argosy(folder.path, ["workers", "--json"])).stdout);
      expect(workers.workers.map(({ name }: { name: string }) => name)).toContain("size-recorder");
      const sizes = readFileSync(join(folder.path, ".argosy/size-days.json"), "utf8");
      expect(JSON.parse(sizes)).toHaveLength(1);
    },
    browserMissing,
  );
});

/** Lets the page believe that its tab is hidden, or shown again. */
const hide = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => {
    const value = hidden ? "hidden" : "visible";
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => value });
    document.dispatchEvent(new Event("visibilitychange"));
  }, isHidden);

/** Checks the page's accessibility and its width on a phone, and keeps pictures of it. */
async function looks(page: Page, name: string): Promise<void> {
  expect(await accessFaultsInBothColors(page)).toEqual([]);
  await keepScreenshot(page, name);
  await showIn(page, "dark");
  await keepScreenshot(page, `${name}-dark`);
  await showIn(page, "light");
  await page.setViewportSize({ width: 360, height: 780 });
  expect(await cutElements(page)).toEqual([]);
  await keepScreenshot(page, `${name}-360`);
  await page.setViewportSize({ width: 1280, height: 800 });
}
