/**
 * Whether programs that a workspace brings may be started, which are stdio MCP servers and the files in `tools/`, and whether its files get
 * this user's variables. A reason is the end of a sentence, and follows `argosy trust` at once.
 */
export interface WorkspacePrograms {
  /** Returns the reason why programs may not be started; undefined if they may. */
  refusal(): string | undefined;
  /**
   * Returns the reason why its files get no variables; undefined if they do. Without a terminal they do unless the caller distrusts the
   * workspace: whoever starts a process there has chosen its variables.
   */
  withholding(): string | undefined;
}

/** Returns the command that ends a refusal which a message holds; undefined if it holds none. */
export function fixOfTrust(message: string): string | undefined {
  return /, then run `(argosy trust [^`]+)`/.exec(message)?.[1];
}

interface Circumstances {
  /** Whether the caller trusts the workspace for this process; undefined: as the list says. */
  said: boolean | undefined;
  /** True if a person started this process on a terminal. */
  onTerminal: boolean;
}

export function workspacePrograms(
  workspace: string,
  folders: { has(folder: string): boolean },
  { said, onTerminal }: Circumstances,
): WorkspacePrograms {
  const refusal = () =>
    (said ?? folders.has(workspace))
      ? undefined
      : `the workspace is not trusted on this machine; look at its files, then run \`argosy trust ${workspace}\``;
  return {
    refusal,
    withholding: () => (said === undefined && !onTerminal ? undefined : refusal()),
  };
}
