import { expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minimalEnvironment, runCommand, startSidecar } from "../../../desktop/src/sidecar.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { command, desktopHome, environment, systemTimer } from "./desktop-world.ts";

const isAlive = (pid: number) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** Resolves when the process has ended; a test's own limit reports one that lives. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

const options = ({ workspace, path }: { workspace: string; path: string }) => ({
  command,
  workspace,
  environment,
  logFile: join(path, "logs/server.log"),
  timer: systemTimer,
});

/** A program that stands in for the executable. */
function script(folder: string, text: string): [string] {
  const path = join(folder, "program");
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
  return [path];
}

test("the server starts on a free port behind a token of its own, and stops", async () => {
  using home = desktopHome();
  const sidecar = await startSidecar(options(home));
  const agents = `${sidecar.urlOf("daemon")}/v1/agents`;
  expect(Buffer.from(sidecar.token, "base64url")).toHaveLength(32);
  expect((await fetch(agents)).status).toBe(401);
  expect((await fetch(agents, { headers: { authorization: `Bearer ${sidecar.token}` } })).status).toBe(200);
  expect(readFileSync(`/proc/${sidecar.pid}/cmdline`, "utf8")).not.toContain(sidecar.token);
  expect(readFileSync(join(home.path, "logs/server.log"), "utf8")).not.toContain(sidecar.token);
  await sidecar.stop();
  expect(await sidecar.ended).toEqual({ wanted: true, how: "exit code 0" });
  expect(isAlive(sidecar.pid)).toBe(false);
  await sidecar.stop();
});

test("each link to the console is another one, of this server", async () => {
  using home = desktopHome();
  const sidecar = await startSidecar(options(home));
  const [first, second] = [await sidecar.link(), await sidecar.link()];
  expect(first).toStartWith(`${sidecar.origin}/#open=`);
  expect(second).not.toBe(first);
  await sidecar.stop();
});

test("a server that dies tells so", async () => {
  using home = desktopHome();
  const sidecar = await startSidecar(options(home));
  process.kill(sidecar.pid, "SIGKILL");
  expect(await sidecar.ended).toEqual({ wanted: false, how: "signal SIGKILL" });
});

test("the server ends when the app is killed", async () => {
  using home = desktopHome();
  const parent = join(import.meta.dir, "fixtures/sidecar-parent.ts");
  const child = Bun.spawn(
    [process.execPath, parent, JSON.stringify({ ...options(home), timer: undefined })],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  let text = "";
  for await (const chunk of child.stdout) {
    text += new TextDecoder().decode(chunk);
    if (text.includes("\n")) break;
  }
  const pid = Number(text);
  expect(isAlive(pid)).toBe(true);
  child.kill("SIGKILL");
  await gone(pid);
  expect(readFileSync(join(home.path, "logs/server.log"), "utf8")).toContain("argosy.stopped");
});

test("an error of the server is the app's error, with its hint", async () => {
  using home = desktopHome();
  writeFileSync(join(home.workspace, "runtime.yaml"), "spec: { servces: {} }\n");
  const starting = startSidecar(options(home));
  expect(starting).rejects.toThrow(/servces/);
  await starting.catch(() => undefined);
});

test("a second server on the same workspace is refused by name", async () => {
  using home = desktopHome();
  const first = await startSidecar(options(home));
  const second = await startSidecar({ ...options(home), logFile: join(home.path, "second.log") }).catch(
    (thrown) => thrown,
  );
  expect(second.message).toContain("A server is already running at http://");
  await first.stop();
});

test.each([
  ["a missing executable", () => ["/nowhere/argosy"] as [string], /could not be started/],
  ["one that ends at once", (folder: string) => script(folder, "exit 3"), /exit code 3/],
  [
    "one without services",
    (folder: string) => script(folder, "echo '{\"services\":[]}'; cat"),
    /without a service/,
  ],
])("%s is refused", async (_, program, expected) => {
  using home = desktopHome();
  const thrown = await startSidecar({ ...options(home), command: program(home.path) }).catch(
    (fault) => fault,
  );
  expect(thrown.message).toMatch(expected);
});

test("a silent executable times out and is killed 5 s later", async () => {
  using home = desktopHome();
  const clock = new FakeClock();
  const pidFile = join(home.path, "pid");
  const program = script(
    home.path,
    `trap '' TERM; echo $$ > ${pidFile}; while :; do read line || sleep 60; done`,
  );
  const starting = startSidecar({
    ...options(home),
    command: program,
    timer: (ms, fire) => clock.timer(ms, fire),
    readyMs: 20_000,
  }).catch((fault) => fault);
  while (!existsSync(pidFile) || readFileSync(pidFile, "utf8") === "") await Bun.sleep(10);
  const pid = Number(readFileSync(pidFile, "utf8"));
  await clock.advance(20_000);
  await clock.advance(4_999);
  expect(isAlive(pid)).toBe(true);
  await clock.advance(1);
  expect((await starting).message).toBe("Argosy did not start within 20 s.");
  await gone(pid);
});

test("a start that times out leaves no process", async () => {
  using home = desktopHome();
  const quitting = new AbortController();
  const starting = startSidecar({ ...options(home), signal: quitting.signal }).catch((fault) => fault);
  quitting.abort();
  expect((await starting).message).toBe("The start was given up.");
});

test("a command reports its document, and its error", async () => {
  using home = desktopHome();
  const parts = { command, environment, timer: systemTimer };
  const folder = join(home.path, "new");
  expect(await runCommand(parts, ["init", "--json", folder])).toMatchObject({ workspace: folder });
  const again = await runCommand(parts, ["init", "--json", folder]).catch((fault) => fault);
  expect(again.hint).toContain("--force");
});

test("the server gets what programs need and what the person named, nothing else", () => {
  const given = {
    PATH: "/bin",
    Path: "C:\\bin",
    HOME: "/home/a",
    LC_ALL: "C",
    OPENAI_API_KEY: "sk-1",
    ANTHROPIC_API_KEY: "sk-2",
    PLATFORM_API_TOKEN: "t",
    NODE_OPTIONS: "--inspect",
    LD_PRELOAD: "x.so",
    ELECTRON_RUN_AS_NODE: "1",
    MISSING: undefined,
  };
  expect(minimalEnvironment(given, ["ANTHROPIC_API_KEY", "MISSING"])).toEqual({
    PATH: "/bin",
    Path: "C:\\bin",
    HOME: "/home/a",
    LC_ALL: "C",
    ANTHROPIC_API_KEY: "sk-2",
  });
});
