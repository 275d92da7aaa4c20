import { installPlace, pathAdvice, runningExecutable, thisUser } from "./install-place.ts";
import {
  type Installed,
  installProgram,
  type ProgramTexts,
  type Uninstalled,
  uninstallProgram,
} from "./install-program.ts";

export interface InstallHere {
  /** The folder of `--to`, or undefined for the usual one. */
  to: string | undefined;
  /** The folder that `to` is relative to. */
  from: string;
  force: boolean;
  version: string;
  texts: ProgramTexts;
}

/** Installs the running executable for this user, and says what is left to do. */
export async function installHere(
  { to, from, ...request }: InstallHere,
  variable: (name: string) => string | undefined,
): Promise<Installed & { advice: string[] }> {
  const executable = runningExecutable();
  const user = thisUser(variable);
  const place = installPlace(user, to, from);
  const installed = await installProgram(user, { ...request, executable, place });
  const advice: string[] = [];
  if (!installed.on_path)
    advice.push(`${place.folder} is not on your PATH. ${pathAdvice(user, place.folder)}`);
  if (installed.shadowed_by !== null)
    advice.push(
      installed.on_path
        ? `Your shell finds ${installed.shadowed_by} before it. Remove that file, or move ${place.folder} to the front of the PATH.`
        : `Until then, your shell finds ${installed.shadowed_by}.`,
    );
  const hasOwnZsh = (variable("SHELL") ?? "").endsWith("/zsh") && !user.isRoot;
  if (hasOwnZsh)
    advice.push(
      `For completion in zsh, add this before compinit in ~/.zshrc: fpath=(${place.share}/zsh/site-functions $fpath)`,
    );
  if (advice.length === 0) advice.push("Start: argosy init ~/desk");
  return { ...installed, advice };
}

/** Removes what `installHere` wrote for this user. */
export function uninstallHere(variable: (name: string) => string | undefined): Uninstalled {
  runningExecutable();
  const user = thisUser(variable);
  return uninstallProgram(user, installPlace(user, undefined, "/"));
}
