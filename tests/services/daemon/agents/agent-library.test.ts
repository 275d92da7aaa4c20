import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import type { AgentManifest } from "../../../../src/manifest/agent/agent.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { AgentCatalog } from "../../../../src/services/daemon/agents/agent-catalog.ts";
import { AgentLibrary, type LibraryParts } from "../../../../src/services/daemon/agents/agent-library.ts";
import { openPausedAgents } from "../../../../src/services/daemon/agents/paused-agents.ts";
import { readSentManifest } from "../../../../src/services/daemon/agents/sent-manifest.ts";
import { observeVariables } from "../../../../src/services/daemon/manifests/observed-variables.ts";
import { agentFile } from "../../../support/daemon.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { memoryConversations } from "../../../support/staged-run.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** A library without files whose agents only have memory. */
function setUp(more: Partial<LibraryParts>) {
  const folder = temporaryFolder();
  const catalog = new AgentCatalog(openPausedAgents(undefined));
  const memory = { store: memoryConversations() };
  const library = new AgentLibrary({
    loader: {
      folder: folder.path,
      workspace: folder.path,
      kind: agentKind({}),
      variables: observeVariables(() => undefined),
      vet: () => [],
      build: ({ metadata: { name } }: AgentManifest) => ({ name, memory }) as unknown as RunnableAgent,
    },
    catalog,
    persist: false,
    checkTogether: () => [],
    forget: async () => {},
    clock: new FakeClock(),
    log: silentLogger,
    ...more,
  });
  const put = (name: string, spec: object = {}) => {
    const value = JSON.parse(agentFile(name, { ...spec }));
    return readSentManifest(library, { format: "json", value }, "owner").then((sent) =>
      library.put(sent, () => {}),
    );
  };
  return { library, catalog, memory, put, [Symbol.dispose]: folder[Symbol.dispose] };
}

test("a deletion that fails halfway keeps the agent and its memory; after a complete one nothing is stored", async () => {
  let isStorageDown = true;
  using set = setUp({
    forget: async () => {
      if (isStorageDown) throw new Error("storage is down");
    },
  });
  await set.put("a");
  await expect(set.library.remove("a", "owner")).rejects.toThrow("storage is down");
  const key = { tenant: "t", agent: "a", sessionId: "s" };
  const turn = { role: "user" as const, content: "hi", at: new Date(0), tokenCount: 1, metadata: {} };
  await set.catalog.getNow("a").memory.store.append(key, [turn]);
  expect(await set.memory.store.recent(key, 10)).toHaveLength(1);

  isStorageDown = false;
  const { store } = set.catalog.getNow("a").memory;
  await set.library.remove("a", "owner");
  await store.append(key, [turn]);
  expect(await set.memory.store.recent(key, 10)).toHaveLength(1);
  expect(set.catalog.findEntry("a")).toBeUndefined();
});

test("a change that would keep another agent from running is refused, and everything stays", async () => {
  /** Refuses `a` next to a `b` whose description is "loud". */
  const checkTogether: LibraryParts["checkTogether"] = (manifests) =>
    manifests.some(({ spec }) => spec.identity.description === "loud")
      ? [{ agent: "a", problem: { path: "spec.chain.max_depth", message: "is exceeded" } }]
      : [];
  using set = setUp({ checkTogether });
  await set.put("a");
  await set.put("b");
  const before = set.catalog.getNow("b");
  await expect(set.put("b", { identity: { description: "loud" } })).rejects.toMatchObject({
    kind: "invalid",
    code: "invalid_manifest",
    details: {
      problems: [
        { path: "", message: expect.stringMatching(/^would keep agent a from running: .*is exceeded/) },
      ],
    },
  });
  expect(set.catalog.getNow("b")).toBe(before);
  expect(set.catalog.find("a")).toBeDefined();
});

test("an agent that is put again as it is stays the same", async () => {
  using set = setUp({});
  await set.put("a");
  const before = set.catalog.getNow("a");
  expect(await set.put("a")).toMatchObject({ isNew: false });
  expect(set.catalog.getNow("a")).toBe(before);
  await set.put("a", { identity: { description: "other" } });
  expect(set.catalog.getNow("a")).not.toBe(before);
});

test("a sent version that the release gate refuses changes nothing but waits as the candidate", async () => {
  let isOpen = true;
  const served: string[] = [];
  using set = setUp({
    gate: {
      judge: async () => (isOpen ? [] : [{ path: "spec.release", message: "eval e scores 0 %" }]),
      evidence: async () => String(isOpen),
      serve: ({ name }) => void served.push(name),
      last: () => undefined,
      canary: () => ({ state: "none" }),
      begin: () => {},
      withdraw: () => {},
      forget: () => {},
    },
  });
  await set.put("a");
  const before = set.catalog.getNow("a");
  isOpen = false;
  const refusal = {
    kind: "unprocessable",
    code: "release_refused",
    details: { problems: [{ path: "spec.release" }] },
  };
  const worse = { identity: { description: "worse" } };
  await expect(set.put("a", worse)).rejects.toMatchObject(refusal);
  await expect(set.put("fresh")).rejects.toMatchObject(refusal);
  expect(set.catalog.findEntry("fresh")).toBeUndefined();
  expect(set.catalog.getNow("a")).toBe(before);
  expect(set.catalog.entryNow("a").candidate?.reasons).toEqual(["eval e scores 0 %"]);
  isOpen = true;
  await set.put("a", worse);
  expect(set.catalog.getNow("a")).not.toBe(before);
  expect(set.catalog.entryNow("a").candidate).toBeUndefined();
  expect(served).toEqual(["a", "a"]);
});
