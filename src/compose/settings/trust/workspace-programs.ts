import type { TrustedFolders } from "./trusted-folders.ts";

/**
 * Whether programs that a workspace brings may be started, which are stdio MCP servers and the files in `tools/`, and whether its files get
 * this user's variables.
 */
export interface WorkspacePrograms {
  /** Returns the reason why they may not, as the end of a sentence; undefined if they may. It follows `argosy trust` at once. */
  refusal(): string | undefined;
}

/** Returns the command that ends a refusal which a message holds; undefined if it holds none. */
export function mendOfTrust(message: string): string | undefined {
  return /, then run `(argosy trust [^`]+)`/.exec(message)?.[1];
}

/** `said`: whether the caller trusts the workspace for this process; undefined: as the list says. */
export function workspacePrograms(
  workspace: string,
  said: boolean | undefined,
  folders: Pick<TrustedFolders, "has">,
): WorkspacePrograms {
  return {
    refusal: () =>
      (said ?? folders.has(workspace))
        ? undefined
        : `the workspace is not trusted on this machine; look at its files, then run \`argosy trust ${workspace}\``,
  };
}
