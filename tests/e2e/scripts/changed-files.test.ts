import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { changedFiles } from "../../../scripts/testing/changed-files.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const git = (folder: string, ...args: string[]) => {
  const who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "commit.gpgsign=false"];
  const done = Bun.spawnSync(["git", "-C", folder, ...who, ...args], { stdin: "ignore" });
  if (!done.success) throw new Error(done.stderr.toString());
};

/** Makes a repository whose branch `work` has one more commit than `trunk`. */
function repository(folder: string, trunk: string): void {
  git(folder, "init", "--quiet", `--initial-branch=${trunk}`);
  writeFileSync(join(folder, "old.ts"), "");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", "old");
  git(folder, "switch", "--quiet", "-c", "work");
  writeFileSync(join(folder, "committed.ts"), "");
  git(folder, "add", ".");
  git(folder, "commit", "--quiet", "-m", "work");
}

test("committed, changed and new files differ from main", () => {
  using folder = temporaryFolder();
  repository(folder.path, "main");
  writeFileSync(join(folder.path, "old.ts"), "1");
  writeFileSync(join(folder.path, "new file.ts"), "");
  expect(changedFiles(folder.path)).toEqual(["committed.ts", "new file.ts", "old.ts"]);
});

test("a folder without git is refused", () => {
  using folder = temporaryFolder();
  expect(() => changedFiles(folder.path)).toThrow("is not a git repository");
});

test("a repository without main is refused with the command that fetches it", () => {
  using folder = temporaryFolder();
  repository(folder.path, "trunk");
  expect(() => changedFiles(folder.path)).toThrow("git fetch origin main:main");
});

test("a shallow clone without a common commit is refused with the command that completes it", () => {
  using source = temporaryFolder();
  using clone = temporaryFolder();
  repository(source.path, "main");
  writeFileSync(join(source.path, "more.ts"), "");
  git(source.path, "switch", "--quiet", "main");
  git(source.path, "add", ".");
  git(source.path, "commit", "--quiet", "-m", "more");
  git(source.path, "switch", "--quiet", "work");
  const place = join(clone.path, "here");
  git(clone.path, "clone", "--quiet", "--depth", "1", "--no-single-branch", `file://${source.path}`, place);
  expect(() => changedFiles(place)).toThrow("git fetch --unshallow");
});
