import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { accessFaults, browserMissing, keepScreenshot, openBrowser, visit } from "../support/browser.ts";
import { settled } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { argosy, executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const email = "ada@example.com";
const next = "ada@new.example";
const env = { PLATFORM_OPERATOR_TOKEN: "operator-token-of-at-least-32-bytes" };

async function register(page: Page) {
  await page.getByRole("button", { name: "Create an account instead" }).click();
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel(/^Password/).fill("correct horse");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("button", { name: "Create tenant" }).waitFor();
}

executableTest(
  "a person changes password and e-mail, ends a session and deletes the account",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services: ["daemon", "platform"], env });
    await using browser = await openBrowser();
    await using person = await visit(browser, server.urlOf("platform"));
    const { page } = person;
    await register(page);
    const signedIn = await argosy(folder.path, ["platform", "login", email], { stdin: "correct horse", env });
    expect(signedIn.code).toBe(0);
    await page.getByRole("link", { name: "Your account" }).click();
    const sessions = page.getByRole("table", { name: "Sessions" }).getByRole("row");
    await page.getByRole("button", { name: "End session:" }).waitFor();
    expect(await sessions.count()).toBe(3);
    expect(await accessFaults(page)).toEqual([]);
    await keepScreenshot(page, "account");

    await page.getByRole("button", { name: "Change password" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Current password" }).fill("correct horse");
    await dialog.getByRole("textbox", { name: "New password" }).fill("battery staple");
    await dialog.getByRole("button", { name: "Change password" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "End session:" }).waitFor({ state: "detached" });
    expect((await argosy(folder.path, ["platform", "account"], { env })).stderr).toContain("not signed in");

    await page.getByRole("button", { name: "Change e-mail" }).click();
    await dialog.getByLabel("New e-mail address").fill(next);
    await dialog.getByLabel(/^Password/).fill("battery staple");
    await dialog.getByRole("button", { name: "Ask for the change" }).click();
    await dialog.waitFor({ state: "detached" });

    await using operator = await visit(browser, await consoleLink(folder.path, env));
    await settled(operator.page);
    await operator.page.goto(new URL("/platform/operator/people", operator.page.url()).href);
    await operator.page.getByRole("button", { name: "Create link for" }).click();
    const asked = operator.page.getByRole("dialog");
    await asked.getByRole("button", { name: "Create link" }).click();
    const link = await asked.getByLabel("Link", { exact: true }).innerText();
    expect(await accessFaults(operator.page)).toEqual([]);
    expect(operator.complaints).toEqual([]);
    const confirming = new URL(link);
    await page.goto("about:blank");
    await page.goto(new URL(`${confirming.pathname}${confirming.hash}`, server.urlOf("platform")).href);
    await dialog.getByRole("button", { name: "Use new address" }).click();
    await page.getByText(next, { exact: true }).first().waitFor();
    expect(page.url()).not.toContain("eml_");

    await page.getByRole("button", { name: "Delete account" }).click();
    await dialog.getByRole("textbox").fill(next);
    await dialog.getByRole("button", { name: "Delete account" }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    expect(person.complaints).toEqual([]);
  },
  browserMissing,
);

executableTest(
  "a password that an operator set opens one page, which changes it",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services: ["daemon", "platform"], env });
    await using browser = await openBrowser();
    await using first = await visit(browser, server.urlOf("platform"));
    await register(first.page);
    const reset = ["platform", "reset-password", email, "--password", "--yes"];
    const given = (await argosy(folder.path, reset, { env })).stdout.trim();
    await using person = await visit(browser, server.urlOf("platform"));
    const { page } = person;
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel(/^Password/).fill(given);
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("heading", { name: "Choose a password" }).waitFor();
    expect(await page.getByRole("link", { name: "Tenants" }).count()).toBe(0);
    expect(await accessFaults(page)).toEqual([]);
    await keepScreenshot(page, "password-expired");
    await page.getByRole("textbox", { name: "Current password" }).fill(given);
    await page.getByRole("textbox", { name: "New password" }).fill("battery staple");
    await page.getByRole("button", { name: "Change password" }).click();
    await page.getByRole("button", { name: "Create tenant" }).waitFor();
    expect(person.complaints).toEqual([]);
  },
  browserMissing,
);
