import { realpathSync } from "node:fs";
import { dirname } from "node:path";
import { systemClock } from "../../kit/clock.ts";
import { runningExecutable, thisUser } from "../install/install-place.ts";
import { isRecorded } from "../install/install-program.ts";
import { ownSource } from "./release-source.ts";
import { checkUpgrade, type Upgrade, type UpgradeParts, upgradeProgram } from "./upgrade-program.ts";

export interface UpgradeRequest {
  version: string;
  /** Looks, and changes nothing. */
  checkOnly: boolean;
}

const trialMs = 30_000;

/** Upgrades the running executable, and then its completion and man page if `argosy install` has written them. */
export async function upgradeHere(
  { version, checkOnly }: UpgradeRequest,
  variable: (name: string) => string | undefined,
): Promise<Upgrade> {
  const program = realpathSync(runningExecutable());
  const parts: UpgradeParts = {
    source: ownSource,
    version,
    program,
    platform: process.platform,
    clock: systemClock,
    fetch: (url, init) => fetch(url, init),
    versionOf: async (path) => {
      const version = (await answerOf(path, ["version", "--json"]))?.version;
      return typeof version === "string" ? version : undefined;
    },
  };
  if (checkOnly) {
    const { list, url, ...upgrade } = await checkUpgrade(parts);
    return upgrade;
  }
  const upgraded = await upgradeProgram(parts);
  if (upgraded.upgraded && isRecorded(thisUser(variable), program))
    await answerOf(program, ["install", "--json", "--to", dirname(program)]);
  return upgraded;
}

/** Returns the JSON document that a program prints; undefined if it fails. */
async function answerOf(program: string, args: string[]): Promise<Record<string, unknown> | undefined> {
  try {
    const child = Bun.spawn([program, ...args], {
      stdio: ["ignore", "pipe", "ignore"],
      timeout: trialMs,
      killSignal: "SIGKILL",
    });
    const [text, code] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    return code === 0 ? JSON.parse(text) : undefined;
  } catch {
    return undefined;
  }
}
