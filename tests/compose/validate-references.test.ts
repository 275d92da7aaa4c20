import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { validateFiles } from "../../src/compose/validate.ts";
import { agentFile } from "../support/daemon.ts";
import { temporaryFolder } from "../support/temp-folder.ts";

test("agents are checked against those they would be loaded with", () => {
  using folder = temporaryFolder();
  const chain = (agent: string) => ({ chain: { on_complete: [{ agent }] } });
  const agents = {
    a: chain("b"),
    b: { tools: [{ name: "ask_c", type: "agent", config: { agent: "c" } }] },
    d: chain("d"),
    e: {},
  };
  const paths = Object.entries(agents).map(([name, spec]) => {
    const path = join(folder.path, `${name}.agent.yaml`);
    writeFileSync(path, agentFile(name, spec));
    return path;
  });
  const validated = validateFiles({
    workspace: folder.path,
    paths,
    registries: { agent: {}, ragPipeline: {}, providerTypes: [] },
    variables: () => undefined,
    agentProblems: () => [],
  });
  const told = validated.map(({ file, problems }) => {
    return [file, ...problems.map(({ path, message }) => `${path} ${message}`)];
  });
  expect(told).toEqual([
    ["a.agent.yaml", "spec.chain.on_complete[0].agent is an agent that can't be loaded: b"],
    ["b.agent.yaml", "spec.tools[0].config.agent is not a loaded agent: c"],
    ["d.agent.yaml", "spec.chain.on_complete leads in a circle: d → d"],
    ["e.agent.yaml"],
  ]);
});
