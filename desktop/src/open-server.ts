import { attachServer } from "./attach.ts";
import { loginPath } from "./login-path.ts";
import type { Settings } from "./settings.ts";
import { minimalEnvironment, runCommand, type Sidecar, startSidecar, type Timer } from "./sidecar.ts";

export interface OpenServerParts {
  command: readonly [string, ...string[]];
  /** The environment of the app. */
  environment: Readonly<Record<string, string | undefined>>;
  platform: NodeJS.Platform;
  timer: Timer;
  logFile: string;
  /** Gives the start up. */
  signal: AbortSignal;
  settings: () => Settings;
  /** Asks whether these programs of a workspace may run. */
  askTrust: (workspace: string, programs: readonly string[]) => Promise<boolean>;
}

/** Returns a function that attaches to the server of a workspace, or starts one. It returns undefined if the start was given up. */
export function serverOpener(parts: OpenServerParts): (workspace: string) => Promise<Sidecar | undefined> {
  const { command, platform, timer, logFile, signal, settings } = parts;
  let path: Promise<string> | undefined;
  return async (workspace) => {
    const environment = minimalEnvironment(parts.environment, settings().variables);
    path ??= loginPath({ environment, platform, timer });
    if (environment.PATH !== undefined) environment.PATH = await path;
    const commands = { command, environment, timer };
    const attached = await attachServer(commands, workspace);
    if (attached !== undefined) return attached;
    await offerTrust(workspace);
    if (signal.aborted) return undefined;
    const { server } = settings();
    return startSidecar({ ...commands, workspace, logFile, signal, ...(server && { server }) });

    /** Asks whether the programs of a workspace from elsewhere may run. Without a yes, its server starts without them. */
    async function offerTrust(workspace: string): Promise<void> {
      const { trusted, programs } = await runCommand(commands, ["trust", "--check", "--json", workspace]);
      if (trusted === true || !Array.isArray(programs) || programs.length === 0) return;
      if (settings().declined.includes(workspace)) return;
      if (await parts.askTrust(workspace, programs.map(String)))
        await runCommand(commands, ["trust", "--json", workspace]);
    }
  };
}
