import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ElectronApi } from "./electron-api.ts";

/** Starts the app at login, without its window. */
export interface LoginItem {
  isOn(): boolean;
  set(on: boolean): void;
}

export const hiddenFlag = "--hidden";

interface LoginItemOptions {
  app: Pick<ElectronApi["app"], "getPath" | "getLoginItemSettings" | "setLoginItemSettings">;
  platform: NodeJS.Platform;
  environment: Readonly<Record<string, string | undefined>>;
}

/** Electron knows macOS and Windows; on Linux the desktop starts what has an entry in the autostart folder. */
export function createLoginItem({ app, platform, environment }: LoginItemOptions): LoginItem {
  if (platform !== "linux") {
    return {
      isOn: () => app.getLoginItemSettings().openAtLogin,
      set: (on) => app.setLoginItemSettings({ openAtLogin: on, args: [hiddenFlag] }),
    };
  }
  const folder = join(environment.XDG_CONFIG_HOME || join(app.getPath("home"), ".config"), "autostart");
  const path = join(folder, "argosy.desktop");
  return {
    isOn: () => existsSync(path),
    set(on) {
      if (!on) return rmSync(path, { force: true });
      mkdirSync(folder, { recursive: true });
      // An AppImage runs from a folder that is gone after it ends; its variable names the file itself.
      writeFileSync(path, entry(environment.APPIMAGE || app.getPath("exe")));
    },
  };
}

const entry = (program: string) => `[Desktop Entry]
Type=Application
Name=Argosy
Exec=${quoted(program)} ${hiddenFlag}
Terminal=false
X-GNOME-Autostart-enabled=true
`;

/** Quotes an argument as the Desktop Entry Specification asks: backslashes once for the string and once for the argument. */
const quoted = (text: string) =>
  `"${text.replaceAll(/["`$\\]/g, (sign) => (sign === "\\" ? "\\\\\\\\" : `\\\\${sign}`)).replaceAll("%", "%%")}"`;
