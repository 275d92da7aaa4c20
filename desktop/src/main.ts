import { existsSync } from "node:fs";
import { join } from "node:path";
import * as electron from "electron";
import { run } from "./app.ts";
import { program, trayIcon, userDataFolder } from "./program.ts";

// `__dirname` would be the folder of the machine that built this file.
const folder = import.meta.dirname;
const { resourcesPath, env, argv, platform } = process as NodeJS.Process & { resourcesPath: string };

async function start(): Promise<void> {
  const userData = userDataFolder(platform, electron.app.getPath("appData"));
  if (userData !== undefined) electron.app.setPath("userData", userData);
  const hasFeed = electron.app.isPackaged && existsSync(join(resourcesPath, "app-update.yml"));
  const updater = hasFeed ? (await import("electron-updater")).default.autoUpdater : undefined;
  await run(electron, {
    command: program({ isPackaged: electron.app.isPackaged, resourcesPath, environment: env, platform }),
    argv,
    environment: env,
    platform,
    preload: join(folder, "preload.cjs"),
    icon: join(folder, "icon.png"),
    trayIcon: join(folder, trayIcon(platform)),
    timer(ms, fire) {
      const handle = setTimeout(fire, ms);
      return () => clearTimeout(handle);
    },
    ...(updater && { updater }),
  });
}

start().catch((thrown) => {
  electron.dialog.showErrorBox(
    "Argosy could not start",
    thrown instanceof Error ? thrown.message : String(thrown),
  );
  electron.app.exit(1);
});
