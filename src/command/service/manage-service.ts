import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../../kit/app-error.ts";
import { removeFile, replaceFile } from "../../storage/files/replace-file.ts";
import type { Ended, RunProgram, ServiceManager, ServiceState } from "./service-manager.ts";
import { generatedMark, type ServiceSpec } from "./systemd-unit.ts";

export interface InstalledService {
  manager: ServiceManager["name"];
  file: string;
  environment_file: string;
  /** False if the same service was there before; it was restarted. */
  is_new: boolean;
  log: string;
}

/** Writes the service's file, then lets the manager start it now and from then on. If a new service is refused, its file is removed. */
export async function installService(
  manager: ServiceManager,
  spec: ServiceSpec,
  run: RunProgram,
  { force }: { force: boolean },
): Promise<InstalledService> {
  const text = manager.render(spec);
  const previous = existsSync(manager.file) ? readFileSync(manager.file, "utf8") : undefined;
  if (previous !== undefined && !previous.includes(generatedMark) && !force)
    throw new AppError(
      "conflict",
      "service_file_taken",
      `${manager.file} exists, and \`argosy service install\` did not write it.`,
      {
        details: { hint: "Look at it; --force replaces it." },
      },
    );
  try {
    mkdirSync(dirname(manager.file), { recursive: true });
    replaceFile(manager.file, text, 0o644);
    writeEnvironmentFile(manager.environmentFile);
  } catch (thrown) {
    throw notWritable(thrown, manager.file);
  }
  try {
    for (const command of manager.start(previous !== undefined)) await runOrThrow(run, command);
  } catch (thrown) {
    // A file that was there before goes back, so that the next start is the one that worked.
    if (previous === undefined) removeFile(manager.file);
    else replaceFile(manager.file, previous, 0o644);
    for (const command of manager.forget) await run(command);
    throw thrown;
  }
  return {
    manager: manager.name,
    file: manager.file,
    environment_file: manager.environmentFile,
    is_new: previous === undefined,
    log: manager.log.replace("<data folder>", spec.dataFolder),
  };
}

/** Stops the service and removes its file. Its workspace, data and variables stay. */
export async function uninstallService(
  manager: ServiceManager,
  run: RunProgram,
): Promise<{ removed: string }> {
  if (!existsSync(manager.file)) throw notInstalled(manager);
  if (!readFileSync(manager.file, "utf8").includes(generatedMark))
    throw new AppError(
      "conflict",
      "service_file_taken",
      `\`argosy service install\` did not write ${manager.file}.`,
      {
        details: { hint: "Remove it by hand, or with the tool that installed it." },
      },
    );
  for (const command of manager.stop) await runOrThrow(run, command);
  try {
    removeFile(manager.file);
  } catch (thrown) {
    throw notWritable(thrown, manager.file);
  }
  for (const command of manager.forget) await runOrThrow(run, command);
  return { removed: manager.file };
}

export async function serviceStatus(manager: ServiceManager, run: RunProgram): Promise<ServiceState> {
  if (!existsSync(manager.file))
    return { installed: false, running: false, enabled: false, state: "not installed", pid: null };
  return { installed: true, ...manager.read(await run(manager.status)) };
}

const notInstalled = (manager: ServiceManager) =>
  new AppError(
    "not_found",
    "service_not_installed",
    `No service is installed: ${manager.file} does not exist.`,
    {
      details: {
        hint: "`argosy service install` installs one. System services are root's: use sudo for them.",
      },
    },
  );

async function runOrThrow(run: RunProgram, command: readonly string[]): Promise<Ended> {
  const ended = await run(command);
  if (ended.code === 0) return ended;
  const output = ended.stderr.trim() || ended.stdout.trim() || `it ended with status ${ended.code}`;
  throw new AppError("unprocessable", "service_manager_failed", `${command.join(" ")}: ${output}`, {
    details: {
      hint: command.includes("--user")
        ? "A user service needs a session of systemd: log in directly instead of with su or sudo, or install a system service as root."
        : "`journalctl -xe` (macOS: `log show --last 5m`) tells more.",
    },
  });
}

/** Creates the file of variables, for its owner only, if there is none. */
function writeEnvironmentFile(path: string): void {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  replaceFile(
    path,
    [
      "# Variables of the Argosy service, one NAME=value a line. Run `argosy service install` again after a change.",
      "#ARGOSY_HOST=0.0.0.0",
      "#PLATFORM_API_TOKEN=…",
      "#OPENAI_API_KEY=…",
      "",
    ].join("\n"),
    0o600,
  );
}

function notWritable(thrown: unknown, file: string): unknown {
  const { code, path } = thrown as NodeJS.ErrnoException;
  if (!["EACCES", "EPERM", "EROFS", "ENOSPC", "ENOTDIR"].includes(code ?? "")) return thrown;
  return new AppError("unprocessable", "place_not_writable", `${path ?? file} cannot be written (${code}).`, {
    details: { hint: "Free or unlock the folder, then run the command again." },
    cause: thrown,
  });
}
