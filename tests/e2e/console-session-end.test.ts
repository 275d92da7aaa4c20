import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { operatorTexts } from "../../src/console/texts/platform/operator.ts";
import { signInTexts } from "../../src/console/texts/shell.ts";
import { accessFaults, browserMissing, openBrowser, visit } from "../support/browser.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const operatorToken = "operator-token-of-at-least-32-bytes";
const env = { PLATFORM_OPERATOR_TOKEN: operatorToken };

/** Ends the session as another window would: the page does not learn of it. */
const endSession = (page: Page) =>
  page.evaluate(async () => {
    const key = localStorage.getItem("argosy-session-key") ?? "";
    await fetch("/console/session", { method: "DELETE", headers: { "x-argosy-console": key } });
  });

executableTest(
  "the overview of an operator whose session has ended claims nothing and asks to sign in, then shows its figures",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services: ["daemon", "platform"], env });
    await using browser = await openBrowser();
    await using opened = await visit(browser, `${server.urlOf("platform")}/platform/operator/audit`);
    const { page } = opened;
    const signIn = async () => {
      await page.getByRole("textbox", { name: signInTexts.token }).fill(operatorToken);
      await page.getByRole("button", { name: signInTexts.useToken }).click();
    };
    await signIn();
    await page.getByRole("heading", { level: 1, name: "Audit" }).waitFor();
    await endSession(page);
    await page.getByRole("link", { name: operatorTexts.overview, exact: true }).click();
    await page.getByText(signInTexts.ended).first().waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(await page.getByText(operatorTexts.noAttention).count()).toBe(0);
    await signIn();
    await page.getByText(operatorTexts.noAttention).waitFor();
    expect(new URL(page.url()).pathname).toBe("/platform/operator");
  },
  browserMissing,
);

executableTest(
  "what a person has typed stays on the page while they sign in again",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services: ["daemon", "platform"], env });
    await using browser = await openBrowser();
    await using opened = await visit(browser, server.urlOf("platform"));
    const { page } = opened;
    await page.getByRole("button", { name: signInTexts.toRegister }).click();
    await page.getByLabel(signInTexts.name).fill("Ada");
    await page.getByLabel(signInTexts.email).fill("ada@example.com");
    await page.getByLabel(/^Password/).fill("correct horse");
    await page.getByRole("button", { name: signInTexts.register }).click();
    await page.getByRole("button", { name: "Create tenant" }).click();
    const dialog = page.getByRole("dialog", { name: "New tenant" });
    await dialog.getByLabel("Name").fill("Ada Ltd");
    await endSession(page);
    await dialog.getByRole("button", { name: "Create tenant" }).click();
    const signIn = page.getByRole("dialog", { name: signInTexts.ended });
    await signIn.getByLabel(signInTexts.email).fill("ada@example.com");
    await signIn.getByLabel(/^Password/).fill("correct horse");
    await signIn.getByRole("button", { name: signInTexts.signIn, exact: true }).click();
    await signIn.waitFor({ state: "detached" });
    expect(await dialog.getByLabel("Name").inputValue()).toBe("Ada Ltd");
    await dialog.getByRole("button", { name: "Create tenant" }).click();
    await page.getByText("No agents yet").waitFor();
  },
  browserMissing,
);
