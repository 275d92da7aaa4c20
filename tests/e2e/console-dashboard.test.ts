import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  keepScreenshotInBothColors,
  openBrowser,
  type Visit,
} from "../support/browser.ts";
import { goTo, settled, visitPage } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { cutElements } from "../support/cut-elements.ts";
import { executableBuilt, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { recordedTrace } from "../support/recorded-trace.ts";
import { storeTraces } from "../support/stored-traces.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const agents = [
  "support",
  "sales.eu[0]",
  '<img src=x onerror="alert(1)">',
  "وكيل الدعم",
  `a-very-long-name-${"x".repeat(40)}`,
  "helper",
];
/** Ten minutes apart, so that they reach back a day and a half. */
const count = 220;
const apartMs = 600_000;
const wide = { width: 1280, height: 900 };

describe("the dashboard and the search of traces", () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let server: ServerProcess;
  let browser: Browser;
  let opened: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    folder = temporaryFolder();
    await storeTraces(
      join(folder.path, ".argosy"),
      count,
      (at, startedMs) =>
        recordedTrace(`trace-${at}`, startedMs, {
          agent: agents[at % agents.length] ?? "",
          model: at % 3 === 0 ? "gpt-4.1-mini" : "claude-sonnet",
          durationMs: 200 + ((at * 7919) % 4000),
          costUsd: 0.0001 * (1 + (at % 40)),
          output: at % 50 === 3 ? `It's 100% "done" <b>_now_</b> ${at}` : `Answer ${at}`,
          ...(at % 9 === 0 ? { status: "ERROR" as const, error: "provider_failed" } : {}),
        }),
      apartMs,
    );
    server = await startServer(folder.path);
    browser = await openBrowser();
    opened = await visitPage(browser, await consoleLink(folder.path, {}), "/studio", { viewport: wide });
  });
  afterAll(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
    folder?.[Symbol.dispose]();
  });

  /** Opens a page in the window that all tests share. */
  async function openPage(path: string): Promise<Visit> {
    opened.complaints.length = 0;
    await opened.page.setViewportSize(wide);
    await goTo(opened.page, path);
    return opened;
  }

  /** Waits until a part of a drawing has grown to its height: a click lands where it was before. */
  async function standing(part: Locator) {
    await part.waitFor();
    await (await part.elementHandle())?.waitForElementState("stable");
    return part;
  }

  async function fairInEachView(page: Page, name: string) {
    expect(await accessFaultsInBothColors(page), name).toEqual([]);
    await keepScreenshotInBothColors(page, name);
    await page.setViewportSize({ width: 360, height: 740 });
    await settled(page);
    expect(await cutElements(page), name).toEqual([]);
    expect(await accessFaults(page, ["target-size"]), name).toEqual([]);
    await keepScreenshot(page, `${name}-narrow`);
    await page.setViewportSize(wide);
  }

  executableTest(
    "the figures of a day lead by keyboard and by mouse to the runs behind them",
    async () => {
      const { page, complaints } = await openPage("/studio/dashboard");
      const periods = page.getByRole("table", { name: "Periods with runs" });
      await periods.getByRole("link").first().waitFor();
      await page.locator(".recharts-bar-rectangle path").first().waitFor();
      await fairInEachView(page, "studio-dashboard-day");

      // A row of the table, by keyboard.
      const row = periods.getByRole("row").nth(2);
      const runs = Number(await row.getByRole("cell").nth(1).innerText());
      await row.getByRole("link").first().focus();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/studio/traces?since=**");
      const traces = page.getByRole("table", { name: "Traces" });
      await traces.getByRole("row").nth(1).waitFor();
      expect(await traces.getByRole("row").count()).toBe(runs + 1);
      await page.goBack();

      // A red part of a bar, by mouse: only the failures of its period.
      await settled(page);
      const failures = await standing(page.locator(".recharts-bar").nth(1).locator("path").first());
      await failures.click({ force: true });
      await page.waitForURL(/\/studio\/traces\?since=.*status=ERROR/);
      await traces.getByText("provider_failed").first().waitFor();
      expect(await traces.getByText("OK", { exact: true }).count()).toBe(0);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "groups with any name are compared, and their legend is whole",
    async () => {
      const { page, complaints } = await openPage("/studio/dashboard?range=7d&by=agent");
      const groups = page.getByRole("table", { name: "Agent" });
      for (const agent of agents) await groups.getByRole("link", { name: agent, exact: true }).waitFor();
      await page.locator(".recharts-bar-rectangle path").first().waitFor();
      const legend = page.locator(".ar-legend").first();
      for (const agent of agents)
        expect(await legend.getByText(agent, { exact: true }).isVisible()).toBe(true);
      const clipped = await page
        .locator(".ar-legend li")
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
      expect(clipped).toBe(0);
      await fairInEachView(page, "studio-dashboard-agents");
      await groups.getByRole("link", { name: agents[2] ?? "", exact: true }).click();
      await page.waitForURL("**/studio/traces?**");
      expect(new URL(page.url()).searchParams.get("agent")).toBe(agents[2] ?? "");
      await page.getByRole("table", { name: "Traces" }).getByRole("row").nth(1).waitFor();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "tenants are compared by the owner, and an own range may be empty or wrong",
    async () => {
      const { page, complaints } = await openPage("/studio/dashboard?by=tenant");
      await page.getByRole("table", { name: "Tenant" }).getByRole("link", { name: "This daemon" }).waitFor();
      await page.goto(new URL("/studio/dashboard?range=own&from=2020-01-01&to=2020-01-02", page.url()).href);
      await page.getByText("No runs in this range.").waitFor();
      await fairInEachView(page, "studio-dashboard-empty");
      await page.getByLabel("To (inclusive)").fill("2019-12-31");
      await page.getByText("The end must not be before the start.").waitFor();
      expect(await accessFaults(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await page.getByLabel("From").fill("1999-01-01");
      await page
        .getByText(/at most 750 buckets/)
        .first()
        .waitFor();
      complaints.length = 0;
      await page.getByText("Last hour").click();
      await page.waitForURL((url) => url.search.includes("range=1h"));
      await page
        .getByText(/Periods with runs|No runs in this range/)
        .first()
        .waitFor();
      const again = page.waitForResponse("**/v1/stats/runs?**");
      await page.getByRole("button", { name: "Refresh" }).click();
      expect((await again).status()).toBe(200);
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "traces are found by their text, and sorted by time, latency and cost",
    async () => {
      const { page, complaints } = await openPage("/studio/traces");
      const table = page.getByRole("table", { name: "Traces" });
      await page.getByRole("textbox", { name: "Search" }).fill('100% "DONE" <b>_');
      await page.keyboard.press("Enter");
      await page.waitForURL(/search=/);
      await table.getByRole("row").nth(5).waitFor();
      await table.getByRole("row").nth(6).waitFor({ state: "detached" });
      expect(await table.getByRole("row").count()).toBe(6);
      await page.getByRole("combobox", { name: "Order" }).click();
      await page.getByRole("option", { name: "Slowest first" }).click();
      await page.waitForURL(/sort=slowest/);
      const order = () =>
        table.getByRole("link").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
      const expected = [3, 53, 103, 153, 203]
        .toSorted((a, b) => ((b * 7919) % 4000) - ((a * 7919) % 4000))
        .map((at) => `/studio/traces/trace-${at}`);
      await page.waitForFunction(
        (first) => document.querySelector('[role="cell"] a')?.getAttribute("href") === first,
        expected[0],
      );
      expect(await order()).toEqual(expected);
      await settled(page);
      await fairInEachView(page, "studio-traces-search");
      const saved = page.waitForEvent("download");
      await page.getByRole("button", { name: "Export" }).click();
      const lines = (await Bun.file(await (await saved).path()).text()).trim().split("\n");
      expect(lines.map((line) => `/studio/traces/${JSON.parse(line).trace_id}`)).toEqual(expected);
      await page.getByRole("textbox", { name: "Search" }).fill("100_");
      await page.keyboard.press("Enter");
      await page.getByText("No run matches. The search reads").waitFor();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );

  executableTest(
    "two runs are chosen by keyboard and compared, and a missing one is an error that says so",
    async () => {
      const { page, complaints } = await openPage("/studio/traces?search=done");
      const table = page.getByRole("table", { name: "Traces" });
      await table.getByRole("row").nth(5).waitFor();
      const boxes = table.getByRole("checkbox");
      expect(await page.getByRole("button", { name: "Compare" }).isDisabled()).toBe(true);
      await boxes.nth(0).focus();
      await page.keyboard.press("Space");
      await boxes.nth(4).focus();
      await page.keyboard.press("Space");
      expect(await boxes.nth(1).isDisabled()).toBe(true);
      await page.getByRole("link", { name: "Compare" }).click();
      await page.getByRole("heading", { level: 1, name: "Compare runs" }).waitFor();
      const figures = page.getByRole("table", { name: "Figures" });
      await figures.getByRole("row", { name: /Duration/ }).waitFor();
      await page.getByText(/^1 step is equal. First difference: Model .* \| Model /).waitFor();
      await page.locator(".cm-content").waitFor();
      await fairInEachView(page, "studio-traces-compare");
      const before = await figures.getByRole("link").first().getAttribute("href");
      await page.getByRole("button", { name: "Swap" }).click();
      await page.waitForFunction(
        (href) => document.querySelector("table a")?.getAttribute("href") !== href,
        before,
      );
      expect(complaints).toEqual([]);
      await page.goto(new URL("/studio/traces/compare?a=trace-1&b=gone", page.url()).href);
      await page.getByText("There is no trace with this id.").waitFor();
    },
    browserMissing,
  );

  executableTest(
    "a view keeps filters, order and columns in the browser, is renamed, opened and deleted",
    async () => {
      const { page, complaints } = await openPage("/studio/traces?status=ERROR&sort=slowest");
      const hostile = '"><img src=x onerror=alert(1)>';
      await page.getByRole("button", { name: "Views" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("checkbox", { name: "Model" }).uncheck();
      await page.waitForURL(/hide=model/);
      await dialog.getByRole("textbox", { name: "Name" }).fill(hostile);
      await page.keyboard.press("Enter");
      await dialog.getByRole("link", { name: hostile }).waitFor();
      await fairInEachView(page, "studio-traces-views");
      await dialog.getByRole("button", { name: `Rename view ${hostile}` }).click();
      await dialog.getByRole("textbox", { name: `New name of view ${hostile}` }).fill("Slow failures");
      await page.keyboard.press("Enter");
      await dialog.getByRole("link", { name: "Slow failures" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("columnheader", { name: "Model" }).waitFor({ state: "detached" });

      await page.goto(new URL("/studio/traces", page.url()).href);
      await page.getByRole("columnheader", { name: "Model" }).waitFor();
      await page.getByRole("button", { name: "Views" }).click();
      await dialog.getByRole("link", { name: "Slow failures" }).click();
      await page.waitForURL("**/studio/traces?status=ERROR&sort=slowest&hide=model");
      await page.getByRole("table", { name: "Traces" }).getByText("provider_failed").first().waitFor();
      await page.getByRole("button", { name: "Views" }).click();
      await dialog.getByRole("button", { name: "Delete view Slow failures" }).click();
      await dialog.getByText("No saved views yet.").waitFor();
      expect(complaints).toEqual([]);
    },
    browserMissing,
  );
});
