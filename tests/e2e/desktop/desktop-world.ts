import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AppOptions, run } from "../../../desktop/src/app.ts";
import type { Timer } from "../../../desktop/src/sidecar.ts";
import { program } from "../../support/program.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { type FakeElectronOptions, fakeElectron } from "./fake-electron.ts";

export const systemTimer: Timer = (ms, fire) => {
  const handle = setTimeout(fire, ms);
  return () => clearTimeout(handle);
};

export const command = program as readonly [string, ...string[]];

const settings = temporaryFolder();
process.on("exit", () => settings[Symbol.dispose]());

/** The environment of a person's session, without model servers that may run on this machine. */
export const environment = {
  PATH: process.env.PATH ?? "",
  HOME: settings.path,
  PLATFORM_AUTO_CONFIG: "false",
};

/** A home with an empty workspace, which serves the daemon alone. */
export function desktopHome() {
  const folder = temporaryFolder();
  const workspace = join(folder.path, "desk");
  mkdirSync(join(workspace, "agents"), { recursive: true });
  const off = ["platform", "gateway", "cloud", "translator"].map((name) => [name, { enabled: false }]);
  const runtime = { spec: { services: Object.fromEntries(off) } };
  writeFileSync(join(workspace, "runtime.yaml"), JSON.stringify(runtime));
  return Object.assign(folder, { workspace, userData: join(folder.path, "app") });
}

/** Settings of the app with this workspace as the last one. */
export function remember(userData: string, settings: object): void {
  mkdirSync(userData, { recursive: true });
  writeFileSync(
    join(userData, "settings.json"),
    JSON.stringify({ variables: ["PLATFORM_AUTO_CONFIG"], ...settings }),
  );
}

/** Runs the app over the real server, until the end of the `await using` block. */
export function startApp(fake: FakeElectronOptions, options: Partial<AppOptions> = {}) {
  const electron = fakeElectron(fake);
  const ran = run(electron.api, {
    command,
    argv: ["argosy-desktop"],
    environment,
    platform: "linux",
    preload: "/app/preload.cjs",
    icon: "/app/icon.png",
    trayIcon: "/app/tray.png",
    timer: systemTimer,
    ...options,
  });
  return {
    ...electron,
    ran,
    window: () => {
      const [window] = electron.windows;
      if (window === undefined) throw new Error("There is no window.");
      return window;
    },
    /** Last page that the window was sent to. */
    page: () => new URL(electron.windows[0]?.loaded.at(-1) ?? "about:blank"),
    async [Symbol.asyncDispose]() {
      electron.api.app.quit();
      await electron.until(() => electron.quits() > 0);
    },
  };
}
