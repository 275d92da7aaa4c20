import { expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { checkConfiguration } from "../../../src/compose/settings/changed-config.ts";
import { openModelFiles } from "../../../src/compose/settings/model-files.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { agentFile, startDaemon } from "../../support/daemon.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const variable = "$" + "{KEY_OF_USER}";

function opened() {
  const folder = temporaryFolder();
  const write = (name: string, text: string | Uint8Array) => writeFileSync(join(folder.path, name), text);
  write("providers.yaml", "providers: {a: {type: rehearsal}}");
  const config = loadConfig({ workspace: folder.path });
  const { log, logged } = recordingLogger();
  return { folder, write, config, logged, files: openModelFiles(config, log) };
}

test("changes of providers.yaml and prices.yaml are in force at the next look, once each", () => {
  const { folder, write, files, logged } = opened();
  using _folder = folder;
  expect([files.look(), files.revision()]).toEqual([false, 0]);
  write("providers.yaml", "providers: {b: {type: rehearsal}}");
  write("prices.yaml", "vendors: {}");
  const before = files.prices();
  expect([files.look(), files.look(), files.revision()]).toEqual([true, false, 1]);
  expect(Object.keys(files.providers().providers)).toEqual(["b"]);
  expect(files.prices()).not.toEqual(before);
  expect(logged.map(({ event, fields }) => [event, fields?.file])).toEqual([
    ["config.reloaded", "providers.yaml"],
    ["config.reloaded", "prices.yaml"],
  ]);
});

test("a removed file is like none", () => {
  const { folder, files } = opened();
  using _folder = folder;
  rmSync(join(folder.path, "providers.yaml"));
  files.look();
  expect(files.providers().providers).toEqual({});
});

test.each<[fault: string, content: string | Uint8Array]>([
  ["no YAML", "providers: ["],
  ["no text", Uint8Array.of(0xff, 0xfe)],
  ["an unknown type", "providers: {b: {type: nothing}}"],
  ["a variable that is not set", "providers: {b: {type: openai, endpoint: $" + "{NOT_SET}}}"],
])(
  "a change that can't be used leaves what was, and the doctor tells the fault: %s",
  async (_fault, content) => {
    const { folder, write, config, files, logged } = opened();
    using _folder = folder;
    write("providers.yaml", content);
    expect([files.look(), Object.keys(files.providers().providers)]).toEqual([false, ["a"]]);
    expect(logged.map(({ event }) => event)).toEqual(["config.refused"]);
    const found = await checkConfiguration(config, files);
    expect([found.status, found.message.includes("providers.yaml")]).toEqual(["degraded", true]);
    write("providers.yaml", "providers: {a: {type: rehearsal}}");
    files.look();
    expect((await checkConfiguration(config, files)).status).toBe("healthy");
  },
);

test("trust that is given or taken back while serving changes which sections are in force, and changes without trust get no variables", async () => {
  using folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  const entry = `{type: vllm, endpoint: 'http://127.0.0.1:1/${variable}'}`;
  write("providers.yaml", `providers: {a: ${entry}, own: {type: rehearsal}}`);
  const loaded = loadConfig({ workspace: folder.path, trust: false });
  let isTrusted = false;
  const config = {
    ...loaded,
    variable: (name: string) => (name === "KEY_OF_USER" ? "canary-1" : undefined),
    programs: (() => {
      const now = () => (isTrusted ? undefined : loaded.programs.refusal());
      return { refusal: now, withholding: now };
    })(),
  };
  const { log, logged } = recordingLogger();
  const files = openModelFiles(config, log);
  const endpoints = () =>
    Object.entries(files.providers().providers).map(([name, { endpoint }]) => [name, endpoint]);
  const own = ["own", undefined];
  const mend = `argosy trust ${folder.path}`;

  expect(endpoints()).toEqual([own]);
  expect(await checkConfiguration(config, files)).toMatchObject({ status: "degraded", mend });

  write("providers.yaml", `providers: {a: ${entry}, b: ${entry}, own: {type: rehearsal}}`);
  expect([files.look(), endpoints(), files.left().length]).toEqual([true, [own], 2]);
  expect(logged.map(({ event }) => event)).toEqual(["config.reloaded", "config.warning", "config.warning"]);

  isTrusted = true;
  const read = "http://127.0.0.1:1/canary-1";
  expect([files.look(), files.look()]).toEqual([true, false]);
  expect([endpoints(), files.left()]).toEqual([[["a", read], ["b", read], own], []]);
  expect((await checkConfiguration(config, files)).status).toBe("healthy");

  isTrusted = false;
  expect([files.look(), endpoints()]).toEqual([true, [own]]);
  expect(await checkConfiguration(config, files)).toMatchObject({ status: "degraded", mend });
});

test("a section that only the start reads and that lacks trust needs a restart after it", async () => {
  using folder = temporaryFolder();
  writeFileSync(
    join(folder.path, "runtime.yaml"),
    `spec: {observability: {otlp: {endpoint: '${variable}'}}}`,
  );
  const config = loadConfig({ workspace: folder.path, trust: false });
  const found = await checkConfiguration(config, openModelFiles(config, silentLogger));
  expect(found).toMatchObject({
    status: "degraded",
    message: expect.stringContaining("runtime.yaml spec.observability is not used"),
    mend: `argosy trust ${folder.path}, then restart Argosy`,
  });
});

test("an agent of a provider that the running server learns about runs without a restart", async () => {
  await using daemon = await startDaemon({
    agents: {
      "late.agent.yaml": agentFile("late", { model: { primary: { provider: "late", model: "m" } } }),
    },
  });
  const statusOf = async () => {
    // A call of the owner looks at the files first.
    await daemon.clock.advance(5000);
    return (await daemon.asOwner("GET", "/v1/agents")).body.agents[0]?.status;
  };
  expect(await statusOf()).not.toBe("ready");
  writeFileSync(
    join(daemon.workspace, "providers.yaml"),
    "providers: {late: {type: rehearsal, models: [m]}}",
  );
  expect(await statusOf()).toBe("ready");
  const models = (await daemon.call("GET", "/v1/models")).body.data.map(({ id }: { id: string }) => id);
  expect(models).toContain("late/m");
  expect((await daemon.run("late", { query: "hi" })).status).toBe(200);
});
