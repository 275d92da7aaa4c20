import { homedir, userInfo } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { isExecutable } from "../../compose/child-command.ts";
import { AppError } from "../../kit/app-error.ts";

/** The machine and the user that a program is installed for. */
export interface InstallUser {
  platform: NodeJS.Platform;
  /** True for root, who installs for everyone. */
  isRoot: boolean;
  home: string;
  /** The user's login name, for systemd's hint about lingering. */
  name: string;
  variable(name: string): string | undefined;
}

/** The folders of one installation. */
export interface InstallPlace {
  /** The path of the executable. */
  program: string;
  folder: string;
  /** The parent of shell completion and man page: `share` of /usr/local or of the home. */
  share: string;
}

/** Returns this process's user. */
export function thisUser(variable: InstallUser["variable"]): InstallUser {
  const home = variable("HOME");
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    home: home === undefined || home === "" ? homedir() : home,
    name: userInfo().username,
    variable,
  };
}

/** Returns the running executable's path. From source, nothing can be installed. */
export function runningExecutable(): string {
  if (!isExecutable)
    throw new AppError(
      "conflict",
      "not_an_executable",
      "Argosy runs from source, so there is no executable to install.",
      {
        details: { hint: "Build it with `scripts/build`, then run `dist/argosy install`." },
      },
    );
  return process.execPath;
}

/** Returns the places for `--to` (relative to `from`), or the usual ones: /usr/local for root, otherwise the user's own folders. */
export function installPlace(user: InstallUser, to: string | undefined, from: string): InstallPlace {
  const isWindows = user.platform === "win32";
  const folder = to === undefined ? usualFolder(user) : resolve(from, to);
  const share = user.isRoot
    ? "/usr/local/share"
    : (given(user, "XDG_DATA_HOME") ?? join(user.home, ".local/share"));
  return { folder, share, program: join(folder, isWindows ? "argosy.exe" : "argosy") };
}

function usualFolder(user: InstallUser): string {
  if (user.platform === "win32")
    return join(given(user, "LOCALAPPDATA") ?? join(user.home, "AppData/Local"), "Programs", "argosy");
  return user.isRoot ? "/usr/local/bin" : join(user.home, ".local/bin");
}

/** Returns a variable's value; XDG's specification ignores paths that are not absolute. */
function given(user: InstallUser, name: string): string | undefined {
  const value = user.variable(name);
  return value === undefined || value === "" || resolve(value) !== value.replace(/(.)\/+$/, "$1")
    ? undefined
    : value;
}

/** Returns the folders on the user's PATH, in order. */
export function pathFolders(user: InstallUser): string[] {
  return (user.variable("PATH") ?? "")
    .split(delimiter)
    .filter((folder) => folder !== "")
    .map((folder) => resolve(folder));
}

/** Returns the line that puts a folder on the PATH and the file it belongs in, by the user's shell. */
export function pathAdvice(user: InstallUser, folder: string): string {
  if (user.platform === "win32")
    return `Add it in PowerShell: [Environment]::SetEnvironmentVariable("Path", $env:Path + ";${folder}", "User")`;
  const shell = (user.variable("SHELL") ?? "").split("/").at(-1) ?? "";
  if (shell === "fish") return `Add it: fish_add_path ${shellQuoted(folder)}`;
  const file = shell === "zsh" ? "~/.zshrc" : shell === "bash" ? "~/.bashrc" : "~/.profile";
  return `Add it: echo 'export PATH=${doubleQuoted(folder)}' >> ${file}, then open a new terminal.`;
}

const shellQuoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a folder for `export PATH="…:$PATH"` inside single quotes. */
const doubleQuoted = (folder: string): string =>
  `"${folder.replaceAll(/["\\$`]/g, "\\$&").replaceAll("'", "'\\''")}:$PATH"`;
