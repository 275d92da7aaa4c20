import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildForTests } from "../../../scripts/testing/test-executable.ts";
import { writeTree } from "../../scripts/source-tree.ts";

test("the executable is built once for the same sources, and again after a change, without it, or over another build", async () => {
  const root = writeTree({
    "src/main.ts": "1",
    "docs/page.md": "",
    "tests/a.test.ts": "",
    "scripts/build":
      '#!/bin/sh\ncd "$(dirname "$0")/.." && mkdir -p dist && echo "$1" >> builds && cp src/main.ts dist/argosy\n',
  });
  const executable = join(root, "dist/argosy");
  const build = join(root, "scripts/build");
  chmodSync(build, 0o755);
  /** Returns how often this call builds. */
  const builds = async () => {
    rmSync(join(root, "builds"), { force: true });
    expect(await buildForTests(root)).toBe(executable);
    return existsSync(join(root, "builds")) ? readFileSync(join(root, "builds"), "utf8") : "";
  };
  expect(await builds()).toBe("--fast\n");
  expect(await builds()).toBe("");
  writeFileSync(join(root, "tests/a.test.ts"), "changed");
  expect(await builds()).toBe("");
  for (const source of ["src/main.ts", "docs/page.md", "src/new.ts"]) {
    writeFileSync(join(root, source), "changed");
    expect(await builds()).toBe("--fast\n");
  }
  writeFileSync(executable, "of another build");
  expect(await builds()).toBe("--fast\n");
  rmSync(executable);
  expect(await builds()).toBe("--fast\n");
  rmSync(join(root, "dist"), { recursive: true });
  expect(await builds()).toBe("--fast\n");
  writeFileSync(build, "#!/bin/sh\nexit 1\n");
  writeFileSync(join(root, "src/main.ts"), "broken");
  expect(await buildForTests(root)).toBeUndefined();
});
