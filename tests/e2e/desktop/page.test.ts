import { expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { _electron } from "playwright-core";
import { buildApp } from "../../../desktop/build.ts";
import { browserMissing, openBrowser, visit } from "../../support/browser.ts";
import { settled } from "../../support/console-page.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { command, desktopHome, remember, startApp } from "./desktop-world.ts";

test.skipIf(browserMissing !== undefined)(
  `the window's page signs in by its link, at the page of a deep link, and stays signed in (${browserMissing ?? "Chromium"})`,
  async () => {
    using home = desktopHome();
    remember(home.userData, { recent: [home.workspace] });
    await using app = startApp({ userData: home.userData }, { argv: ["argosy", "argosy://approvals"] });
    await app.ran;
    await using browser = Object.assign(await openBrowser(), {
      [Symbol.asyncDispose]: async () => {},
    });
    try {
      await using opened = await visit(browser, app.page().href);
      const { page, complaints } = opened;
      await settled(page);
      await page.getByRole("heading", { level: 1, name: "Approvals" }).waitFor();
      expect(page.url()).not.toContain("#open=");
      app.app.emit("open-url", "argosy://models");
      await page.goto(app.page().href);
      await settled(page);
      await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
      expect(complaints).toEqual([]);
      // The link works once: another browser is not let in.
      const [first = ""] = app.window().loaded;
      await using stranger = await visit(browser, first);
      await stranger.page.getByText("This link was used before").first().waitFor();
    } finally {
      await browser.close();
    }
  },
  240_000,
);

/** Electron's program, if a person installed the packages of desktop/ with its binary. */
function electronProgram(): string | undefined {
  const load = createRequire(join(import.meta.dir, "../../../desktop/package.json"));
  try {
    const path: unknown = load("electron");
    return typeof path === "string" && existsSync(path) ? path : undefined;
  } catch {
    return undefined;
  }
}

const electron = electronProgram();

test.skipIf(electron === undefined)(
  "the app in real Electron shows the console, isolated, and its server ends with it (needs Electron's binary)",
  async () => {
    using home = desktopHome();
    using build = temporaryFolder();
    const userData = join(home.path, "config/argosy-desktop");
    remember(userData, { recent: [home.workspace] });
    await buildApp(build.path);
    const program = join(home.path, "argosy");
    const quoted = command.map((word) => `'${word}'`).join(" ");
    writeFileSync(program, `#!/bin/sh\nexec ${quoted} "$@"\n`, { mode: 0o755 });
    const app = await _electron.launch({
      executablePath: electron ?? "",
      args: ["--no-sandbox", `--user-data-dir=${userData}`, join(build.path, "main.mjs")],
      env: { ...process.env, ARGOSY_PROGRAM: program, XDG_CONFIG_HOME: join(home.path, "config") },
    });
    const window = await app.firstWindow();
    await window.getByRole("heading", { level: 1 }).waitFor();
    expect(await window.evaluate(() => typeof (globalThis as { require?: unknown }).require)).toBe(
      "undefined",
    );
    const info = await window.evaluate(() =>
      (globalThis as unknown as { desktop: { info(): Promise<object> } }).desktop.info(),
    );
    expect(info).toMatchObject({ platform: process.platform, workspace: home.workspace });
    const { origin } = new URL(window.url());
    await app.close();
    expect(await fetch(`${origin}/healthz`).catch(() => "gone")).toBe("gone");
  },
  240_000,
);
