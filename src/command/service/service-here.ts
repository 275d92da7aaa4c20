import { chownSync, mkdirSync, statSync } from "node:fs";
import type { Config } from "../../compose/settings/config.ts";
import { AppError } from "../../kit/app-error.ts";
import { type InstallUser, runningExecutable, thisUser } from "../install/install-place.ts";
import { type InstalledService, installService, serviceStatus, uninstallService } from "./manage-service.ts";
import {
  printingManager,
  type RunProgram,
  type ServiceManager,
  type ServiceState,
  serviceManager,
} from "./service-manager.ts";
import type { ServiceSpec } from "./systemd-unit.ts";

export interface ServiceRequest {
  /** The account that root's service runs as. */
  account: string;
  force: boolean;
}

type Folders = Pick<Config, "workspace" | "dataFolder">;
type Variable = InstallUser["variable"];

const uidHere = () => process.getuid?.() ?? 0;

/** Returns the file that `installHere` would write. */
export function printService(
  config: Folders,
  { account }: Pick<ServiceRequest, "account">,
  variable: Variable,
): string {
  const user = thisUser(variable);
  const manager = printingManager(user, uidHere());
  return manager.render(specOf(config, manager, user.isRoot ? account : undefined));
}

/** Installs the running executable as a service: for root one of the system, otherwise one of the user's session. */
export async function installServiceHere(
  config: Folders,
  { account, force }: ServiceRequest,
  variable: Variable,
): Promise<InstalledService & { advice: string[] }> {
  runningExecutable();
  const user = thisUser(variable);
  const manager = serviceManager(user, uidHere());
  if (user.isRoot) await giveFolders(config, account);
  const spec = specOf(config, manager, user.isRoot ? account : undefined);
  const installed = await installService(manager, spec, runProgram, { force });
  const isOfSession = manager.name === "systemd" && !user.isRoot;
  return {
    ...installed,
    advice: isOfSession
      ? [
          `It stops when you log out. To keep it running from the start of the machine: sudo loginctl enable-linger ${user.name}`,
        ]
      : [],
  };
}

export async function uninstallServiceHere(variable: Variable): Promise<{ removed: string }> {
  runningExecutable();
  return uninstallService(serviceManager(thisUser(variable), uidHere()), runProgram);
}

export async function serviceStatusHere(
  variable: Variable,
): Promise<ServiceState & Pick<ServiceManager, "file" | "log">> {
  const manager = serviceManager(thisUser(variable), uidHere());
  return { ...(await serviceStatus(manager, runProgram)), file: manager.file, log: manager.log };
}

function specOf(
  { workspace, dataFolder }: Folders,
  manager: ServiceManager,
  account: string | undefined,
): ServiceSpec {
  return {
    executable: process.execPath,
    workspace,
    dataFolder,
    environmentFile: manager.environmentFile,
    account,
  };
}

/** Makes sure that the account exists and owns the data folder; creates the folder if it is missing. */
async function giveFolders({ dataFolder }: Folders, account: string): Promise<void> {
  const result = await runProgram(["id", "-u", "--", account]);
  const uid = Number(result.stdout.trim());
  if (result.code !== 0 || !Number.isSafeInteger(uid))
    throw new AppError("not_found", "account_not_found", `This machine has no account named ${account}.`, {
      details: {
        hint: `Create it with \`useradd --system --user-group --no-create-home ${account}\`, or name another one with --account.`,
      },
    });
  const there = statSync(dataFolder, { throwIfNoEntry: false });
  if (there === undefined) {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    chownSync(dataFolder, uid, Number((await runProgram(["id", "-g", "--", account])).stdout.trim()));
  } else if (there.uid !== uid)
    throw new AppError(
      "conflict",
      "data_folder_of_another",
      `The data folder ${dataFolder} does not belong to ${account}.`,
      {
        details: {
          hint: `Give it away with \`chown -R ${account}: ${dataFolder}\`, or choose another folder with --data.`,
        },
      },
    );
}

const runProgram: RunProgram = async (command) => {
  try {
    const child = Bun.spawn([...command], { stdio: ["ignore", "pipe", "pipe"] });
    const [stdout, stderr, code] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
      child.exited,
    ]);
    return { code, stdout, stderr };
  } catch {
    return { code: 127, stdout: "", stderr: `${command[0]} is not installed` };
  }
};
