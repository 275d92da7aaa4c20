import { describe, expect, test } from "bun:test";
import { type GatewayFlags, readGateway } from "../../../src/compose/settings/gateway-settings.ts";
import { SettingReader } from "../../../src/compose/settings/setting.ts";
import { refusal } from "../../support/refusal.ts";

const long = "s".repeat(32);

function read(variables: Record<string, string>, flags: GatewayFlags = {}) {
  const reader = new SettingReader(variables);
  const config = readGateway(reader, flags);
  reader.finish();
  return { config, rows: reader.rows };
}

test("without variables, no plane is configured", () => {
  const { config } = read({});
  expect(config).toMatchObject({ sendKeys: [], emulator: false, allowsHttpCallbacks: false });
  expect(config.adminToken).toBeUndefined();
  expect(config.trustedSenderKey).toBeUndefined();
});

test("send keys are pairs; a key may contain colons, and a tenant may have several", () => {
  const { config, rows } = read({ GATEWAY_SEND_KEYS: "a:k1, b:k:2,a:k3" });
  expect(config.sendKeys).toEqual([
    { tenantId: "a", key: "k1" },
    { tenantId: "b", key: "k:2" },
    { tenantId: "a", key: "k3" },
  ]);
  expect(rows.find(({ key }) => key === "gateway.send_keys")?.value).toBe("••••••••");
});

test("the web chat is off unless the flag or the variable says otherwise; the flag wins", () => {
  expect(read({}).config.webchat).toBe(false);
  expect(read({ GATEWAY_ENABLE_WEBCHAT: "true" }).config.webchat).toBe(true);
  const { config, rows } = read({ GATEWAY_ENABLE_WEBCHAT: "false" }, { enableWebchat: true });
  expect(config.webchat).toBe(true);
  expect(rows.find(({ key }) => key === "gateway.enable_webchat")?.name).toBe("--enable-webchat");
});

describe("a start is refused for", () => {
  const table: [variables: Record<string, string>, message: string][] = [
    [{ GATEWAY_SEND_KEYS: "a" }, "pair 1"],
    [{ GATEWAY_SEND_KEYS: "a:k1," }, "pair 2"],
    [{ GATEWAY_SEND_KEYS: ":k1" }, "pair 1"],
    [{ GATEWAY_SEND_KEYS: "a:" }, "pair 1"],
    [{ GATEWAY_SEND_KEYS: "a:k 1" }, "pair 1"],
    [{ GATEWAY_SEND_KEYS: "a:canary,b:canary" }, "the key of pair 2 was given before"],
    [{ GATEWAY_TRUSTED_SENDER_KEY: "short" }, "at least 32 bytes"],
    [{ GATEWAY_ADMIN_TOKEN: "short" }, "at least 32 bytes"],
    [{ GATEWAY_BOT_WEBHOOK_SECRET: "short" }, "at least 32 bytes"],
    [{ GATEWAY_ADMIN_TOKEN: `${long}\n` }, "a line break at its end"],
    [
      { GATEWAY_ADMIN_TOKEN: long, GATEWAY_TRUSTED_SENDER_KEY: long },
      "must differ from GATEWAY_TRUSTED_SENDER_KEY",
    ],
    [{ GATEWAY_ADMIN_TOKEN: long, GATEWAY_SEND_KEYS: `a:${long}` }, "must differ from GATEWAY_ADMIN_TOKEN"],
    [{ GATEWAY_PUBLIC_BASE_URL: "gateway.example.com" }, "an http or https address"],
    [{ GATEWAY_GRAPH_BASE_URL: "https://u:p@example.com" }, "without user"],
    [{ GATEWAY_EMULATOR: "maybe" }, "true or false"],
  ];
  test.each(table)("%j", async (variables, message) => {
    const thrown = await refusal(() => read(variables));
    expect(thrown.message).toContain(message);
    expect(JSON.stringify(thrown.details)).not.toContain("canary");
  });
});
