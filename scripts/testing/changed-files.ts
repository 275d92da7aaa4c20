/** Returns the files that differ from where this branch left `main`: committed, in the working tree, and new ones. Throws without git or `main`. */
export function changedFiles(root: string): string[] {
  const git = (...args: string[]) => {
    const { success, stdout, stderr } = Bun.spawnSync(["git", "-C", root, ...args], { stdin: "ignore" });
    if (!success) throw new Error(`git ${args.join(" ")}: ${stderr.toString().trim()}`);
    return stdout.toString().split("\0").filter(Boolean);
  };
  const isBranch = (name: string) =>
    Bun.spawnSync(["git", "-C", root, "rev-parse", "--quiet", "--verify", `${name}^{commit}`]).success;
  const main = ["main", "origin/main"].find(isBranch);
  if (main === undefined)
    throw new Error("scripts/test --changed compares with a branch main, which this repository lacks.");
  const [base = main] = git("merge-base", main, "HEAD").map((line) => line.trim());
  const tracked = git("diff", "--name-only", "-z", base);
  const added = git("ls-files", "--others", "--exclude-standard", "-z");
  return [...new Set([...tracked, ...added])].sort();
}
