import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/agents/runnable-agent.ts";
import type { AgentManifest } from "../../../../src/manifest/agent/agent.ts";
import type { Sender } from "../../../../src/manifest/senders/sender.ts";
import { beginLife } from "../../../../src/services/daemon/agents/agent-life.ts";
import { buildVersion } from "../../../../src/services/daemon/agents/agent-version.ts";

const manifest = { metadata: { name: "one" } } as AgentManifest;

test.each<Sender>(["file", "owner", "stranger"])("a manifest of sender %s is built as such", (sender) => {
  const built: Sender[] = [];
  const build = (_manifest: AgentManifest, by: Sender) => {
    built.push(by);
    return { name: "one", memory: { store: {} } } as unknown as RunnableAgent;
  };
  buildVersion({ build, vet: () => [] }, manifest, "", { life: beginLife(), file: undefined, sender });
  expect(built).toEqual([sender]);
});

test("what its sender may not say is refused before anything is built", () => {
  const build = (): RunnableAgent => {
    throw new Error("It was built.");
  };
  const vet = () => [{ path: "spec.model.primary.endpoint", message: "is the owner's" }];
  const version = () =>
    buildVersion({ build, vet }, manifest, "", { life: beginLife(), file: undefined, sender: "stranger" });
  expect(version).toThrow("is the owner's");
});
