import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtParts } from "../../src/command/parts.ts";
import { loadConfig } from "../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../src/compose/start.ts";
import { silentLogger } from "../../src/kit/log.ts";
import { temporaryFolder } from "../support/temp-folder.ts";
import { writeFiles } from "../support/write-files.ts";
import { type Said, say } from "./recording-shell.ts";

/** Every kind of file that a person writes, and whether a start refuses a faulty one. */
const kinds: [file: string, stopsStart: boolean][] = [
  ["runtime.yaml", true],
  ["providers.yaml", true],
  ["prices.yaml", true],
  ["channels.yaml", true],
  ["connections.yaml", true],
  ["platform.yaml", false],
  ["agents/broken.agent.yaml", false],
  ["rag/broken.rag.yaml", false],
  ["evals/broken.eval.yaml", false],
  ["evals/broken.rag-eval.yaml", false],
  ["tools/broken.ts", false],
];

const faults: [fault: string, content: string | Uint8Array | undefined][] = [
  ["that is not YAML", "foo: ["],
  ["with an unknown key", "no_such_key: 1\n"],
  ["with a variable of the service only", "no_such_key: $" + "{VARIABLE_OF_THE_SERVICE}\n"],
  ["that is not text", Uint8Array.of(0xff, 0xfe, 0x00)],
  ["that is a folder", undefined],
];

const cells = kinds.flatMap(([file, stopsStart]) =>
  faults.map(([fault, content]) => [file, fault, content, stopsStart] as const),
);

const commands = [
  ["run", "hello", "Hi"],
  ["agents"],
  ["agents", "hello"],
  ["backup", "-"],
  ["logs"],
  ["health"],
  ["console"],
  ["traces"],
  ["costs"],
  ["rag", "collections"],
  ["platform", "tenants"],
  ["workers"],
  ["storage"],
];

const hello = `apiVersion: platform/v1
kind: Agent
metadata: {name: hello}
spec: {model: {primary: {provider: rehearsal, model: rehearsal}}}
`;

function workspace() {
  const folder = temporaryFolder();
  writeFiles(folder.path, { "agents/hello.agent.yaml": hello });
  return folder;
}

function place(folder: string, file: string, content: string | Uint8Array | undefined): void {
  const path = join(folder, file);
  mkdirSync(content === undefined ? path : dirname(path), { recursive: true });
  if (content !== undefined) writeFileSync(path, content);
}

const call = (folder: string, args: readonly string[]): Promise<Said> =>
  say(["--workspace", folder, ...args], { parts: builtParts, folder });

const remove = (folder: string, files: readonly string[]): void => {
  for (const file of files) rmSync(join(folder, file), { recursive: true, force: true });
};

describe("while a server runs", () => {
  const folder = workspace();
  let running: RunningArgosy;
  beforeAll(async () => {
    const config = loadConfig({ workspace: folder.path, port: "0", services: "daemon,platform" });
    running = await startArgosy(config, { log: silentLogger });
  });
  afterAll(async () => {
    await running.stop();
    folder[Symbol.dispose]();
  });
  afterEach(() =>
    remove(
      folder.path,
      kinds.map(([file]) => file),
    ),
  );

  test.each(cells)("%s %s stops no command", async (file, _fault, content, stopsStart) => {
    place(folder.path, file, content);
    for (const args of content === "foo: [" ? commands : [["agents"], ["health"]]) {
      const { code, stderr } = await call(folder.path, args);
      expect([args, code, stderr.includes("error:")]).toEqual([args, 0, false]);
    }
    const { checks } = JSON.parse((await call(folder.path, ["doctor", "--json"])).stdout);
    const told = checks.find(({ message }: { message: string }) => message.includes(file));
    // A folder in the place of a file that did not exist changes nothing for the server.
    if (stopsStart && content !== undefined) expect(told).toMatchObject({ status: "degraded" });
  });

  test("a variable that only the service has is missed by no command, and not by the doctor", async () => {
    using other = workspace();
    const text = 'providers: {far: {type: openai, endpoint: "$' + '{ONLY_OF_THE_SERVICE}"}}';
    place(other.path, "providers.yaml", text);
    process.env.ONLY_OF_THE_SERVICE = "http://127.0.0.1:9";
    const config = loadConfig({ workspace: other.path, port: "0", services: "daemon,platform" });
    const server = await startArgosy(config, { log: silentLogger });
    delete process.env.ONLY_OF_THE_SERVICE;
    for (const args of commands) expect([args, (await call(other.path, args)).code]).toEqual([args, 0]);
    const { checks } = JSON.parse((await call(other.path, ["doctor", "--json"])).stdout);
    await server.stop();
    expect(checks).toContainEqual(expect.objectContaining({ name: "configuration", status: "healthy" }));
  });

  test("a command of a service that isn't served names it and the start that has it, with 503", async () => {
    for (const args of [
      ["gateway", "accounts", "list", "--tenant", "x"],
      ["cloud", "plan", "acme", "team"],
      ["translator", "specs"],
    ]) {
      const [service = ""] = args;
      const { code, stdout } = await call(folder.path, [...args, "--json"]);
      const { error, message, hint } = JSON.parse(stdout);
      expect([service, code, error, message]).toEqual([service, 1, "service_missing", expect.any(String)]);
      expect(message).toContain(`doesn't serve ${service}. It serves daemon, platform.`);
      expect(hint).toContain(`\`argosy serve --services daemon,platform,${service}\``);
    }
  });

  test("health asks the server which services it has", async () => {
    const { stdout } = await call(folder.path, ["health"]);
    expect(stdout).toBe("✓ daemon\n✓ platform\n");
    expect(await call(folder.path, ["health", "--services", "gateway"])).toMatchObject({
      code: 1,
      stdout: "✗ gateway the running server doesn't serve it\n",
    });
    expect(await call(folder.path, ["health", "--services", "nothing"])).toMatchObject({ code: 2 });
  });

  test.each(kinds.filter(([, stopsStart]) => stopsStart))(
    "beside a faulty %s, a second server is refused with the address of the first, and config shows the other settings",
    async (file) => {
      place(folder.path, file, "foo: [");
      const second = await call(folder.path, ["serve"]);
      expect([second.code, second.stderr.includes("already running at http://")]).toEqual([1, true]);
      const shown = await call(folder.path, ["config"]);
      expect([shown.code, shown.stdout.includes("services.daemon.port")]).toEqual([2, true]);
      expect(shown.stderr).toContain(file);
      const { error, message } = JSON.parse((await call(folder.path, ["config", "--json"])).stdout);
      expect([typeof error, message.includes(file)]).toEqual(["string", true]);
    },
  );

  test("a second server is refused with the address of the first", async () => {
    const { code, stderr } = await call(folder.path, ["serve"]);
    const url = running.services[0]?.url;
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`A server is already running at ${url}; \`argosy console\` opens it.`),
    ]);
  });
});

describe("without a server", () => {
  test.each(cells)("%s %s is named", async (file, _fault, content, stopsStart) => {
    using folder = workspace();
    place(folder.path, file, content);
    const { code, stdout } = await call(folder.path, ["agents", "--json"]);
    if (!stopsStart) expect([code, JSON.parse(stdout).agents.length]).toEqual([0, expect.any(Number)]);
    else {
      expect([code, JSON.parse(stdout).message]).toEqual([2, expect.stringContaining(file)]);
      const { checks } = JSON.parse((await call(folder.path, ["doctor", "--json"])).stdout);
      expect(checks).toContainEqual(expect.objectContaining({ status: "failing" }));
      expect(JSON.stringify(checks)).toContain(file);
    }
  });

  test("faults of several files and of a variable are reported together, with exit status 2", async () => {
    using folder = workspace();
    const broken = kinds.filter(([, stopsStart]) => stopsStart).map(([file]) => file);
    for (const file of broken) place(folder.path, file, "foo: [");
    place(folder.path, "agents/broken.agent.yaml", "foo: [");
    const { code, stderr } = await call(folder.path, ["serve", "--port", "x"]);
    expect(code).toBe(2);
    for (const file of broken) expect(stderr).toContain(`${file}:1:`);
    expect(stderr).toContain("--port must be a port");
    const { stdout } = await call(folder.path, ["doctor"]);
    for (const file of [...broken, "agents/broken.agent.yaml"]) expect(stdout).toContain(`✗ ${file} `);
  });

  test("eval tells the faults of all its files before it runs any, with 422", async () => {
    using folder = workspace();
    for (const name of ["one", "two"]) place(folder.path, `evals/${name}.eval.yaml`, "foo: [");
    const { code, stderr } = await call(folder.path, ["eval"]);
    expect(code).toBe(2);
    for (const name of ["one", "two"]) expect(stderr).toContain(`evals/${name}.eval.yaml:1:`);
  });
});
