import { Command } from "commander";
import { version } from "../../../package.json" with { type: "json" };
import type { CommandCall, Perform } from "../call.ts";
import { type ExitCode, exitCodes } from "../exit-codes.ts";

/** The commit that the executable was built from, set by scripts/build; "" if unknown. */
declare const BUILD_COMMIT: string | undefined;

const about = {
  version,
  commit: typeof BUILD_COMMIT === "string" ? BUILD_COMMIT : "",
  bun: Bun.version,
  platform: `${process.platform}-${process.arch}`,
};

/** Returns name, version and build facts on one line. */
export function versionLine(): string {
  const made = [about.commit, `bun ${about.bun}`, about.platform].filter((fact) => fact !== "");
  return `argosy ${about.version} (${made.join(", ")})`;
}

export const versionCommand = (perform: Perform) =>
  new Command("version")
    .description("print the version")
    .action((_options: object, command: Command) => perform(command, printVersion));

async function printVersion({ screen }: CommandCall): Promise<ExitCode> {
  if (screen.json) screen.document(about);
  else screen.print(versionLine());
  return exitCodes.ok;
}
