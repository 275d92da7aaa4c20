/** The commit that a build is made from. */
export interface CurrentCommit {
  /** Its short hash, with `-dirty` if files differ from it; "" outside a git checkout. */
  commit: string;
  /** Its time in seconds; 0 outside a git checkout. */
  committedAt: number;
}

/** Files of which a change makes a build another one. */
const sources = ["src", "docs", "migrations", "package-lock.json"];

export async function currentCommit(root: string): Promise<CurrentCommit> {
  const git = async (...args: string[]) => {
    const child = Bun.spawn(["git", "-C", root, ...args], { stdio: ["ignore", "pipe", "ignore"] });
    const [output, status] = await Promise.all([new Response(child.stdout).text(), child.exited]);
    return status === 0 ? output.trim() : undefined;
  };
  const none = { commit: "", committedAt: 0 };
  if (!Bun.which("git")) return none;
  const [hash, time] = (await git("log", "-1", "--abbrev=12", "--format=%h %ct"))?.split(" ") ?? [];
  if (hash === undefined || hash === "") return none;
  const isDirty = await git("status", "--porcelain", "--untracked-files=no", "--", ...sources);
  return { commit: isDirty ? `${hash}-dirty` : hash, committedAt: Number(time) };
}
