/** Part of the campaign tier that a commit runs. */
export interface CampaignTenth {
  /** From 0 to 9. */
  part: number;
  /** What the part was drawn by, for people. */
  drawnBy: string;
}

const parts = 10;

/**
 * Returns the part of a commit. With the whole history, it counts the commits, so that any ten in a row run all parts. A shallow clone lacks
 * the count, so the commit's hash decides there.
 */
export function drawTenth(root: string): CampaignTenth {
  const git = (...args: string[]) => {
    if (Bun.which("git") === null) return undefined;
    const { success, stdout } = Bun.spawnSync(["git", "-C", root, ...args], {
      stdin: "ignore",
      stderr: "ignore",
    });
    return success ? stdout.toString().trim() : undefined;
  };
  const hash = git("rev-parse", "HEAD");
  if (hash === undefined) return { part: 0, drawnBy: "no commit" };
  const count =
    git("rev-parse", "--is-shallow-repository") === "false" ? git("rev-list", "--count", "HEAD") : undefined;
  const drawnBy = `commit ${hash.slice(0, 12)}`;
  if (count !== undefined) return { part: Number(count) % parts, drawnBy: `${drawnBy}, number ${count}` };
  return { part: Number.parseInt(hash.slice(0, 8), 16) % parts, drawnBy };
}

/** Returns the files of a part: every tenth, so that the parts together are all files, each once. */
export const filesOfPart = (files: readonly string[], part: number): string[] =>
  files.filter((_, at) => at % parts === part);
