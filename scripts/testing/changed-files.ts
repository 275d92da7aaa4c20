import { UsageError } from "./test-command.ts";

/** Returns the files that differ from where this branch left `main`: committed, in the working tree, and new ones. Throws `UsageError` without git or `main`. */
export function changedFiles(root: string): string[] {
  const run = (...args: string[]) => Bun.spawnSync(["git", "-C", root, ...args], { stdin: "ignore" });
  const git = (...args: string[]) => {
    const { success, stdout, stderr } = run(...args);
    if (!success) throw new UsageError(`git ${args.join(" ")}: ${stderr.toString().trim()}`);
    return stdout.toString().split("\0").filter(Boolean);
  };
  if (!run("rev-parse", "--git-dir").success)
    throw new UsageError(`scripts/test --changed compares with main, but ${root} is not a git repository.`);
  const isBranch = (name: string) => run("rev-parse", "--quiet", "--verify", `${name}^{commit}`).success;
  const main = ["main", "origin/main"].find(isBranch);
  if (main === undefined)
    throw new UsageError(
      "scripts/test --changed compares with the branch main, which is missing here. Fetch it: git fetch origin main:main",
    );
  const merged = run("merge-base", main, "HEAD");
  if (!merged.success) {
    const isShallow = run("rev-parse", "--is-shallow-repository").stdout.toString().trim() === "true";
    throw new UsageError(
      `scripts/test --changed found no common commit of ${main} and HEAD${isShallow ? ": this clone is shallow. Run: git fetch --unshallow" : "."}`,
    );
  }
  const base = merged.stdout.toString().trim();
  const tracked = git("diff", "--name-only", "-z", base);
  const added = git("ls-files", "--others", "--exclude-standard", "-z");
  return [...new Set([...tracked, ...added])].sort();
}
