import { spawn } from "node:child_process";
import { delimiter } from "node:path";
import type { Timer } from "./sidecar.ts";

export interface LoginPathParts {
  environment: Readonly<Record<string, string>>;
  platform: NodeJS.Platform;
  timer: Timer;
}

/** Around the value, because a profile may print whatever it likes. */
const mark = "__ARGOSY_PATH__";
const patienceMs = 5_000;
const outputMax = 100_000;

/**
 * Returns the PATH that a terminal has. A desktop starts programs with a shorter one, on which `npx` and `uvx` of an MCP server are not found.
 * Asks the person's shell; without a usable answer in 5 s, the PATH stays.
 */
export async function loginPath({ environment, platform, timer }: LoginPathParts): Promise<string> {
  const own = environment.PATH ?? "";
  const shell = environment.SHELL;
  if (platform === "win32" || shell === undefined || !shell.startsWith("/")) return own;
  const child = spawn(shell, ["-l", "-i", "-c", `printf '%s%s%s' ${mark} "$PATH" ${mark}`], {
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
    // An interactive shell without a terminal of its own would stop on one that it inherits.
    detached: true,
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text = (text + chunk).slice(-outputMax);
  });
  const late = Promise.withResolvers<void>();
  const cancel = timer(patienceMs, () => late.resolve());
  await Promise.race([
    new Promise<void>((resolve) => child.once("close", () => resolve()).once("error", () => resolve())),
    late.promise,
  ]);
  cancel();
  // Its programs as well: the group has the shell's id.
  if (child.pid !== undefined && child.exitCode === null) {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has just ended.
    }
  }
  child.stdout.destroy();
  return merged(text.split(mark)[1] ?? "", own);
}

/** Returns the folders of both, each once; the shell's come first. Only absolute ones. */
export function merged(first: string, second: string): string {
  const folders = [...first.split(delimiter), ...second.split(delimiter)];
  return [...new Set(folders.filter((folder) => folder.startsWith("/")))].join(delimiter);
}
