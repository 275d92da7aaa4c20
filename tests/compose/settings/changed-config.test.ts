import { describe, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadConfig } from "../../../src/compose/load-config.ts";
import {
  changedConfigFiles,
  checkConfiguration,
  configWatcher,
} from "../../../src/compose/settings/changed-config.ts";
import { openModelFiles } from "../../../src/compose/settings/model-files.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

function workspaceWith(files: Record<string, string>) {
  const folder = temporaryFolder();
  const write = (name: string, text: string) => writeFileSync(join(folder.path, name), text);
  for (const [name, text] of Object.entries(files)) write(name, text);
  return { folder, write, remove: (name: string) => rmSync(join(folder.path, name)) };
}

const providers = "providers: {a: {type: rehearsal}}";

describe("a file that only the start reads", () => {
  const table: [
    name: string,
    change: (place: ReturnType<typeof workspaceWith>) => void,
    changed: string[],
  ][] = [
    ["as it was", ({ write }) => write("runtime.yaml", "spec: {}"), []],
    [
      "with another limit",
      ({ write }) => write("runtime.yaml", "spec: {limits: {runs_in_flight: 3}}"),
      ["runtime.yaml"],
    ],
    ["with other spaces and comments", ({ write }) => write("runtime.yaml", "# Mine\nspec:  {}"), []],
    [
      "with another section that is read again",
      ({ write }) => write("runtime.yaml", "spec: {defaults: {orchestration: {max_iterations: 3}}}"),
      [],
    ],
    ["broken", ({ write }) => write("runtime.yaml", "{"), ["runtime.yaml"]],
    ["added", ({ write }) => write("channels.yaml", "channels: {}"), ["channels.yaml"]],
    ["that had nothing, removed", ({ remove }) => remove("runtime.yaml"), []],
    ["that is read again", ({ write }) => write("providers.yaml", `${providers} `), []],
    ["that agents are read from", ({ write }) => write("a.agent.yaml", "{"), []],
  ];
  test.each(table)("%s", async (_name, change, changed) => {
    const place = workspaceWith({ "providers.yaml": providers, "runtime.yaml": "spec: {}" });
    using _folder = place.folder;
    const config = loadConfig({ workspace: place.folder.path });
    change(place);
    expect(await changedConfigFiles(config)).toEqual(changed as never[]);
    const found = await checkConfiguration(config, openModelFiles(config, silentLogger));
    expect(found.status).toBe(changed.length === 0 ? "healthy" : "degraded");
    for (const name of changed) expect(found.message).toContain(name);
  });
});

test("a change is logged once, and again when there is another", async () => {
  const place = workspaceWith({ "providers.yaml": providers });
  using _folder = place.folder;
  const clock = new FakeClock();
  const { log, logged } = recordingLogger();
  const stop = new AbortController();
  const config = loadConfig({ workspace: place.folder.path });
  // The file is really read; the next wait shows that it was.
  const looked = async () => {
    await clock.advance(1000);
    while (clock.pending === 0) await Bun.sleep(0);
  };
  const running = configWatcher(config, clock, log).run(stop.signal);
  await looked();
  expect(logged).toEqual([]);
  place.write("channels.yaml", "channels: {}");
  for (let times = 0; times < 3; times++) await looked();
  place.write("runtime.yaml", "spec: {limits: {runs_in_flight: 3}}");
  await looked();
  expect(logged.map(({ event, fields }) => [event, fields?.files])).toEqual([
    ["config.changed", ["channels.yaml"]],
    ["config.changed", ["runtime.yaml", "channels.yaml"]],
  ]);
  stop.abort();
  await running;
});
