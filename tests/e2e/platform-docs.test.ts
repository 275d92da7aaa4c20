import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { executable, executableTest, freePorts } from "../support/executable.ts";
import { freePort } from "../support/free-port.ts";
import { readToEnd } from "../support/read-to-end.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

const page = join(import.meta.dir, "../../docs/platform.md");

/** Returns the commands of a page, block by block, as a reader copies them. */
async function fencedCommands(path: string): Promise<string[]> {
  const text = await Bun.file(path).text();
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, commands = ""]) => commands);
}

// Every status of 400 and above, and every command that fails, ends the script.
const prelude = `set -euo pipefail
trap 'kill $(jobs -p) 2> /dev/null || true; wait' EXIT
# curl refuses --fail-with-body beside -f.
curl() { case " $* " in *" -sf "*) command curl "$@" ;; *) command curl --fail-with-body "$@" ;; esac; }
# A reader sees that the server has ended; a loop that waits for it would not.
sleep() { [ -n "$(jobs -r)" ] || { echo "The server has ended." >&2; exit 1; }; command sleep "$@"; }
`;

executableTest("every command of docs/platform.md does what it says, one after the other", async () => {
  using folder = temporaryFolder();
  const blocks = await fencedCommands(page);
  expect(blocks.length).toBeGreaterThanOrEqual(5);
  const port = freePort();
  const marked = blocks.map((block, index) => `echo "--- block ${index}"\n${block}`).join("\n");
  const script = join(folder.path, "commands.sh");
  writeFileSync(script, prelude + marked.replaceAll("127.0.0.1:8080", `127.0.0.1:${port}`));
  writeFileSync(join(folder.path, "argosy"), `#!/bin/sh\nexec ${executable} "$@"\n`, { mode: 0o755 });
  const child = Bun.spawn(["bash", script], {
    cwd: folder.path,
    env: {
      PATH: `${folder.path}:/usr/bin:/bin`,
      HOME: folder.path,
      PLATFORM_AUTO_CONFIG: "true",
      ...freePorts,
      ARGOSY_PLATFORM_PORT: String(port),
    },
    stdout: "pipe",
    stderr: "pipe",
  });
  const { stdout, stderr, code } = await readToEnd(child);
  expect([code, stdout.slice(-2000), stderr.slice(-2000)]).toEqual([0, expect.anything(), expect.anything()]);
  expect(stdout).toContain(`--- block ${blocks.length - 1}`);
  // The runs of the walkthrough are priced and answered.
  expect(stdout).toContain('"pricing_status":"priced"');
  expect(stdout).not.toContain("budget_exhausted");
  expect(stdout).toContain('data: {"type":"done"');
});
