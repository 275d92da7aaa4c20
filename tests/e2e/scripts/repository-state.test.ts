import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { drawTenth } from "../../../scripts/testing/campaign-tenth.ts";
import { changedFiles } from "../../../scripts/testing/changed-files.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const gitMissing = Bun.which("git") === null ? "git not installed" : undefined;

function repository() {
  const folder = temporaryFolder();
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    const { success, stdout, stderr } = Bun.spawnSync(["git", "-C", folder.path, ...identity, ...args]);
    if (!success) throw new Error(stderr.toString());
    return stdout.toString().trim();
  };
  git("init", "-q", "-b", "main");
  const write = (name: string, text = name) => writeFileSync(join(folder.path, name), text);
  const commit = (name: string) => {
    write(name);
    git("add", "-A");
    git("commit", "-q", "-m", name);
  };
  return { path: folder.path, git, write, commit, [Symbol.dispose]: () => folder[Symbol.dispose]() };
}

test.skipIf(gitMissing !== undefined)(
  `what differs from main is committed, changed or new; what main has since is not ${gitMissing ?? ""}`,
  () => {
    using here = repository();
    for (const name of ["kept", "edited", "left"]) here.commit(name);
    here.git("checkout", "-q", "-b", "topic");
    here.commit("committed");
    here.git("checkout", "-q", "main");
    here.commit("of main");
    here.git("checkout", "-q", "topic");
    here.write("edited", "otherwise");
    here.write("new");
    expect(changedFiles(here.path)).toEqual(["committed", "edited", "new"]);
    here.git("branch", "-q", "-m", "main", "trunk");
    expect(() => changedFiles(here.path)).toThrow("compares with the branch main, which is missing here");
  },
);

test.skipIf(gitMissing !== undefined)(
  `ten commits in a row draw ten parts; a shallow clone draws by the commit's hash ${gitMissing ?? ""}`,
  () => {
    using here = repository();
    const drawn = Array.from({ length: 10 }, (_, at) => {
      here.commit(`c${at}`);
      return drawTenth(here.path).part;
    });
    expect(drawn.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    using shallow = temporaryFolder();
    here.git("clone", "-q", "--depth", "1", `file://${here.path}`, shallow.path);
    const hash = here.git("rev-parse", "HEAD");
    expect(drawTenth(shallow.path)).toEqual({
      part: Number.parseInt(hash.slice(0, 8), 16) % 10,
      drawnBy: `commit ${hash.slice(0, 12)}`,
    });
    using none = temporaryFolder();
    expect(drawTenth(none.path)).toEqual({ part: 0, drawnBy: "no commit" });
  },
);
