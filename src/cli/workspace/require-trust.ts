import type { Config } from "../../compose/settings/config.ts";
import { AppError } from "../../kit/app-error.ts";
import type { CommandCall } from "../call.ts";
import { askYesNo, canAsk } from "../terminal/ask.ts";
import { paint } from "../terminal/paint.ts";
import { counted } from "../terminal/table.ts";

const shownMax = 10;

/**
 * Asks once whether the programs of a workspace from elsewhere may run and its files get variables, and remembers a yes. Returns false if they may not. Asks nothing if
 * there are none, or if the workspace is trusted.
 */
export async function offerTrust(
  { shell, screen }: CommandCall,
  config: Config,
  options: { unlessServed?: boolean } = {},
): Promise<boolean> {
  const programs = await shell.parts.untrustedPrograms(config, options);
  if (programs.length === 0) return true;
  if (!canAsk(shell)) return false;
  screen.say(paint("yellow", "This workspace was not made on this machine:"), ` ${config.workspace}`);
  screen.say("These files start programs with your rights, or get variables of your environment:");
  for (const file of programs.slice(0, shownMax)) screen.say(`  ${file}`);
  if (programs.length > shownMax) screen.say(`  … and ${counted(programs.length - shownMax, "more file")}`);
  if (!(await askYesNo(shell, "Do you trust this workspace?"))) return false;
  await shell.parts.trustWorkspace(config.workspace);
  return true;
}

/** Like `offerTrust`, for commands whose work needs the programs, unless a running server does it. Throws AppError `workspace_untrusted` if the programs may not run. */
export async function requireTrust(
  call: CommandCall,
  config: Config,
  { unlessServed = true } = {},
): Promise<void> {
  if (await offerTrust(call, config, { unlessServed })) return;
  throw new AppError(
    "forbidden",
    "workspace_untrusted",
    `The workspace ${config.workspace} has programs, or uses your variables, and is not trusted on this machine. Nothing was run.`,
    {
      details: {
        hint: `Look at the files that \`argosy trust --check\` lists. Then run \`argosy trust ${config.workspace}\`, or repeat the call with --trust.`,
      },
    },
  );
}
