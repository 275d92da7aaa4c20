import { expect, test } from "bun:test";
import type { RunnableAgent } from "../../../../src/engine/run/runnable-agent.ts";
import type { AgentManifest } from "../../../../src/manifest/agent.ts";
import { beginLife } from "../../../../src/services/daemon/agents/agent-life.ts";
import { buildVersion, type ManifestOrigin } from "../../../../src/services/daemon/agents/agent-version.ts";

test.each([
  ["a file", "agents/one.agent.yaml", true],
  ["the API", undefined, false],
])("a manifest from %s is built as such", (_, file, trusted) => {
  const origins: ManifestOrigin[] = [];
  const build = (_manifest: AgentManifest, origin: ManifestOrigin) => {
    origins.push(origin);
    return { name: "one", memory: { store: {} } } as unknown as RunnableAgent;
  };
  const manifest = { metadata: { name: "one" } } as AgentManifest;
  buildVersion({ build }, manifest, "", { life: beginLife(), file });
  expect(origins).toEqual([{ trusted }]);
});
