import { describe, expect } from "bun:test";
import { accessFaults, browserMissing, keepScreenshot, openBrowser, visit } from "../support/browser.ts";
import { settled } from "../support/console-page.ts";
import { consoleLink } from "../support/console-world.ts";
import { executableTest, startServer } from "../support/executable.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

describe("the frame of the console", () => {
  executableTest(
    "stays when what is opened first needs code that no server gives, and gets it once there is one",
    async () => {
      using folder = temporaryFolder();
      await using browser = await openBrowser();
      const first = await startServer(folder.path);
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page } = opened;
      await settled(page);
      first.kill("SIGTERM");
      await first.exited;

      await page.getByRole("button", { name: "Account" }).click();
      await page.getByText("The server does not answer").waitFor();
      await page.keyboard.press("Control+K");
      expect(await page.getByRole("heading", { level: 1, name: "Overview" }).isVisible()).toBe(true);
      expect(await accessFaults(page)).toEqual([]);

      await using _again = await startServer(folder.path, { env: { PLATFORM_PORT: String(first.port) } });
      await page.getByText("The server does not answer").waitFor({ state: "detached" });
      await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Account" }).click()]);
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).waitFor();
    },
    browserMissing,
  );

  executableTest(
    "the keyboard's first stop is the way past the navigation",
    async () => {
      using folder = temporaryFolder();
      await using _server = await startServer(folder.path);
      await using browser = await openBrowser();
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page } = opened;
      await settled(page);
      await page.keyboard.press("Tab");
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to content");
      await page.keyboard.press("Enter");
      expect(await page.evaluate(() => document.activeElement?.id)).toBe("main");
    },
    browserMissing,
  );

  executableTest(
    "after signing out where no sign-in is needed, the page offers to continue without one",
    async () => {
      using folder = temporaryFolder();
      await using _server = await startServer(folder.path);
      await using browser = await openBrowser();
      await using opened = await visit(browser, await consoleLink(folder.path, {}));
      const { page } = opened;
      await settled(page);
      await page.getByRole("button", { name: "Account" }).click();
      await page.getByRole("menuitem", { name: "Sign out" }).click();
      await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
      expect(await accessFaults(page)).toEqual([]);
      await keepScreenshot(page, "signed-out");
      await page.getByRole("button", { name: "Open Studio" }).click();
      await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    },
    browserMissing,
  );
});
