import type { Command } from "commander";
import type { Config, ConfigFlags } from "../compose/config.ts";
import { AppError } from "../kit/app-error.ts";
import { silentLogger } from "../kit/log.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { ReachedDaemon } from "./parts.ts";
import type { Screen } from "./screen.ts";
import type { Shell } from "./shell.ts";

/** The options that every command has. */
export interface GlobalOptions {
  workspace?: string;
  data?: string;
  json?: boolean;
  color: boolean;
  logLevel?: string;
}

/** One call of a command: what it was asked for globally and what it may touch. */
export interface Call {
  shell: Shell;
  screen: Screen;
  options: GlobalOptions;
  /** Aborts at the first SIGINT or SIGTERM, and when nobody reads our output any more; a second signal ends the process. */
  signal: AbortSignal;
}

/** Makes the call for a command and does its work, from its options to the exit code. */
export type Perform = (command: Command, work: (call: Call) => Promise<ExitCode>) => Promise<void>;

/** The configuration that flags, environment and workspace make together; AppError when it is not valid. */
export function loadConfig({ shell, options }: Call, flags: ConfigFlags = {}): Promise<Config> {
  const { workspace, data, logLevel } = options;
  return shell.parts.loadConfig({
    ...(workspace === undefined ? {} : { workspace }),
    ...(data === undefined ? {} : { data }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...flags,
  });
}

/** Lets `use` talk to the daemon of this data folder: the running server, or else one put together in this process. */
export async function withDaemon<T>(
  call: Call,
  { withPlatform = false, ...flags }: { rehearse?: boolean; withPlatform?: boolean },
  use: (client: ReachedDaemon["client"], reached: Pick<ReachedDaemon, "via">) => Promise<T>,
): Promise<T> {
  const config = await loadConfig(call, flags);
  // Who runs one command wants its answer, not a server's log; whoever names a level wants both.
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  const daemon = await call.shell.parts.reach(config, log ?? silentLogger, { withPlatform });
  try {
    if (flags.rehearse === true && daemon.via === "server") throw rehearsalElsewhere();
    return await use(daemon.client, daemon);
  } finally {
    await daemon.close();
    log?.flush();
  }
}

function rehearsalElsewhere(): AppError {
  return new AppError(
    "conflict",
    "server_decides_rehearsal",
    "A server is running on this data folder, and --rehearse is set when a server starts.",
    {
      details: {
        hint: "Restart that server with `argosy serve --rehearse`, stop it, or use another folder with --data.",
      },
    },
  );
}
