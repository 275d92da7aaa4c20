import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Config } from "../compose/settings/config.ts";
import { asFlag } from "../compose/settings/setting.ts";
import {
  type TrustedFolder,
  type TrustedFolders,
  trustedFolders,
} from "../compose/settings/trust/trusted-folders.ts";
import { AppError } from "../kit/app-error.ts";
import { systemClock } from "../kit/clock.ts";
import { agentFiles } from "../services/daemon/agents/agent-folder.ts";
import { skillScripts } from "../services/daemon/skills/skill-files.ts";
import { ownToolPaths } from "../services/daemon/tools/own-tool-files.ts";
import { findServer } from "./reach.ts";
import { variableFiles } from "./variable-files.ts";

type Variable = (name: string) => string | undefined;

/** What this machine's user has said about a workspace. */
export interface WorkspaceTrust {
  /** Its real path. */
  workspace: string;
  trusted: boolean;
  /** Files that are programs, name some, or get variables of this user; relative to it. */
  programs: string[];
}

export const trustOf = (workspace: string, variable: Variable): WorkspaceTrust => ({
  workspace,
  trusted: asFlag(variable("ARGOSY_TRUST") ?? "") ?? trustedFolders(variable).has(workspace),
  programs: programFiles(workspace, variable),
});

/** Trusts a workspace from now on. */
export function trustWorkspace(workspace: string, variable: Variable): WorkspaceTrust {
  const folders = trustedFolders(variable);
  const real = changing(folders, () => folders.add(workspace, systemClock.now()));
  return { workspace: real, trusted: true, programs: programFiles(real, variable) };
}

/** Returns false if the workspace wasn't trusted. */
export function distrustWorkspace(workspace: string, variable: Variable): boolean {
  const folders = trustedFolders(variable);
  return changing(folders, () => folders.remove(workspace));
}

export const trustedWorkspaces = (variable: Variable): TrustedFolder[] => trustedFolders(variable).list();

/** Returns the programs of a workspace that is not trusted; none if `unlessServed` and a running server does the work. */
export async function untrustedPrograms(
  config: Pick<Config, "programs" | "workspace" | "variable" | "dataFolder">,
  { unlessServed = false } = {},
): Promise<string[]> {
  if (config.programs.refusal() === undefined) return [];
  const isWithheld = config.programs.withholding() !== undefined;
  const programs = programFiles(config.workspace, isWithheld ? config.variable : undefined);
  const isServed = unlessServed && programs.length > 0 && (await findServer(config, "daemon")) !== undefined;
  return isServed ? [] : programs;
}

/**
 * Returns the files of a workspace that need its trust, relative to it: programs, agents that name some, and files that get variables of this
 * user by `variable`, if it is given. What a file hides is refused when it is used.
 */
export function programFiles(workspace: string, variable: Variable | undefined): string[] {
  const naming = agentFiles(join(workspace, "agents")).filter((path) => /\bstdio\b/i.test(textOf(path)));
  const files = new Set([
    ...ownToolPaths(workspace),
    ...skillScripts(workspace),
    ...naming,
    ...(variable === undefined ? [] : variableFiles(workspace, (name) => Boolean(variable(name)))),
  ]);
  return [...files].map((path) => relative(workspace, path)).sort();
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function changing<T>({ file }: TrustedFolders, change: () => T): T {
  try {
    return change();
  } catch (cause) {
    throw new AppError("unavailable", "trust_not_stored", `${file} can't be written.`, {
      cause,
      details: { hint: "Trust the workspace for single calls with --trust, or with ARGOSY_TRUST=true." },
    });
  }
}
