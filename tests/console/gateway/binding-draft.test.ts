import { expect, test } from "bun:test";
import { bindingChange, bindingInput, draftOf } from "../../../src/console/gateway/accounts/binding-draft.ts";

const account = { id: "a1", tenant_id: "shop" };
const empty = draftOf(null);

test("a new binding to an agent has its key", () => {
  const draft = { ...empty, agent: " support ", apiKey: "k", fallback: "Sorry." };
  expect(bindingInput(account, draft)).toEqual({
    tenant_id: "shop",
    account_id: "a1",
    entry_agent: "support",
    fallback_message: "Sorry.",
    config: { platform_api_key: "k" },
  });
});

test("a new callback has no agent", () => {
  const draft = {
    ...empty,
    kind: "callback" as const,
    callbackUrl: "https://x.example/in",
    callbackSecret: "s",
  };
  expect(bindingInput(account, draft)).toEqual({
    tenant_id: "shop",
    account_id: "a1",
    config: { callback_url: "https://x.example/in", callback_secret: "s" },
  });
});

test("a secret that is left empty is kept, so a masked one is never sent", () => {
  const binding = { config: { platform_api_key: "•••abcd" } };
  const change = bindingChange(binding, { ...empty, agent: "sales" });
  expect(change).toEqual({ entry_agent: "sales", fallback_message: "", config: {} });
  expect(JSON.stringify(change)).not.toContain("•");
});

test("an agent replaces a callback", () => {
  const binding = { config: { callback_url: "https://x.example", callback_secret: "•••abcd" } };
  expect(bindingChange(binding, { ...empty, agent: "sales", apiKey: "k" }).config).toEqual({
    platform_api_key: "k",
    callback_url: null,
    callback_secret: null,
  });
});
