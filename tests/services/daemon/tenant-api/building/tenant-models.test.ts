import { expect, test } from "bun:test";
import { tenantModels } from "../../../../../src/services/daemon/tenant-api/building/tenant-models.ts";

test("models that the operator listed, and the default one, may be named in metrics", () => {
  const variables: string[] = [];
  const { isListed } = tenantModels(
    {
      file: {
        providers: {
          main: { type: "openai", api_key_env: "MAIN_KEY", prices: {} },
          spare: { type: "vllm", endpoint: "http://spare.example/v1", models: ["small"], prices: {} },
        },
      },
      variable(name) {
        variables.push(name);
        return "key";
      },
    },
    undefined,
    false,
  );
  for (let run = 0; run < 3; run++) {
    expect(isListed("main", "gpt-4o-mini")).toBe(true);
    expect(isListed("main", "a-name-of-a-tenant")).toBe(false);
    expect(isListed("spare", "small")).toBe(true);
    expect(isListed("other", "small")).toBe(false);
    expect(isListed("rehearsal", "anything")).toBe(true);
  }
  // Every run asks, and a variable of the environment takes microseconds.
  expect(variables).toEqual(["MAIN_KEY"]);
});
