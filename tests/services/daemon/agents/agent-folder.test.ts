import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { builtRegistries } from "../../../../src/engine/agents/manifest-registries.ts";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import type { ConversationStore } from "../../../../src/engine/memory/conversation.ts";
import type { AgentManifest } from "../../../../src/manifest/agent/agent.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { AgentFolder } from "../../../../src/services/daemon/agents/agent-folder.ts";
import {
  keepValues,
  type ManifestReader,
  plainReader,
} from "../../../../src/services/daemon/manifests/kept-values.ts";
import { observeVariables } from "../../../../src/services/daemon/manifests/observed-variables.ts";
import { agentFile } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** Long after every file's last change, so files that were read are settled. */
const longAfter = "2100-01-01T00:00:00.000Z";

/** A folder over real files, which counts the agents that it builds. */
function setUp(files: Record<string, string>, startAt = longAfter, reader = plainReader) {
  const root = temporaryFolder();
  const built: string[] = [];
  const environment = new Map<string, string>();
  const variables = observeVariables((name) => environment.get(name));
  const memory = { store: {} as ConversationStore };
  const folder = new AgentFolder(
    {
      folder: join(root.path, "agents"),
      workspace: root.path,
      kind: agentKind(builtRegistries()),
      reader,
      variables,
      vet: () => [],
      build(manifest: AgentManifest) {
        built.push(manifest.metadata.name);
        const key = manifest.spec.model?.primary.api_key_env;
        if (key !== undefined) variables.read(key);
        return { name: manifest.metadata.name, memory } as unknown as RunnableAgent;
      },
    },
    new FakeClock(startAt),
  );
  const pathOf = (name: string) => join(root.path, "agents", name);
  const write = (name: string, text: string) => {
    mkdirSync(dirname(pathOf(name)), { recursive: true });
    writeFileSync(pathOf(name), text);
  };
  for (const [name, text] of Object.entries(files)) write(name, text);
  return {
    folder,
    environment,
    pathOf,
    write,
    /** Refreshes; returns the agents that were built, and whether anything has changed. */
    async look() {
      built.length = 0;
      const isDifferent = await folder.refresh();
      return { isDifferent, built: [...built] };
    },
    agentOf: (name: string) =>
      folder.sources().find((source) => source.version?.name === name)?.version?.agent,
    sources: () => folder.sources(),
    faults: () =>
      Object.fromEntries(folder.sources().map(({ file, fault }) => [file, fault?.message ?? "none"])),
    [Symbol.dispose]: root[Symbol.dispose],
  };
}

const model = (more: object) => ({ model: { primary: { provider: "openai", model: "m", ...more } } });
const agent = (name: string, spec: object = {}) => agentFile(name, { ...model({}), ...spec });
const described = (name: string, description: string) => agent(name, { identity: { description } });

test("only files whose text changed are built again; the others keep their agent", async () => {
  using set = setUp({ "a.agent.yaml": agent("a"), "b.agent.yaml": agent("b"), "c.agent.yaml": agent("c") });
  expect(await set.look()).toEqual({ isDifferent: true, built: ["a", "b", "c"] });
  const [a, b] = [set.agentOf("a"), set.agentOf("b")];
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });

  set.write("b.agent.yaml", described("b", "changed"));
  expect(await set.look()).toEqual({ isDifferent: true, built: ["b"] });
  expect(set.agentOf("a")).toBe(a as RunnableAgent);
  expect(set.agentOf("b")).not.toBe(b as RunnableAgent);

  rmSync(set.pathOf("c.agent.yaml"));
  expect(await set.look()).toEqual({ isDifferent: true, built: [] });
  expect(set.agentOf("c")).toBeUndefined();
});

test("a file that is touched, written again as it was, or moved is not built again", async () => {
  using set = setUp({ "a.agent.yaml": agent("a") });
  await set.look();
  const a = set.agentOf("a");
  utimesSync(set.pathOf("a.agent.yaml"), 1, 1);
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });
  set.write("a.agent.yaml", agent("a"));
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });
  mkdirSync(set.pathOf("deep"));
  renameSync(set.pathOf("a.agent.yaml"), set.pathOf("deep/z.agent.yml"));
  expect(await set.look()).toEqual({ isDifferent: true, built: [] });
  expect(set.agentOf("a")).toBe(a as RunnableAgent);
  expect(set.faults()).toEqual({ "agents/deep/z.agent.yml": "none" });
});

test("a change that leaves no trace in size and time is seen while the file is young", async () => {
  using set = setUp({ "a.agent.yaml": described("a", "one") }, "1990-01-01T00:00:00.000Z");
  await set.look();
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });
  set.write("a.agent.yaml", described("a", "two"));
  expect(await set.look()).toEqual({ isDifferent: true, built: ["a"] });
});

test("a change of a variable concerns the files that read it, in their text or for a key", async () => {
  using set = setUp({
    "plain.agent.yaml": agent("plain"),
    "text.agent.yaml": described("text", `\${PLACE}`),
    "key.agent.yaml": agent("key", model({ api_key_env: "KEY" })),
  });
  set.environment.set("KEY", "one");
  expect(await set.look()).toEqual({ isDifferent: true, built: ["key", "plain"] });
  expect(set.faults()["agents/text.agent.yaml"]).toContain("needs the variable PLACE, which is not set");
  set.environment.set("PLACE", "here");
  expect(await set.look()).toEqual({ isDifferent: true, built: ["text"] });
  set.environment.set("KEY", "two");
  expect(await set.look()).toEqual({ isDifferent: true, built: ["key"] });
  set.environment.set("OTHER", "x");
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });
});

test("an entry that cannot be read as a file is refused with the reason, at once and only once", async () => {
  using set = setUp({ "fine.agent.yaml": agent("fine"), "long.agent.yaml": `# ${"x".repeat(1_048_576)}` });
  mkdirSync(set.pathOf("folder.agent.yaml"));
  symlinkSync(set.pathOf("nowhere"), set.pathOf("link.agent.yaml"));
  symlinkSync(set.pathOf("circle.agent.yaml"), set.pathOf("circle.agent.yaml"));
  writeFileSync(set.pathOf("latin.agent.yaml"), Uint8Array.of(0x61, 0xe9));
  Bun.spawnSync(["mkfifo", set.pathOf("pipe.agent.yaml")]);
  expect(await set.look()).toEqual({ isDifferent: true, built: ["fine"] });
  expect(set.faults()).toEqual({
    "agents/circle.agent.yaml": "agents/circle.agent.yaml can't be read (ELOOP).",
    "agents/fine.agent.yaml": "none",
    "agents/folder.agent.yaml": "agents/folder.agent.yaml can't be read (EISDIR).",
    "agents/latin.agent.yaml": "agents/latin.agent.yaml is not valid UTF-8.",
    "agents/link.agent.yaml": "agents/link.agent.yaml can't be read (ENOENT).",
    "agents/long.agent.yaml": "agents/long.agent.yaml can't be read (it is longer than 1 MiB).",
    "agents/pipe.agent.yaml": "agents/pipe.agent.yaml can't be read (it is not a regular file).",
  });
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });
});

test("links to folders are followed, in a circle as well, and hidden files and folders are left out", async () => {
  using set = setUp({
    "a.agent.yaml": agent("a"),
    ".a.agent.yaml.draft": agent("draft"),
    "._a.agent.yaml": "junk",
    "..2026/a.agent.yaml": agent("a"),
    "../shared/b.agent.yaml": agent("b"),
  });
  symlinkSync("..2026", set.pathOf("..data"));
  symlinkSync("../shared", set.pathOf("link"));
  symlinkSync("../shared", set.pathOf("second-link"));
  symlinkSync("..", set.pathOf("link/up"));
  await set.look();
  expect(set.faults()).toEqual({ "agents/a.agent.yaml": "none", "agents/link/b.agent.yaml": "none" });
});

test("a folder that can't be read leaves the agents as they are; one that isn't there has none", async () => {
  using set = setUp({ "a.agent.yaml": agent("a") });
  await set.look();
  const agents = dirname(set.pathOf("a"));
  renameSync(agents, `${agents}-away`);
  expect(await set.look()).toEqual({ isDifferent: true, built: [] });
  expect(set.folder.sources()).toEqual([]);
  writeFileSync(agents, "");
  expect(await set.look()).toEqual({ isDifferent: false, built: [] });
});

describe("values that are kept for the next start", () => {
  const files = {
    "a.agent.yaml": agent("a"),
    "b.agent.yaml": described("b", "second"),
    "broken.agent.yaml": "a: [\n",
    "wrong.agent.yaml": agent("wrong", { surplus: 1 }),
  };

  /** A reader that records what it is asked to keep. */
  function recording() {
    const kept: string[][] = [];
    const reader: ManifestReader = {
      ...plainReader,
      keep: (texts) => void kept.push(texts.flatMap(({ text, document }) => (document ? [text ?? ""] : []))),
    };
    return { reader, kept };
  }

  test("are kept at the second look, not while the start waits, and again without a removed agent", async () => {
    const { reader, kept } = recording();
    using set = setUp(files, longAfter, reader);
    await set.look();
    expect(kept).toEqual([]);
    await set.look();
    await set.look();
    expect(kept).toEqual([[files["a.agent.yaml"], files["b.agent.yaml"]]]);
    set.folder.remove(set.pathOf("b.agent.yaml"));
    expect(kept.slice(1)).toEqual([[files["a.agent.yaml"]]]);
  });

  test("give the same agents and the same faults", async () => {
    using kept = temporaryFolder();
    const path = join(kept.path, "manifest-values.json");
    const read = async () => {
      using set = setUp(
        files,
        longAfter,
        keepValues(path, "argosy", (text) => text),
      );
      await set.look();
      await set.look();
      return set
        .sources()
        .map(({ file, fault, manifest, document }) => ({ file, fault, manifest, document }));
    };
    const first = await read();
    expect(existsSync(path)).toBeTrue();
    expect(await read()).toEqual(first);
    expect(first.map(({ fault }) => fault?.problems[0]?.line)).toEqual([
      undefined,
      undefined,
      expect.any(Number),
      expect.any(Number),
    ]);
  });
});
