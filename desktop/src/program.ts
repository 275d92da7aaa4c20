import { join } from "node:path";

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
