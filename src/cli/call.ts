import type { Command } from "commander";
import type { ReachedDaemon } from "../command/parts.ts";
import { type Config, type ConfigFlags, requireSound } from "../compose/settings/config.ts";
import { AppError } from "../kit/app-error.ts";
import { silentLogger } from "../kit/log.ts";
import type { ExitCode } from "./exit-codes.ts";
import type { Screen } from "./terminal/screen.ts";
import type { Shell } from "./terminal/shell.ts";

/** The options that every command has. */
export interface GlobalOptions {
  workspace?: string;
  data?: string;
  trust?: boolean;
  json?: boolean;
  color: boolean;
  logLevel?: string;
}

/** One call of a command: its global options and the resources it may use. */
export interface CommandCall {
  shell: Shell;
  screen: Screen;
  options: GlobalOptions;
  /** Aborts at the first SIGINT or SIGTERM, and when no process reads our output any more. A second signal ends the process. */
  signal: AbortSignal;
}

/** Creates the call for a command and runs its work, from the options to the exit code. */
export type Perform = (command: Command, work: (call: CommandCall) => Promise<ExitCode>) => Promise<void>;

/** Like `readConfig`, for work of this process itself. Throws AppError if the configuration is not valid. */
export async function loadConfig(call: CommandCall, flags: ConfigFlags = {}): Promise<Config> {
  return requireSound(await readConfig(call, flags));
}

/**
 * Reads the configuration from flags, environment and workspace, for work that a running server does: its own configuration counts, so a
 * fault in this one matters only if no server runs.
 */
export function readConfig({ shell, options }: CommandCall, flags: ConfigFlags = {}): Promise<Config> {
  const { workspace, data, trust, logLevel } = options;
  return shell.parts.loadConfig({
    ...(workspace === undefined ? {} : { workspace }),
    ...(data === undefined ? {} : { data }),
    ...(trust === undefined ? {} : { trust }),
    ...(logLevel === undefined ? {} : { logLevel }),
    ...flags,
  });
}

interface DaemonUse {
  rehearse?: boolean;
  withOthers?: boolean;
  /** True for a command that runs agents, so that it needs the programs of the workspace. */
  runsAgents?: boolean;
  /** True to throw `no_server` if no server runs. */
  serverOnly?: boolean;
}

/** Connects `use` to the daemon of this data folder: the running server, or else one in this process. */
export async function withDaemon<T>(
  call: CommandCall,
  { withOthers = false, runsAgents = false, serverOnly = false, ...flags }: DaemonUse,
  use: (client: ReachedDaemon["client"], reached: Pick<ReachedDaemon, "via">) => Promise<T>,
): Promise<T> {
  const config = await readConfig(call, flags);
  if (runsAgents) await (await import("./workspace/require-trust.ts")).requireTrust(call, config);
  // A single command prints its answer, not a server's log; with a log level it prints both.
  const log = call.options.logLevel === undefined ? undefined : await call.shell.parts.createLogger(config);
  const daemon = await call.shell.parts.reach(config, log ?? silentLogger, {
    withOthers,
    runsAgents,
    serverOnly,
  });
  try {
    if (flags.rehearse === true && daemon.via === "server") throw rehearsalElsewhere();
    return await use(daemon.client, daemon);
  } finally {
    await daemon.close();
    log?.flush();
  }
}

/** Connects `use` to the daemon of the server that runs on the data folder. Throws AppError `no_server` if there is none. */
export const withServer = <T>(
  call: CommandCall,
  use: (client: ReachedDaemon["client"]) => Promise<T>,
): Promise<T> => withDaemon(call, { serverOnly: true }, use);

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

/** Collects all pages of a list. */
export async function allPages<T>(
  page: (cursor: string | undefined) => Promise<{ items: readonly T[]; next?: string | undefined }>,
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | undefined;
  do {
    const { items, next } = await page(cursor);
    all.push(...items);
    if (next !== undefined && next === cursor)
      throw new AppError(
        "upstream_failed",
        "invalid_answer",
        "The server returned the same page of a list twice.",
      );
    cursor = next;
  } while (cursor !== undefined);
  return all;
}
