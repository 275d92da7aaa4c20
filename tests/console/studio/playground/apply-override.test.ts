import { expect, test } from "bun:test";
import { applyOverride } from "../../../../src/console/studio/playground/lanes/apply-override.ts";
import { agentKind } from "../../../../src/manifest/agent/agent-kind.ts";
import { checkFile } from "../../../../src/manifest/schema/manifest-kind.ts";

const manifest = `# The help desk.
apiVersion: platform/v1
kind: Agent
metadata: {name: desk}
spec:
  model:
    primary: {provider: rehearsal, model: rehearsal} # cheap
  prompts:
    system: You help.
`;

test("each value of an override has its place, and everything else stays", () => {
  const text = applyOverride(manifest, {
    provider: "lab",
    model: "large/2",
    temperature: 0,
    max_tokens: 50,
    system_prompt: "<img src=x>: {{ name }}",
  });
  expect(text).toStartWith("# The help desk.\n");
  expect(text).toContain("# cheap");
  // The schema of manifests knows each place.
  expect(checkFile(agentKind({}), text, undefined)).not.toHaveProperty("problems");
  expect(Bun.YAML.parse(text)).toMatchObject({
    spec: {
      model: {
        primary: { provider: "lab", model: "large/2", parameters: { temperature: 0, max_tokens: 50 } },
      },
      prompts: { system: "<img src=x>: {{ name }}" },
    },
  });
});

test("an agent without a model or a prompt gets them", () => {
  const bare = "apiVersion: platform/v1\nkind: Agent\nmetadata: {name: desk}\nspec: {}\n";
  const text = applyOverride(bare, { provider: "lab", model: "small", system_prompt: "Hello." });
  expect(Bun.YAML.parse(text)).toMatchObject({
    spec: { model: { primary: { provider: "lab", model: "small" } }, prompts: { system: "Hello." } },
  });
});

test("nothing changes without an override", () => {
  expect(applyOverride(manifest, {})).toBe(manifest);
});
