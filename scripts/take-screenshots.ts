/**
 * Writes docs/console.png: the playground of a new workspace after one answer. Needs Chromium, and dist/argosy from `scripts/build`.
 */
import { join } from "node:path";
import { browserMissing, openBrowser, visit } from "../tests/support/browser.ts";
import { consoleLink } from "../tests/support/console-world.ts";
import { argosy, startServer } from "../tests/support/executable.ts";
import { temporaryFolder } from "../tests/support/temp-folder.ts";

if (browserMissing !== undefined)
  throw new Error(`${browserMissing}: install it (Debian: apt-get install chromium).`);

using folder = temporaryFolder();
await argosy(folder.path, ["init"]);
await using _server = await startServer(folder.path, { services: ["daemon", "platform"] });
await using browser = await openBrowser();
await using opened = await visit(browser, await consoleLink(folder.path, {}), {
  viewport: { width: 1280, height: 720 },
});
const { page } = opened;
await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
await page.getByRole("link", { name: "Playground", exact: true }).first().click();
await page.getByLabel("Your question").fill("What time is it in Tokyo?");
await page.keyboard.press("Control+Enter");
const answer = page.getByRole("article");
await answer.getByText("Asia/Tokyo").first().waitFor();
await answer.getByRole("link", { name: "Trace" }).waitFor();
await page.screenshot({ path: join(import.meta.dir, "../docs/console.png") });
