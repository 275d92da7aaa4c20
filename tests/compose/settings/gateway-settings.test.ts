import { describe, expect, test } from "bun:test";
import { readGateway } from "../../../src/compose/settings/gateway-settings.ts";
import { SettingReader } from "../../../src/compose/settings/setting.ts";
import { refusal } from "../../support/refusal.ts";

const long = "s".repeat(32);

function read(variables: Record<string, string>) {
  const reader = new SettingReader(variables);
  const config = readGateway(reader);
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

test("the channels' secrets, switches and limits are read; a custom Graph address holds for Instagram too", () => {
  const { config } = read({
    GATEWAY_PHONE_APP_SECRET: long,
    GATEWAY_PHONE_VERIFY_TOKEN: "v",
    GATEWAY_PHOTO_APP_SECRET: long,
    GATEWAY_PHOTO_VERIFY_TOKEN: "v",
    GATEWAY_GRAPH_BASE_URL: "http://127.0.0.1:9/v24.0/",
    GATEWAY_ENABLE_ECHO: "true",
    GATEWAY_EMULATE: "PN1, PN2",
  });
  expect(config).toMatchObject({
    phone: { appSecret: long, verifyToken: "v" },
    photo: { appSecret: long, verifyToken: "v" },
    baseUrls: { graph: "http://127.0.0.1:9/v24.0", instagram: "http://127.0.0.1:9/v24.0" },
    echo: true,
    webchat: false,
    emulate: ["PN1", "PN2"],
    inboundRows: 10_000,
    workers: 64,
    outboxRows: 100_000,
    storageBytes: 10 * 1024 ** 3,
    accounts: 1_000,
  });
  const gateway = { inbound_rows: 5, workers: 2, outbox_rows: 6, accounts: 3 };
  const file = { spec: { gateway } } as Parameters<typeof readGateway>[1];
  const flagged = readGateway(new SettingReader({}), file, { enableWebchat: true });
  expect(flagged).toMatchObject({ inboundRows: 5, workers: 2, outboxRows: 6, accounts: 3, webchat: true });
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
    [{ GATEWAY_PHONE_APP_SECRET: long }, "GATEWAY_PHONE_VERIFY_TOKEN must be set"],
    [{ GATEWAY_PHONE_VERIFY_TOKEN: "canary" }, "GATEWAY_PHONE_APP_SECRET must be set"],
    [{ GATEWAY_PHOTO_APP_SECRET: long }, "GATEWAY_PHOTO_VERIFY_TOKEN must be set"],
    [{ GATEWAY_PHOTO_VERIFY_TOKEN: "canary" }, "GATEWAY_PHOTO_APP_SECRET must be set"],
    [{ GATEWAY_PHOTO_APP_SECRET: "short", GATEWAY_PHOTO_VERIFY_TOKEN: "v" }, "at least 32 bytes"],
    [{ GATEWAY_PHONE_APP_SECRET: long, GATEWAY_PHONE_VERIFY_TOKEN: "a b" }, "without spaces"],
    [{ GATEWAY_BOT_WEBHOOK_SECRET: long, GATEWAY_ADMIN_TOKEN: long }, "must differ from"],
    [{ GATEWAY_PLATFORM_URL: "ftp://platform" }, "an http or https address"],
    [{ GATEWAY_BOT_BASE_URL: "https://example.com/?x=1" }, "an http or https address"],
    [{ GATEWAY_ENABLE_WEBCHAT: "perhaps" }, "true or false"],
    [{ GATEWAY_ENABLE_ECHO: "2" }, "true or false"],
    [{ GATEWAY_ALLOW_HTTP_CALLBACKS: "some" }, "true or false"],
    [{ GATEWAY_PHONE_APP_SECRET: "short", GATEWAY_PHONE_VERIFY_TOKEN: "v" }, "at least 32 bytes"],
    [
      { GATEWAY_ADMIN_TOKEN: long, GATEWAY_PHONE_APP_SECRET: long, GATEWAY_PHONE_VERIFY_TOKEN: "v" },
      "must differ from GATEWAY_ADMIN_TOKEN",
    ],
    [{ GATEWAY_EMULATE: "a b" }, "external ids"],
  ];
  test.each(table)("%j", async (variables, message) => {
    const thrown = await refusal(() => read(variables));
    expect(thrown.message).toContain(message);
    expect(JSON.stringify(thrown.details)).not.toContain("canary");
  });
});
