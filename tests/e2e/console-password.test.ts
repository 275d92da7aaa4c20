import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { accessFaults, browserMissing, keepScreenshot, openBrowser, visit } from "../support/browser.ts";
import { settled } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const email = "ada@example.com";
const env = { PLATFORM_OPERATOR_TOKEN: "operator-token-of-at-least-32-bytes" };

async function signIn(page: Page, password: string) {
  await page.getByRole("textbox", { name: "E-mail" }).fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

executableTest(
  "a person who forgot the password gets a link from the operator, and everybody else is signed out",
  async () => {
    using folder = temporaryFolder();
    await using server = await startServer(folder.path, { services: ["daemon", "platform"], env });
    await using browser = await openBrowser();
    await using person = await visit(browser, server.urlOf("platform"));
    const { page } = person;
    await page.getByRole("button", { name: "Create an account instead" }).click();
    await page.getByLabel("Your name").fill("Ada");
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel(/^Password/).fill("correct horse");
    await page.getByRole("button", { name: "Create account" }).click();
    await page.getByRole("button", { name: "Create tenant" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Ada Ltd");
    await page.getByRole("dialog").getByRole("button", { name: "Create tenant" }).click();
    await page.getByText("No agents yet").waitFor();
    const agents = page.url();
    const tenant = /\/platform\/t\/([^/]+)/.exec(agents)?.[1] ?? "";

    await using operator = await visit(browser, await consoleLink(folder.path, env));
    await settled(operator.page);
    await operator.page.goto(new URL(`/platform/operator/tenants/${tenant}`, operator.page.url()).href);
    await operator.page.getByRole("button", { name: "Reset password" }).click();
    const dialog = operator.page.getByRole("dialog");
    await dialog.getByText(email).waitFor();
    await dialog.getByRole("button", { name: "Reset password" }).click();
    const link = await dialog.getByLabel("Link", { exact: true }).innerText();
    expect(link).toContain("/platform#password=pwd_");
    // It is shown once, so neither Escape nor a click beside the dialog closes it.
    await operator.page.keyboard.press("Escape");
    await operator.page.mouse.click(5, 5);
    expect(await accessFaults(operator.page)).toEqual([]);
    await keepScreenshot(operator.page, "password-reset");
    await dialog.getByRole("button", { name: "I have copied it" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await operator.page.content()).not.toContain(link);
    expect(operator.complaints).toEqual([]);

    await page.goto(agents);
    await page.getByRole("button", { name: "Sign in", exact: true }).waitFor();
    await signIn(page, "correct horse");
    await page
      .getByText(/wrong|not right|doesn't match/i)
      .first()
      .waitFor();
    await using chosen = await visit(browser, link);
    await chosen.page.getByLabel("New password").fill("battery staple");
    expect(await accessFaults(chosen.page)).toEqual([]);
    await keepScreenshot(chosen.page, "password-link");
    await chosen.page.getByRole("button", { name: "Set password and sign in" }).click();
    await chosen.page.getByText("Ada Ltd").first().waitFor();
    expect(chosen.page.url()).not.toContain("pwd_");
    await signIn(page, "battery staple");
    await page.getByText("No agents yet").waitFor();
  },
  browserMissing,
);
