import { afterEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { requireSafeChannels } from "../../../src/compose/daemon/channels.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { AppError } from "../../../src/kit/app-error.ts";
import { recordingLogger } from "../../support/recording-logger.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";

const before = { ...process.env };
afterEach(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
});

interface Given {
  file?: string;
  variables?: Record<string, string>;
}

/** Loads the configuration of a workspace with this channels.yaml and these variables. */
function load({ file, variables = {} }: Given) {
  using folder = temporaryFolder();
  if (file !== undefined) writeFileSync(join(folder.path, "channels.yaml"), file);
  Object.assign(process.env, variables);
  return loadConfig({ workspace: folder.path });
}

function problemsOf(given: Given): string[] {
  try {
    load(given);
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    return (thrown.details.problems ?? []).map(({ path }) => path);
  }
  return [];
}

const whole = `
channels:
  phone_messenger:
    verify_token: the-verify-token
    access_token: the-access-token
    phone_number_id: "123456"
    app_secret: \${APP_SECRET}
    default_agent: desk
    rate_limit: {window_seconds: 10, max_messages: 3}
    api_base_url: https://api.example/v25.0/
`;
const agentOnly = "channels: {phone_messenger: {default_agent: desk}}";
const three = {
  CHANNEL_VERIFY_TOKEN: "variable-verify",
  CHANNEL_ACCESS_TOKEN: "variable-access",
  CHANNEL_PHONE_NUMBER_ID: "654321",
};

test("channels.yaml gives the channel, and its secrets are masked and known", () => {
  const config = load({ file: whole, variables: { APP_SECRET: "the-app-secret-of-32-characters-" } });
  expect(config.channels.phoneMessenger).toEqual({
    verifyToken: "the-verify-token",
    accessToken: "the-access-token",
    phoneNumberId: "123456",
    appSecret: "the-app-secret-of-32-characters-",
    allowsUnsigned: false,
    defaultAgent: "desk",
    rateLimit: { messagesMax: 3, windowMs: 10_000 },
    apiBaseUrl: "https://api.example/v25.0",
  });
  const rows = config.settings.filter(({ key }) => key.startsWith("channels."));
  const shown = Object.fromEntries(
    rows.map(({ key, value }) => [key.replace("channels.phone_messenger.", ""), value]),
  );
  expect(shown).toEqual({
    verify_token: "••••••••",
    access_token: "••••••••",
    phone_number_id: "123456",
    app_secret: "••••••••",
    default_agent: "desk",
    "rate_limit.max_messages": "3",
    "rate_limit.window_seconds": "10",
    allow_unsigned: "false",
    api_base_url: "https://api.example/v25.0",
  });
  expect(new Set(rows.map(({ source }) => source))).toEqual(new Set(["channels.yaml"]));
  const secrets = ["the-verify-token", "the-access-token", "the-app-secret-of-32-characters-"];
  for (const secret of secrets) expect(config.knownSecrets.mask(`x ${secret} y`)).toBe("x [redacted] y");
});

test("variables come before the file; what neither has is built in, and the app secret may be missing", () => {
  const config = load({ file: agentOnly, variables: three });
  expect(config.channels.phoneMessenger).toMatchObject({
    verifyToken: "variable-verify",
    accessToken: "variable-access",
    phoneNumberId: "654321",
    appSecret: undefined,
    defaultAgent: "desk",
    rateLimit: { messagesMax: 30, windowMs: 60_000 },
    apiBaseUrl: "https://graph.facebook.com/v24.0",
  });
  const both = load({
    file: whole,
    variables: { ...three, APP_SECRET: "x", CHANNEL_APP_SECRET: "variable-secret" },
  });
  expect(both.channels.phoneMessenger).toMatchObject({
    accessToken: "variable-access",
    appSecret: "variable-secret",
  });
  expect(both.warnings).toEqual([]);
});

test("no channel: nothing is set, and nothing is asked for", () => {
  for (const file of [undefined, "channels: {}"]) {
    const config = load({ ...(file === undefined ? {} : { file }), variables: { CHANNEL_APP_SECRET: "" } });
    expect(config.channels.phoneMessenger).toBeUndefined();
    expect(config.settings.filter(({ key }) => key.startsWith("channels."))).toEqual([]);
  }
});

describe("a channel that is set up in part refuses the start, naming all that is missing", () => {
  const agent = "channels.yaml channels.phone_messenger.default_agent";
  const table: [given: Given, paths: string[]][] = [
    [{ file: agentOnly }, ["CHANNEL_VERIFY_TOKEN", "CHANNEL_ACCESS_TOKEN", "CHANNEL_PHONE_NUMBER_ID"]],
    [{ variables: three }, [agent]],
    [
      { variables: { CHANNEL_APP_SECRET: "s" } },
      [agent, "CHANNEL_VERIFY_TOKEN", "CHANNEL_ACCESS_TOKEN", "CHANNEL_PHONE_NUMBER_ID"],
    ],
    [{ file: agentOnly, variables: { ...three, CHANNEL_ACCESS_TOKEN: "" } }, ["CHANNEL_ACCESS_TOKEN"]],
    [{ file: "channels: {phone_messenger: {verify_token: v}}" }, ["channels.phone_messenger.default_agent"]],
    [
      { file: "channels: {phone_messenger: {default_agent: desk, verify: v}}" },
      ["channels.phone_messenger.verify"],
    ],
    [
      { file: agentOnly, variables: { ...three, CHANNEL_ACCESS_TOKEN: "two words" } },
      ["CHANNEL_ACCESS_TOKEN"],
    ],
    [
      { file: agentOnly, variables: { ...three, CHANNEL_PHONE_NUMBER_ID: "../me" } },
      ["CHANNEL_PHONE_NUMBER_ID"],
    ],
    [{ file: whole }, ["channels.phone_messenger.app_secret"]],
    ...["https://u:p@api.example/v1", "https://api.example/?x=1", "https://"].map(
      (url): [Given, string[]] => [
        {
          file: `channels: {phone_messenger: {default_agent: desk, api_base_url: "${url}"}}`,
          variables: three,
        },
        ["channels.phone_messenger.api_base_url"],
      ],
    ),
  ];
  test.each(table)("%j", (given, paths) => {
    expect(problemsOf(given)).toEqual(paths);
  });
});

describe("without an app secret", () => {
  const events = (given: Given) => {
    const { log, logged } = recordingLogger();
    requireSafeChannels(load(given), log);
    return logged.map(({ level, event }) => `${level} ${event}`);
  };
  const exposed = { ARGOSY_ALLOWED_HOSTS: "argosy.example" };
  const unsigned = "channels: {phone_messenger: {default_agent: desk, allow_unsigned: true}}";
  const secret = { CHANNEL_APP_SECRET: "0123456789abcdef0123456789abcdef" };

  test("each start warns; with one it doesn't", () => {
    expect(events({ file: agentOnly, variables: three })).toEqual(["warn channel.unsigned"]);
    expect(events({ file: agentOnly, variables: { ...three, ...secret } })).toEqual([]);
  });

  test("an exposed daemon doesn't start, unless unsigned deliveries are allowed by name", () => {
    const refused = () => events({ file: agentOnly, variables: { ...three, ...exposed } });
    expect(refused).toThrow("may not take unsigned deliveries while the daemon is exposed");
    expect(events({ file: unsigned, variables: { ...three, ...exposed } })).toEqual([
      "warn channel.unsigned",
    ]);
    expect(events({ file: agentOnly, variables: { ...three, ...exposed, ...secret } })).toEqual([]);
  });

  test("an API without TLS beyond this machine is a warning", () => {
    const file = (url: string) =>
      `channels: {phone_messenger: {default_agent: desk, api_base_url: "${url}"}}`;
    const variables = { ...three, ...secret };
    expect(events({ file: file("http://provider:9000/v24.0"), variables })).toEqual([
      "warn channel.unencrypted",
    ]);
    for (const url of ["http://127.0.0.1:9000", "http://[::1]:9000", "https://provider"]) {
      expect(events({ file: file(url), variables })).toEqual([]);
    }
  });
});
