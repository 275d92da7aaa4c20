import { join } from "node:path";

/**
 * Returns the app's own folder on Windows, where names differ by more than case: the command line keeps its files in `argosy`, which would be
 * Electron's choice as well. Undefined elsewhere: Electron's choice stays.
 */
export const userDataFolder = (platform: NodeJS.Platform, appData: string): string | undefined =>
  platform === "win32" ? join(appData, "Argosy Desktop") : undefined;

/** Returns the name of the tray's icon. macOS paints a template itself: black in a light bar, white in a dark one. */
export const trayIcon = (platform: NodeJS.Platform): string =>
  platform === "darwin" ? "trayTemplate.png" : "tray.png";

interface ProgramParts {
  isPackaged: boolean;
  /** Folder of a package's extra resources. */
  resourcesPath: string;
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
}

/**
 * Returns the command of the executable: the one in the package. From source, ARGOSY_PROGRAM names another; a package ignores it, because
 * whoever sets a variable would choose what the app runs.
 */
export function program({ isPackaged, resourcesPath, environment, platform }: ProgramParts): [string] {
  const name = platform === "win32" ? "argosy.exe" : "argosy";
  if (isPackaged) return [join(resourcesPath, "bin", name)];
  return [environment.ARGOSY_PROGRAM || join(import.meta.dirname, "../../dist", name)];
}
