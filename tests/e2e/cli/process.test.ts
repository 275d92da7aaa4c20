import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { services } from "../../../src/compose/services.ts";
import { program } from "../../support/program.ts";
import { readToEnd } from "../../support/read-to-end.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

function start(folder: string, ...args: string[]) {
  return Bun.spawn([...program, ...args], {
    cwd: folder,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
}

/** Runs a script in a shell in which `argosy` is the program. */
function inShell(folder: string, script: string) {
  const child = Bun.spawn(
    ["bash", "-c", `argosy() { ${program.map((word) => `"${word}"`).join(" ")} "$@"; }; ${script}`],
    {
      cwd: folder,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  return readToEnd(child);
}

test("a stranger's first minute: init, run, traces", async () => {
  using folder = temporaryFolder();
  expect((await readToEnd(start(folder.path, "init"))).code).toBe(0);
  const run = await readToEnd(start(folder.path, "run", "assistant", "What time is it in Tokyo?"));
  expect(run).toMatchObject({
    code: 0,
    stderr: "simulated: no model was called\n",
  });
  expect(run.stdout).toContain("Asia/Tokyo");
  const traces = await readToEnd(start(folder.path, "traces", "--json"));
  expect(JSON.parse(traces.stdout).traces).toHaveLength(1);
});

test("commands reach the server that owns the data folder, and SIGTERM ends it with 0", async () => {
  using folder = temporaryFolder();
  await readToEnd(start(folder.path, "init"));
  const server = start(folder.path, "serve", "--port", "0", "--json");
  const { value } = await server.stdout.getReader().read();
  const url = expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(JSON.parse(new TextDecoder().decode(value)).services).toEqual(
    services.map(({ name }) => ({ name, url })),
  );
  const listed = await readToEnd(start(folder.path, "agents", "--json"));
  expect(JSON.parse(listed.stdout).agents).toHaveLength(1);
  // The server holds the folder, so this can only have come through its socket.
  expect((await readToEnd(start(folder.path, "secrets", "rotate", "--json"))).stdout).toContain(
    "data_folder_in_use",
  );
  server.kill("SIGTERM");
  expect(await server.exited).toBe(0);
});

test("a reader that leaves early is not an error", async () => {
  using folder = temporaryFolder();
  const script = `argosy schema agent | head -n 1; echo \${PIPESTATUS[0]}`;
  expect(await inShell(folder.path, script)).toEqual({ code: 0, stdout: "{\n0\n", stderr: "" });
});

test("output that is more than a pipe holds arrives whole", async () => {
  using folder = temporaryFolder();
  const names = Array.from({ length: 5000 }, (_, index) => `ARGOSY_TEST_${index}`);
  writeFileSync(join(folder.path, "x.rag.yaml"), `a: "${names.map((name) => `\${${name}}`).join(" ")}"`);
  const said = await inShell(folder.path, "argosy validate x.rag.yaml --json | cat");
  expect(said.stdout.length).toBeGreaterThan(200_000);
  expect(JSON.parse(said.stdout).files[0].variables).toHaveLength(5000);
});

// The first writes once, at its end; the others write while they work.
test
  .skipIf(process.platform !== "linux")
  .each([
    "argosy version",
    "argosy run assistant hello",
    "argosy run --stream assistant hello",
    "argosy run --no-stream --json assistant hello",
    "echo hello | argosy chat assistant",
  ])("output that is lost is a failure: %s", async (command) => {
  using folder = temporaryFolder();
  await readToEnd(start(folder.path, "init"));
  const said = await inShell(folder.path, `${command} > /dev/full`);
  expect(said.stderr).toContain("The output could not be written: ENOSPC");
  expect(said.code).toBe(1);
});

test("a folder in the place of stdin is the caller's fault", async () => {
  using folder = temporaryFolder();
  await readToEnd(start(folder.path, "init"));
  const said = await inShell(folder.path, "argosy run assistant --json < /tmp");
  expect(said.code).toBe(2);
  expect(JSON.parse(said.stdout)).toEqual({
    error: "usage",
    message: "The text on stdin can't be read (EISDIR).",
  });
});
