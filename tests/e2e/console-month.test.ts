import { describe, expect, test } from "bun:test";
import type { Browser, Page } from "playwright-core";
import {
  alignedNumber,
  creditsText,
  fractionWidth,
  usdText,
  usdTotalText,
} from "../../src/contracts/amounts.ts";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  type Visit,
  visit,
} from "../support/browser.ts";
import { inputOf, settled } from "../support/console-page.ts";
import { startConsole, type TestConsole } from "../support/console-server.ts";
import { cutElements } from "../support/cut-elements.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const ada = { email: "ada@example.com", password: "correct horse" };

describe("a month of a tenant", () => {
  test.skipIf(browserMissing !== undefined)(
    "goes from its plan and tariff to an invoice in the console alone",
    async () => {
      using folder = temporaryFolder();
      await using browser = await openBrowser();
      const bill = await inApril(browser, folder.path);
      await inMay(browser, folder.path, bill);
    },
  );
});

/** What the month must cost, worked out from the tokens that the owner saw. */
interface Bill {
  credits: string;
  extra: string;
  fee: string;
  extraAmount: string;
  total: string;
}

/** Sets the prices, makes the tenant and its agent, asks it, and reads the provisional statement. */
async function inApril(browser: Browser, workspace: string): Promise<Bill> {
  await using server = await startAt("2026-04-11T09:00:00Z", workspace);
  await using operators = await visitAt(browser, server, `/#open=${await server.link()}`);
  await using owners = await visitAt(browser, server, "/platform");
  const [operator, owner] = [operators.page, owners.page];

  await follow(operator, "Plans");
  await operator.getByRole("button", { name: "New plan", exact: true }).click();
  const plan = operator.getByRole("dialog");
  await inputOf(plan, "Id").fill("shop");
  await inputOf(plan, "Name").fill("Shop");
  await inputOf(plan, "Credits per month").fill("50");
  await inputOf(plan, "Monthly fee").fill("29.90");
  await inputOf(plan, "Included credits").fill("0.25");
  await inputOf(plan, "Price per extra credit").fill("0.15");
  await plan.getByRole("button", { name: "Review" }).click();
  await plan.getByText("one run can reserve all credits left this month").waitFor();
  // The limits of documents have rows of their own.
  expect(await plan.getByText("documents_max").count()).toBe(0);
  await keepScreenshot(operator, "month-plan");
  await plan.getByRole("button", { name: "Store plan" }).click();
  await plan.waitFor({ state: "detached" });

  await follow(operator, "Tariffs");
  await operator.getByRole("button", { name: "New tariff" }).click();
  const tariff = operator.getByRole("dialog");
  await inputOf(tariff, "Provider").click();
  await operator.getByRole("option", { name: "rehearsal", exact: true }).click();
  await inputOf(tariff, "Model").click();
  await operator.keyboard.type("rehearsal");
  await operator.getByRole("option", { name: "rehearsal" }).click();
  await inputOf(tariff, "Credits per 1,000 input tokens").fill("1.25");
  await inputOf(tariff, "Credits per 1,000 output tokens").fill("4");
  await inputOf(tariff, "Cost per second on your machines").fill("0.01");
  await tariff.getByRole("button", { name: "Review" }).click();
  await tariff.getByRole("button", { name: "Store tariff" }).click();
  await tariff.waitFor({ state: "detached" });
  for (const shown of ["1.25", "4", "as input", "$0.01 per second"]) {
    await operator.getByRole("cell", { name: shown, exact: true }).waitFor();
  }
  await isQuiet(operators, "tariffs");

  await owner.getByRole("button", { name: "Create an account instead" }).click();
  await owner.getByLabel("Your name").fill("Ada");
  await owner.getByLabel("E-mail").fill(ada.email);
  await owner.getByLabel(/^Password/).fill(ada.password);
  await owner.getByRole("button", { name: "Create account" }).click();
  await owner.getByRole("button", { name: "Create tenant" }).click();
  await owner.getByRole("dialog").getByLabel("Name").fill("Ada Ltd");
  await owner.getByRole("dialog").getByRole("button", { name: "Create tenant" }).click();
  await owner.getByText("No agents yet").waitFor();

  await openTenant(operator);
  await operator.getByRole("button", { name: "Change plan" }).click();
  const change = operator.getByRole("dialog");
  await change.getByRole("combobox", { name: "Plan" }).click();
  await operator.getByRole("option", { name: "Shop (shop)" }).click();
  await change.getByText("$29.90 per month, 0.25 credits included, $0.15 per extra credit").waitFor();
  await keepScreenshot(operator, "month-change");
  await change.getByRole("button", { name: "Change plan" }).click();
  await change.waitFor({ state: "detached" });
  await isQuiet(operators, "tenant");

  await owner
    .getByRole("link", { name: /template|New agent/i })
    .first()
    .click();
  await owner.getByText("Valid", { exact: true }).waitFor();
  await owner.getByRole("button", { name: "Create", exact: true }).click();
  await owner.getByRole("link", { name: "Ask", exact: true }).click();
  const bill = billOf(await askThrice(owner));

  await follow(owner, "Usage");
  await owner.getByText(`${bill.credits} of 50 credits used`).waitFor();
  await isQuiet(owners, "usage");
  await follow(owner, "Statement");
  await owner.getByText("Provisional").waitFor();
  // One day of the fee so far.
  expect(await chargesOf(owner)).toEqual([
    ["Fee: Shop: 1 of 30 days", "1 of 30 days", "$29.90", "$0.996667"],
    [
      "Extra credits: Shop: credits over those included",
      `${bill.extra} credits`,
      "$0.15",
      alignedNumber(bill.extraAmount, ".996667".length),
    ],
  ]);
  await follow(operator, "Runs");
  const asked = operator.getByRole("cell", { name: "What do you sell, and what does it cost?", exact: true });
  await asked.nth(2).waitFor();
  await isQuiet(operators, "invocations");
  await follow(operator, "Billing periods");
  await operator.getByText("No month has been closed yet").waitFor();
  expect([...operators.complaints, ...owners.complaints]).toEqual([]);
  return bill;
}

/** Asks three questions in one conversation. Returns the tokens of each run, as the page shows them. */
async function askThrice(owner: Page): Promise<{ input: number; output: number }[]> {
  await owner.getByLabel("Question").waitFor();
  for (let turn = 0; turn < 3; turn++) {
    await owner.getByLabel("Question").fill("What do you sell, and what does it cost?");
    await owner.keyboard.press("Control+Enter");
    await owner.getByRole("link", { name: "Open run" }).nth(turn).waitFor();
  }
  const shown = await owner.getByText(/^\d+ tokens in, \d+ out$/).allInnerTexts();
  expect(shown).toHaveLength(3);
  return shown.map((text) => {
    const [input = 0, output = 0] = (text.match(/\d+/g) ?? []).map(Number);
    return { input, output };
  });
}

/** The month by hand: 20 of 30 days of the fee, and the credits above 0.25 at $0.15. All amounts are in micros. */
function billOf(runs: readonly { input: number; output: number }[]): Bill {
  const credits = runs.reduce((sum, { input, output }) => sum + input * 1_250 + output * 4_000, 0);
  const extra = credits - 250_000;
  expect(extra, "credits are above the included ones").toBeGreaterThan(0);
  const fee = Math.round((29_900_000 * 20) / 30);
  const extraAmount = Math.round((extra * 150_000) / 1_000_000);
  return {
    credits: creditsText(credits),
    extra: creditsText(extra),
    fee: usdText(fee),
    extraAmount: usdText(extraAmount),
    total: usdTotalText(fee + extraAmount),
  };
}

/** Finds the closed month, checks its statement on both sides and marks it as invoiced. */
async function inMay(browser: Browser, workspace: string, bill: Bill): Promise<void> {
  // April closes 48 hours after its end.
  await using server = await startAt("2026-05-03T00:30:00Z", workspace);
  while (!server.logged().includes('"billing.closed"')) await settle();
  await using operators = await visitAt(browser, server, `/#open=${await server.link()}`);
  const operator = operators.page;
  await operator.getByRole("link", { name: "1 closed month with charges is not marked as invoiced" }).click();
  const row = operator.getByRole("row").filter({ hasText: "2026-04" });
  await row.getByText(bill.total).waitFor();
  await looksWell(operators, "periods");
  await row.getByRole("link", { name: "2026-04" }).click();
  await readFinal(operator, bill);
  await looksWell(operators, "statement");

  await operator.getByRole("link", { name: "Billing periods" }).last().click();
  await operator.getByRole("button", { name: "Mark as invoiced" }).click();
  const mark = operator.getByRole("dialog");
  await mark.getByText(`for ${bill.total}`).waitFor();
  await mark.getByRole("button", { name: "Mark as invoiced" }).click();
  await mark.waitFor({ state: "detached" });
  await operator.getByText("Invoiced", { exact: true }).first().waitFor();
  await follow(operator, "Overview");
  await operator.getByText("No open tasks.").waitFor();
  await isQuiet(operators, "overview");

  await using owners = await visitAt(browser, server, "/platform");
  const owner = owners.page;
  await owner.getByLabel("E-mail").fill(ada.email);
  await owner.getByLabel(/^Password/).fill(ada.password);
  await owner.getByRole("button", { name: "Sign in", exact: true }).click();
  await owner.getByRole("link", { name: "Ada Ltd" }).click();
  await follow(owner, "Statement");
  await owner.getByLabel("Month").fill("2026-04");
  await readFinal(owner, bill);
  await isQuiet(owners, "own-statement");
}

/** Reads a final statement line by line. */
async function readFinal(page: Page, { fee, extra, extraAmount, total, credits }: Bill): Promise<void> {
  await page.getByText("Final", { exact: true }).waitFor();
  const decimals = Math.max(...[fee, extraAmount].map((amount) => fractionWidth(amount)));
  expect(await chargesOf(page)).toEqual([
    ["Fee: Shop: 20 of 30 days", "20 of 30 days", "$29.90", alignedNumber(fee, decimals)],
    [
      "Extra credits: Shop: credits over those included",
      `${extra} credits`,
      "$0.15",
      alignedNumber(extraAmount, decimals),
    ],
  ]);
  await page.getByRole("table", { name: "Charges in US dollars" }).getByText(total).waitFor();
  const plans = page.getByRole("table", { name: "Credits by plan" }).locator("tbody tr");
  expect(await plans.getByRole("cell").allInnerTexts()).toEqual(["Shop", credits, "0.25", "0", extra]);
}

async function chargesOf(page: Page): Promise<string[][]> {
  const table = page.getByRole("table", { name: "Charges in US dollars" });
  await table.waitFor();
  const rows = await table.locator("tbody tr").all();
  return Promise.all(rows.map((row) => row.getByRole("cell").allInnerTexts()));
}

const startAt = (instant: string, workspace: string) =>
  startConsole({ services: ["daemon", "platform"], workspace, clock: new FakeClock(instant) });

/** Opens a page in a browser that has the server's date. */
async function visitAt(browser: Browser, server: TestConsole, path: string): Promise<Visit> {
  const opened = await visit(browser, "about:blank");
  await opened.page.clock.setFixedTime(server.clock.now());
  await opened.page.goto(new URL(path, server.url("platform")).href);
  await settled(opened.page);
  return opened;
}

/** Follows a link of the menu. */
async function follow(page: Page, name: string): Promise<void> {
  await page.getByRole("navigation").getByRole("link", { name, exact: true }).click();
  await page.getByRole("heading", { level: 1, name: new RegExp(`^${name}`) }).waitFor();
  await settled(page);
}

async function openTenant(operator: Page): Promise<void> {
  await follow(operator, "All tenants");
  await operator.getByRole("link", { name: "Ada Ltd" }).click();
  await operator.getByRole("heading", { level: 1, name: "Ada Ltd" }).waitFor();
  await settled(operator);
}

/** For a page that the walk of console-pages.test.ts checks in the same state. */
async function isQuiet({ page, complaints }: Visit, name: string): Promise<void> {
  await keepScreenshot(page, `month-${name}`);
  expect(complaints).toEqual([]);
}

async function looksWell({ page, complaints }: Visit, name: string): Promise<void> {
  expect(await accessFaultsInBothColors(page)).toEqual([]);
  await keepScreenshot(page, `month-${name}`);
  await page.setViewportSize({ width: 360, height: 740 });
  // Charts follow the window a moment later.
  await page.waitForFunction(() => document.documentElement.scrollWidth <= innerWidth);
  expect(await cutElements(page)).toEqual([]);
  // The same elements, closer to each other.
  expect(await accessFaults(page, ["target-size"])).toEqual([]);
  await keepScreenshot(page, `month-${name}-360`);
  await page.setViewportSize({ width: 1280, height: 800 });
  expect(complaints).toEqual([]);
}
