import type { TrustedFolders } from "./trusted-folders.ts";

/** Whether programs that a workspace brings may be started: stdio MCP servers and the files in `tools/`. */
export interface WorkspacePrograms {
  /** Returns the reason why they may not, as the end of a sentence; undefined if they may. It follows `argosy trust` at once. */
  refusal(): string | undefined;
}

/** `isTrusted`: the caller trusts the workspace for this process, whatever the list says. */
export function workspacePrograms(
  workspace: string,
  isTrusted: boolean,
  folders: Pick<TrustedFolders, "has">,
): WorkspacePrograms {
  return {
    refusal: () =>
      isTrusted || folders.has(workspace)
        ? undefined
        : `the workspace is not trusted on this machine; look at its programs, then run \`argosy trust ${workspace}\``,
  };
}
