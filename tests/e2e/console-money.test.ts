import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect } from "bun:test";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { platformClient } from "../../src/contracts/platform/clients/client.ts";
import {
  accessFaults,
  accessFaultsInBothColors,
  browserMissing,
  keepScreenshot,
  openBrowser,
  type Visit,
} from "../support/browser.ts";
import { goTo, inputOf, loadPage, visitPage } from "../support/console-page.ts";
import {
  type ConsoleWorld,
  consoleLink,
  operatorToken,
  startConsoleWorld,
} from "../support/console-world.ts";
import { executableBuilt, executableTest, type ServerProcess, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

describe("money in the console", () => {
  let world: ConsoleWorld;
  let browser: Browser;
  let window: Visit;
  beforeAll(async () => {
    if (browserMissing !== undefined || !executableBuilt) return;
    world = await startConsoleWorld();
    browser = await openBrowser();
    window = await visitPage(browser, await world.link(), "/platform/operator/plans");
  });
  afterAll(async () => {
    await browser?.close();
    await world?.[Symbol.asyncDispose]();
  });

  const operator = () =>
    platformClient({
      fetch: (request: Request) => fetch(request),
      baseUrl: world.server.urlOf("platform"),
      operatorToken,
    });

  const onPage = async (path: string, use: (page: Page) => Promise<void>) => {
    await loadPage(window, path);
    await use(window.page);
    expect(window.complaints).toEqual([]);
  };

  const money = (name: string, body: () => Promise<void>) => executableTest(name, body, browserMissing);

  money("every typed text stays as it is typed, and exactly that amount is stored", async () => {
    await onPage("/platform/operator/plans", async (page) => {
      await page.getByRole("button", { name: "New plan", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await typeSlowly(inputOf(dialog, "Id"), "exact");
      await typeSlowly(inputOf(dialog, "Name"), "Exact");
      await typeSlowly(inputOf(dialog, "Monthly fee"), "29.90");
      await typeSlowly(inputOf(dialog, "Activation fee \\(once\\)"), "1.25");
      await typeSlowly(inputOf(dialog, "Included credits"), "12.");
      await typeSlowly(inputOf(dialog, "Price per extra credit"), "0.0001");
      await typeSlowly(inputOf(dialog, "Credits per month"), ".5");
      await typeSlowly(inputOf(dialog, "Runs per minute"), "1000000");
      await dialog.getByRole("button", { name: "Review" }).click();
      for (const shown of ["$29.90", "$1.25", "12", "$0.0001", "0.5", "1,000,000", "10 × $0.0001 = $0.001"]) {
        await dialog.getByText(shown).first().waitFor();
      }
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "money-plan-review-light");
      await dialog.getByRole("button", { name: "Store plan" }).click();
      await dialog.waitFor({ state: "detached" });
    });
    const { plans } = await operator().listPlans();
    expect(plans.find(({ id }) => id === "exact")).toMatchObject({
      min_fee_micros: 29_900_000,
      activation_price_micros: 1_250_000,
      included_credits_micros: 12_000_000,
      extra_credit_price_micros: 100,
      credit_cap_period_micros: 500_000,
      max_rpm: 1_000_000,
      max_concurrency: null,
    });
  });

  money("a text is edited in its middle, and is put in order once the field is left", async () => {
    await onPage("/platform/operator/plans", async (page) => {
      await page.getByRole("button", { name: "New plan", exact: true }).click();
      const fee = inputOf(page.getByRole("dialog"), "Monthly fee");
      await typeSlowly(fee, "1234.56");
      for (let step = 0; step < 4; step++) await page.keyboard.press("ArrowLeft");
      await page.keyboard.press("Backspace");
      expect(await fee.inputValue()).toBe("124.56");
      await page.keyboard.type("90");
      expect(await fee.inputValue()).toBe("12904.56");
      await page.keyboard.press("End");
      await page.keyboard.press("Backspace");
      await page.keyboard.press("Backspace");
      expect(await fee.inputValue()).toBe("12904.");
      await page.keyboard.press("Tab");
      expect(await fee.inputValue()).toBe("12904.00");
    });
  });

  money("what is not an amount is named below its field, and nothing can be stored", async () => {
    await onPage("/platform/operator/plans", async (page) => {
      await page.getByRole("button", { name: "New plan", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await typeSlowly(inputOf(dialog, "Id"), "refused");
      await typeSlowly(inputOf(dialog, "Name"), "Refused");
      const fee = inputOf(dialog, "Monthly fee");
      const review = dialog.getByRole("button", { name: "Review" });
      const faults = {
        "0.1234567": "at most 6 decimals",
        "-3": "0 or more",
        abc: "Use digits",
        "1e5": "without an exponent",
        "1,25": "one point for decimals",
        "1.234,5": "one point for decimals",
        "99999999999": "1000000 or less",
        "": "Enter a number",
      };
      for (const [text, fault] of Object.entries(faults)) {
        await fee.fill("");
        await typeSlowly(fee, text);
        await page.keyboard.press("Tab");
        expect(await fee.inputValue()).toBe(text);
        await dialog.getByText(fault).waitFor();
        expect(await review.isDisabled()).toBe(true);
      }
      await fee.fill("1,25");
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "money-plan-fault-light");
    });
    expect((await operator().listPlans()).plans.some(({ id }) => id === "refused")).toBe(false);
  });

  money("a tariff's provider and model are chosen, its rates are reviewed and stored exactly", async () => {
    const model = "exact";
    await onPage("/platform/operator/tariffs", async (page) => {
      await page.getByRole("button", { name: "New tariff" }).click();
      const dialog = page.getByRole("dialog");
      await inputOf(dialog, "Provider").click();
      await page.getByRole("option", { name: "openai", exact: true }).click();
      await inputOf(dialog, "Model").click();
      await page.keyboard.type(model);
      await page.getByRole("option", { name: model }).click();
      await typeSlowly(inputOf(dialog, "Credits per 1,000 input tokens"), "0.0025");
      await typeSlowly(inputOf(dialog, "Credits per 1,000 output tokens"), "1.25");
      await typeSlowly(inputOf(dialog, "Credits per 1,000 cached input tokens"), ".000001");
      await typeSlowly(inputOf(dialog, "Provider's price per 1,000 input tokens"), "0.00015");
      await page.keyboard.press("Tab");
      await keepScreenshot(page, `money-tariff-form`);
      await dialog.getByRole("button", { name: "Review" }).click();
      await dialog.getByText("10 × 0.0025 + 2 × 1.25 = 2.525 credits").waitFor();
      await dialog.getByRole("button", { name: "Back" }).click();
      expect(await inputOf(dialog, "Credits per 1,000 output tokens").inputValue()).toBe("1.25");
      await dialog.getByRole("button", { name: "Review" }).click();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await keepScreenshot(page, `money-tariff-review`);
      await dialog.getByRole("button", { name: "Store tariff" }).click();
      await dialog.waitFor({ state: "detached" });
    });
    const { tariffs } = await operator().listTariffs();
    expect(tariffs.find((tariff) => tariff.model === model)).toMatchObject({
      provider: "openai",
      credits_per_1k_in_micros: 2500,
      credits_per_1k_out_micros: 1_250_000,
      credits_per_1k_cached_in_micros: 1,
      provider_cost_per_1k_in_micros: 150,
      provider_cost_per_1k_out_micros: null,
    });
  });

  money("a subscription is begun for a tenant found by its name, once its plan was reviewed", async () => {
    const body = { ...planBody, id: "shop_pro", name: "Shop Pro", argo_code: "shop" };
    const today = new Date().toISOString().slice(0, 10);
    await operator().createPlan(body);
    await onPage("/platform/operator/subscriptions", async (page) => {
      await page.getByRole("button", { name: "New subscription" }).click();
      const dialog = page.getByRole("dialog");
      await inputOf(dialog, "Tenant").click();
      await page.keyboard.type("ada l");
      await page.getByRole("option", { name: "Ada Ltd" }).click();
      await inputOf(dialog, "Plan").click();
      await page.getByRole("option", { name: "Shop Pro" }).click();
      await inputOf(dialog, "First day \\(UTC\\)").fill(today);
      await dialog.getByRole("button", { name: "Review" }).click();
      await dialog.getByText("Ada Ltd").waitFor();
      await dialog.getByText("$0.012075").first().waitFor();
      await keepScreenshot(page, "money-subscription-review-light");
      await dialog.getByRole("button", { name: "New subscription" }).click();
      await dialog.waitFor({ state: "detached" });
      await page.getByRole("link", { name: "Ada Ltd" }).waitFor();
    });
    const { subscriptions } = await operator().listSubscriptions();
    expect(subscriptions.filter(({ tenant_id: id }) => id === world.names.tenant)).toMatchObject([
      { tenant_name: "Ada Ltd", plan_id: "shop_pro", desde: today },
    ]);
  });

  money(
    "a statement prints full prices that add up, and an invoice is marked by tenant, month and amount",
    async () => {
      using folder = temporaryFolder();
      const env = { PLATFORM_OPERATOR_TOKEN: operatorToken };
      const services = ["daemon", "platform"];
      const client = (server: ServerProcess) =>
        platformClient({
          fetch: (request: Request) => fetch(request),
          baseUrl: server.urlOf("platform"),
          operatorToken,
        });
      const tenant = await (async () => {
        await using first = await startServer(folder.path, { services, env });
        const address = { fetch: (request: Request) => fetch(request), baseUrl: first.urlOf("platform") };
        const account = { email: "ada@example.com", password: "correct horse", displayName: "Ada" };
        const { accessToken } = await platformClient(address).register(account);
        const { id } = await platformClient({ ...address, accessToken }).createTenant("Ada Ltd");
        await client(first).createPlan({ ...planBody, id: "shop_pro", name: "Shop Pro", argo_code: "shop" });
        const desde = new Date().toISOString().slice(0, 10);
        await client(first).createSubscription({
          tenant_id: id,
          argo_code: "shop",
          plan_id: "shop_pro",
          desde,
        });
        first.kill("SIGTERM");
        await first.exited;
        return id;
      })();
      beginOn(folder.path, "2026-01-15");
      // Overdue periods are closed at the start.
      await using server = await startServer(folder.path, { services, env });
      await server.logged("billing.closed");
      const statement = `/platform/operator/tenants/${tenant}/statement?period=2026-01`;
      await using opened = await visitPage(browser, await consoleLink(folder.path, env), statement);
      const { page, complaints } = opened;
      const charges = page.getByRole("table", { name: "Charges in US dollars" });
      const fee = charges.getByRole("row").filter({ hasText: "Fee" });
      expect(await fee.getByRole("cell").allInnerTexts()).toEqual([
        "Fee: Shop Pro: 17 of 31 days",
        "17 of 31 days",
        "$29.90",
        "$16.396774",
      ]);
      await charges.getByText("$17.65").waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await keepScreenshot(page, "money-statement");
      await goTo(page, "/platform/operator/margins?period=2026-01");
      await page.getByText("$17.65").first().waitFor();
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await keepScreenshot(page, "money-margins");
      await goTo(page, "/platform/operator/periods?status=closed");
      expect(await accessFaultsInBothColors(page)).toEqual([]);
      await keepScreenshot(page, "money-periods");
      const periods = page.getByRole("table", { name: "Billing periods" });
      const row = periods.getByRole("row").filter({ hasText: "2026-01" }).filter({ hasText: "$17.65" });
      await row.waitFor();
      await row.getByText("Ada Ltd").waitFor();
      await row.getByRole("button", { name: "Mark as invoiced" }).click();
      const dialog = page.getByRole("dialog");
      for (const text of ["Ada Ltd", "2026-01", "$17.646774", "for $17.65"]) {
        await dialog.getByText(text).first().waitFor();
      }
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "money-mark-light");
      await dialog.getByRole("button", { name: "Mark as invoiced" }).click();
      await dialog.waitFor({ state: "detached" });
      const marked = await client(server).listPeriods({ status: "facturado" });
      expect(marked.periods).toMatchObject([
        { period: "2026-01", tenant_name: "Ada Ltd", amount_micros: 17_646_774 },
      ]);
      expect(complaints).toEqual([]);
    },
  );

  money("a budget is what was typed", async () => {
    await onPage("/studio/costs?view=budgets", async (page) => {
      await page
        .getByRole("button", { name: /budget/i })
        .first()
        .click();
      const dialog = page.getByRole("dialog");
      const amount = inputOf(dialog, "US dollars");
      const agent = inputOf(dialog, "Agent");
      await agent.click();
      await page.getByRole("option", { name: "support" }).click();
      await typeSlowly(amount, "12.");
      await page.keyboard.press("Enter");
      await dialog.waitFor({ state: "detached" });
    });
    expect((await world.server.call("GET", "/v1/costs/budgets/support")).body.budget).toBe(12);
  });
});

const planBody = {
  max_concurrency: null,
  max_rpm: null,
  credit_cap_period_micros: null,
  max_tokens_per_call: null,
  max_run_tokens: null,
  max_iterations: null,
  max_active_agents: null,
  min_fee_micros: 29_900_000,
  activation_price_micros: 1_250_000,
  included_credits_micros: 5_000_000,
  extra_credit_price_micros: 12_075,
  spec: { unidades: { "shop.orders": { incluidas: 100, excedente_micros: 50_000 } }, features: {} },
};

/** Types slowly like a person, and checks the field after each key. */
async function typeSlowly(field: Locator, text: string): Promise<void> {
  await field.click();
  for (let typed = 1; typed <= text.length; typed++) {
    await field.press(text.charAt(typed - 1));
    expect(await field.inputValue()).toBe(text.slice(0, typed));
  }
}

/** Moves the beginning of every tenant and subscription of a stopped platform to an earlier day. */
function beginOn(workspace: string, day: string): void {
  using database = new Database(join(workspace, ".argosy", "platform.db"));
  database.run("update tenants set created_at = ?", [Date.parse(day)]);
  database.run("update subscriptions set desde = ?", [day]);
  database.run("update subscription_plans set from_month = ?", [day.slice(0, 7)]);
}
