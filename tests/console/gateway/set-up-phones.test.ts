import { describe, expect, test } from "bun:test";
import {
  answeringAgents,
  phonesText,
  readPhones,
  savePhones,
} from "../../../src/console/gateway/phone/set-up-phones.ts";
import type { Account, AccountInput } from "../../../src/contracts/gateway/accounts.ts";
import type { Binding, BindingChange, BindingInput } from "../../../src/contracts/gateway/bindings.ts";

const at = "2026-11-01T00:00:00.000Z";

/** Remembers accounts and bindings as the gateway does; a binding's tag counts its changes. */
function gatewayInMemory() {
  const accounts: Account[] = [];
  const bindings: Binding[] = [];
  const changes = new Map<string, number>();
  const bindingOf = (id: string) => {
    const found = bindings.find((one) => one.id === id);
    if (found === undefined) throw new Error(`There is no binding ${id}.`);
    return found;
  };
  const tagOf = (id: string) => `tag-${changes.get(id) ?? 0}`;
  const gateway = {
    listAccounts: async (tenant: string) => ({
      accounts: accounts.filter(({ tenant_id }) => tenant_id === tenant),
    }),
    listBindings: async (tenant: string) => ({
      bindings: bindings.filter(({ tenant_id }) => tenant_id === tenant),
    }),
    readBinding: async (id: string) => ({ value: { ...bindingOf(id) }, tag: tagOf(id) }),
    saveAccount: async ({ credentials = {}, emulated = false, ...rest }: AccountInput) => {
      const taken = accounts.find(
        (one) => one.channel === rest.channel && one.external_id === rest.external_id,
      );
      if (taken !== undefined) throw new Error(`${rest.external_id} is taken.`);
      const id = `account-${accounts.length + 1}`;
      const saved: Account = {
        ...rest,
        id,
        credentials,
        emulated,
        status: "active",
        paused_reason: null,
        created_at: at,
      };
      accounts.push(saved);
      return saved;
    },
    createBinding: async ({ tenant_id, account_id, entry_agent = "", config = {} }: BindingInput) => {
      const channel = accounts.find(({ id }) => id === account_id)?.channel ?? "echo";
      const id = `binding-${bindings.length + 1}`;
      const times = { created_at: at, updated_at: at };
      const made: Binding = {
        id,
        tenant_id,
        account_id,
        channel,
        entry_agent,
        fallback_message: "",
        config,
        ...times,
      };
      bindings.push(made);
      return made;
    },
    changeBinding: async (id: string, { entry_agent }: BindingChange, match?: string) => {
      if (match !== tagOf(id)) throw new Error(`412: ${match} is not ${tagOf(id)}.`);
      changes.set(id, (changes.get(id) ?? 0) + 1);
      return Object.assign(bindingOf(id), { entry_agent });
    },
  };
  return { gateway, accounts, bindings };
}

const answer = { tenant: "t-1", agent: "helper", key: "a key" };

describe("the set-up of the emulated phones", () => {
  test("creates an account for each channel, bound to the agent", async () => {
    const { gateway, accounts, bindings } = gatewayInMemory();
    const none = await readPhones(gateway, "t-1");
    expect(phonesText(none)).toBe(
      "webchat: null\nphoto_social: null\nbot_messenger: null\nphone_messenger: null\n",
    );
    await savePhones(gateway, none, answer);
    expect(accounts.every(({ emulated }) => emulated)).toBe(true);
    expect(bindings.map(({ entry_agent }) => entry_agent)).toEqual(Array(4).fill("helper"));
    const [bot] = accounts.filter(({ channel }) => channel === "bot_messenger");
    expect(bot?.credentials.bot_token).toBe(`${bot?.external_id}:emulated-token`);
    expect(bot?.external_id).toMatch(/^\d+$/);
  });

  test("gives a second tenant other accounts", async () => {
    const { gateway, accounts } = gatewayInMemory();
    await savePhones(gateway, await readPhones(gateway, "t-1"), answer);
    await savePhones(gateway, await readPhones(gateway, "t-2"), { ...answer, tenant: "t-2" });
    expect(accounts).toHaveLength(8);
  });

  test("keeps the accounts that exist, and never takes one that is not emulated", async () => {
    const { gateway, accounts } = gatewayInMemory();
    const real = {
      tenant_id: "t-1",
      channel: "webchat",
      external_id: "demo-t-1",
      emulated: false,
    } as const;
    await gateway.saveAccount(real);
    await savePhones(gateway, await readPhones(gateway, "t-1"), answer);
    await savePhones(gateway, await readPhones(gateway, "t-1"), { ...answer, agent: "other" });
    expect(accounts).toHaveLength(5);
    expect(accounts[0]).toMatchObject(real);
    expect(accounts[1]).toMatchObject({ channel: "webchat", external_id: "demo-t-1-2", emulated: true });
    expect(answeringAgents(await readPhones(gateway, "t-1"))).toEqual(["other"]);
  });

  test("refuses with 412 to replace a binding that was changed since it was read", async () => {
    const { gateway } = gatewayInMemory();
    await savePhones(gateway, await readPhones(gateway, "t-1"), answer);
    const mine = await readPhones(gateway, "t-1");
    await savePhones(gateway, await readPhones(gateway, "t-1"), { ...answer, agent: "theirs" });
    await expect(savePhones(gateway, mine, { ...answer, agent: "mine" })).rejects.toThrow("412");
    expect(answeringAgents(await readPhones(gateway, "t-1"))).toEqual(["theirs"]);
    expect(phonesText(mine, "mine")).toContain("webchat: mine\n");
  });
});
