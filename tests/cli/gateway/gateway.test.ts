import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { builtParts } from "../../../src/command/parts.ts";
import { loadConfig } from "../../../src/compose/load-config.ts";
import { type RunningArgosy, startArgosy } from "../../../src/compose/start.ts";
import { channelNames } from "../../../src/contracts/gateway/channels.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { temporaryFolder } from "../../support/temp-folder.ts";
import { say } from "../recording-shell.ts";

const adminToken = "admin-token-of-the-gateway-with-32-bytes";
const secret = "EAAG-canary-access-token";
const folder = temporaryFolder();
let running: RunningArgosy;
let variables: Record<string, string> = {};
let apiKey = "";

const config = () => {
  const loaded = loadConfig({ workspace: folder.path, port: "0", services: "daemon,platform,gateway" });
  return {
    ...loaded,
    access: { allowedHosts: [], insecureOpen: false },
    models: { autoConfigure: false, rehearse: false },
    gateway: { ...loaded.gateway, adminToken, emulator: true, echo: true, webchat: true },
    variable: (name: string) => variables[name],
  };
};
const parts = { ...builtParts, loadConfig: async () => config() };
const argosy = (args: readonly string[], stdin = "") => say(args, { folder: folder.path, parts, stdin });
const gateway = (...args: string[]) =>
  argosy(["gateway", ...args], JSON.stringify({ platform_api_key: apiKey }));
const json = async (...args: string[]) => JSON.parse((await gateway(...args, "--json")).stdout);

/** Emulated accounts, one on each channel that the agent `support` answers. */
const externalIds = {
  phone_messenger: "PN1",
  bot_messenger: "1001",
  photo_social: "IG1",
  webchat: "site",
  echo: "e1",
};
const credentials = (channel: string) =>
  channel === "bot_messenger" ? { bot_token: "123456:canary-bot-token-0123" } : { access_token: secret };

beforeAll(async () => {
  running = await startArgosy(config(), { log: silentLogger });
  const urlOf = (service: string) => running.services.find(({ name }) => name === service)?.url ?? "";
  variables = { ARGOSY_GATEWAY_URL: urlOf("gateway") };
  const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${urlOf("platform")}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
    return response.json();
  };
  const person = { email: "a@example.com", password: "password-123", displayName: "A" };
  const as = { authorization: `Bearer ${(await post("/auth/register", person)).accessToken}` };
  const { id } = await post("/api/v1/tenants", { displayName: "Shop" }, as);
  apiKey = (await post(`/api/v1/tenants/${id}/keys`, { label: "gateway" }, as)).rawKey;
  const model = { primary: { provider: "rehearsal", model: "rehearsal" } };
  const agent = { apiVersion: "platform/v1", kind: "Agent", metadata: { name: "support" }, spec: { model } };
  await post("/api/v1/agents", agent, { "x-api-key": apiKey });
  for (const [channel, externalId] of Object.entries(externalIds)) {
    const made = await argosy(
      ["gateway", "accounts", "create", channel, externalId, "--tenant", "a", "--emulated", "--json"],
      JSON.stringify(credentials(channel)),
    );
    expect([made.code, made.stderr]).toEqual([0, ""]);
    expect(made.stdout).not.toContain("canary");
    const account = JSON.parse(made.stdout).id;
    const bound = await gateway(
      "bindings",
      "create",
      "--tenant",
      "a",
      "--account",
      account,
      "--agent",
      "support",
    );
    expect([bound.code, bound.stdout]).toEqual([0, ""]);
  }
});

afterAll(async () => {
  await running.stop();
  folder[Symbol.dispose]();
});

describe("argosy gateway", () => {
  test("lists accounts and bindings as a table and as JSON, without secrets", async () => {
    const { code, stdout } = await gateway("accounts", "list", "--tenant", "a");
    expect(code).toBe(0);
    for (const id of Object.values(externalIds)) expect(stdout).toContain(id);
    const { accounts } = await json("accounts", "--tenant", "a");
    expect(accounts.map(({ channel }: { channel: string }) => channel).toSorted()).toEqual(
      [...channelNames].toSorted(),
    );
    const shown = await gateway("bindings", "list", "--tenant", "a", "--json");
    expect(JSON.parse(shown.stdout).bindings).toHaveLength(5);
    expect(JSON.stringify(accounts) + shown.stdout + stdout).not.toMatch(/canary|apk_/);
    expect(await gateway("accounts", "--tenant", "nobody")).toMatchObject({
      code: 0,
      stderr: "No accounts.\n",
    });
    expect(await gateway("bindings", "--tenant", "nobody")).toMatchObject({
      code: 0,
      stderr: "No bindings.\n",
    });
  });

  test("says which pages may show the chat of a webchat account", async () => {
    const account = externalIds.webchat;
    expect(await gateway("sites", "show", account)).toMatchObject({
      code: 0,
      stderr: "No page may show this chat.\n",
    });
    const origins = ["https://shop.example", "http://localhost:3000"];
    expect(await gateway("sites", "set", account, ...origins)).toMatchObject({
      code: 0,
      stdout: `${origins.join("\n")}\n`,
    });
    expect((await json("sites", "show", account)).origins).toEqual(origins);
    const refused = await gateway("sites", "set", account, "shop.example/path");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect((await json("sites", "show", account)).origins).toEqual(origins);
  });

  test("sends, lists the outbox, and tells the trail", async () => {
    const sent = await json("send", "Good", "morning", "--tenant", "a", "--channel", "echo", "--to", "eva");
    expect(sent.status).toBe("pending");
    const again = ["--tenant", "a", "--channel", "echo", "--to", "eva", "--idempotency-key", "k1"];
    expect((await json("send", "Once", ...again)).message_id).toBe(
      (await json("send", "Once", ...again)).message_id,
    );
    const trail = await gateway("trail", sent.message_id);
    expect(trail.stdout).toContain("queued");
    expect((await json("trail", "eva")).messages).toHaveLength(2);
    const outbox = await gateway("outbox", "--tenant", "a", "--channel", "echo");
    expect([outbox.code, outbox.stdout.includes("eva")]).toEqual([0, true]);
    const page = await json("outbox", "list", "--limit", "1", "--offset", "1");
    expect([page.entries.length, page.limit, page.offset]).toEqual([1, 1, 1]);
    expect(await gateway("outbox", "--status", "failed", "--tenant", "nobody")).toMatchObject({
      stderr: "No messages.\n",
    });
  });

  test("hands conversations over and back", async () => {
    const said = await argosy(
      ["emulate", "--account", "e1", "--channel", "echo", "--from", "ida"],
      "hello\n",
    );
    expect(said.stdout).toContain("hello");
    const { conversations } = await json("conversations", "--channel", "echo");
    const { id } = conversations.find(
      ({ external_user }: { external_user: string }) => external_user === "ida",
    );
    expect((await gateway("conversations", "takeover", id)).stderr).toBe(
      `Conversation ${id} is in mode human.\n`,
    );
    expect((await gateway("conversations", "list", "--tenant", "a")).stdout).toContain("human");
    const silent = ["emulate", "--account", "e1", "--channel", "echo", "--from", "ida", "--wait", "1"];
    expect((await argosy(silent, "anyone?\n")).stderr).toBe("No answer within 1 s.\n");
    expect((await json("conversations", "release", id)).mode).toBe("bot");
    const messages = await gateway("conversations", "messages", id);
    expect(messages.stdout).toContain("anyone?");
    expect((await json("conversations", "messages", id)).messages).toHaveLength(3);
    const ana = ["--as", "Ana Muñoz"];
    expect((await json("conversations", "note", id, "calls", "at five", ...ana)).by).toBe("Ana Muñoz");
    expect((await gateway("conversations", "assign", id, "Bob", ...ana)).stderr).toBe(
      `Conversation ${id} is open, Bob's.\n`,
    );
    expect((await json("conversations", "label", id, "vip", "new", ...ana)).labels).toEqual(["vip", "new"]);
    expect((await json("conversations", "snooze", id, "2999-01-01T00:00:00Z")).state).toBe("snoozed");
    const found = async (...filter: string[]) => (await json("conversations", "list", ...filter)).total;
    for (const filter of [
      ["--state", "snoozed"],
      ["--assignee", "Bob"],
      ["--label", "vip"],
      ["--q", "ANYONE"],
      ["--unread", "--channel", "echo"],
      ["--mode", "bot", "--q", "ida"],
    ])
      expect({ filter, found: await found(...filter) }).toEqual({ filter, found: 1 });
    expect(await found("--needs-person")).toBe(0);
    expect(await found("--state", "snoozed", "--mode", "human")).toBe(0);
    expect((await json("conversations", "resolve", id)).state).toBe("resolved");
    expect((await json("conversations", "reopen", id)).state).toBe("open");
    expect((await json("conversations", "assign", id)).assignee).toBeNull();
    expect((await gateway("conversations", "notes", id)).stdout).toContain("calls at five");
    await json("send", "from a person", "--tenant", "a", "--conversation", id, ...ana);
    expect((await json("conversations", "messages", id)).messages.at(-1)).toMatchObject({
      text: "from a person",
      author: "Ana Muñoz",
    });
    expect(await gateway("conversations", "--tenant", "nobody")).toMatchObject({
      stderr: "No conversations.\n",
    });
  });

  const missing: readonly (readonly string[])[] = [
    ["accounts", "resume", "nothing"],
    ["accounts", "delete", "nothing", "--yes"],
    ["bindings", "delete", "nothing", "--yes"],
    ["sites", "show", "nothing"],
    ["sites", "set", "nothing", "https://a.example"],
    ["outbox", "retry", "nothing"],
    ["inbound", "retry", "nothing"],
    ["trail", "nothing"],
    ["conversations", "messages", "nothing"],
    ["conversations", "takeover", "nothing"],
    ["conversations", "release", "nothing"],
    ["conversations", "note", "nothing", "x"],
    ["conversations", "notes", "nothing"],
    ["conversations", "assign", "nothing", "ana"],
    ["conversations", "label", "nothing", "vip"],
    ["conversations", "snooze", "nothing", "2999-01-01T00:00:00Z"],
    ["conversations", "resolve", "nothing"],
    ["conversations", "reopen", "nothing"],
    ["send", "x", "--tenant", "a", "--conversation", "nothing"],
  ];
  test.each(missing.map((args) => [args.join(" "), args] as const))(
    "%s names what is missing, exit code 1",
    async (_, args) => {
      const { code, stdout, stderr } = await gateway(...args);
      expect([code, stdout]).toEqual([1, ""]);
      expect(stderr).toContain("nothing");
      expect(JSON.parse((await gateway(...args, "--json")).stdout)).toMatchObject({ error: "not_found" });
    },
  );

  const wrong: readonly (readonly string[])[] = [
    ["accounts"],
    ["accounts", "create", "pigeon", "x", "--tenant", "a"],
    ["accounts", "delete", "x"],
    ["bindings", "create", "--tenant", "a"],
    ["bindings", "delete", "x"],
    ["sites"],
    ["sites", "set", "w1"],
    ["send", "x"],
    ["send", "x", "--tenant", "a"],
    ["send", "--tenant", "a", "--channel", "phone_messenger", "--to", "1", "--template", "t"],
    ["outbox", "--limit", "0"],
    ["outbox", "--limit", "201"],
    ["outbox", "--status", "lost"],
    ["trail"],
    ["conversations", "--channel", "pigeon"],
  ];
  test.each(wrong.map((args) => [args.join(" "), args] as const))(
    "%s is a usage error, exit code 2",
    async (_, args) => {
      const { code, stdout, stderr } = await gateway(...args);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).not.toBe("");
    },
  );

  test("takes secrets only as a JSON object of texts, and never repeats them", async () => {
    for (const text of ["", "canary", '["canary"]', '{"access_token": 1, "x": "canary"}']) {
      const made = await argosy(
        ["gateway", "accounts", "create", "phone_messenger", "PN2", "--tenant", "a"],
        text,
      );
      expect(made.code).toBe(2);
      expect(made.stderr).not.toContain("canary");
    }
    const masked = JSON.stringify({ access_token: "•••7890" });
    const made = await argosy(
      ["gateway", "accounts", "create", "phone_messenger", "PN2", "--tenant", "a"],
      masked,
    );
    expect([made.code, made.stderr]).toEqual([2, expect.stringContaining("masked")]);
  });

  test("needs the token over the network, and refuses a wrong one", async () => {
    const bare = {
      ...parts,
      loadConfig: async () => ({ ...config(), gateway: { ...config().gateway, adminToken: undefined } }),
    };
    const without = await say(["gateway", "outbox"], { folder: folder.path, parts: bare as never });
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining("GATEWAY_ADMIN_TOKEN")]);
    const other = {
      ...config(),
      gateway: { ...config().gateway, adminToken: "another-token-that-has-32-bytes-or-so" },
    };
    const refused = await say(["gateway", "outbox"], {
      folder: folder.path,
      parts: { ...parts, loadConfig: async () => other },
    });
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("X-Admin-Token")]);
    const away = await gateway("outbox", "--url", "http://127.0.0.1:1");
    expect([away.code, away.stdout]).toEqual([1, ""]);
  });
});

describe("argosy emulate", () => {
  const channels = Object.entries(externalIds);
  const emulate = (channel: string, account: string, from: string, ...more: string[]) =>
    argosy(
      ["emulate", "--account", account, "--channel", channel, "--from", from, "--json", ...more],
      "hola\n",
    );
  const texts = ({ stdout }: { stdout: string }) =>
    stdout
      .trim()
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line));

  const onEach = (from: string, fault: string) =>
    Promise.all(
      channels.map(async ([channel, account]) =>
        texts(await emulate(channel, account, from, "--fault", fault)),
      ),
    );

  test("answers a repeated delivery once", async () => {
    for (const answers of await onEach("5215550001001", "duplicate")) {
      expect(answers).toMatchObject([{ text: expect.stringContaining("hola") }]);
    }
    const { messages } = await json("trail", "5215550001001");
    const events = messages.flatMap(({ events }: { events: { event: string }[] }) =>
      events.map(({ event }) => event),
    );
    expect(events.filter((event: string) => event === "duplicate")).toHaveLength(channels.length);
  });

  test("shows the answers to a phone number in any spelling", async () => {
    const account = externalIds.phone_messenger;
    const answers = texts(await emulate("phone_messenger", account, "+52 1 (555) 000-1009"));
    expect(answers).toMatchObject([{ text: expect.stringContaining("hola") }]);
    const { messages } = await json("trail", "+52 1 555 000 1009");
    expect(messages.map(({ address }: { address: string }) => address)).toEqual(
      Array(2).fill("5215550001009"),
    );
  });

  test("answers an older message that comes late", async () => {
    for (const answers of await onEach("5215550001002", "out-of-order")) {
      expect(answers).toHaveLength(2);
      expect(JSON.stringify(answers)).toContain("(earlier) hola");
    }
  });

  test("shows the answer that a provider asked to send later", async () => {
    for (const answers of await onEach("5215550001003", "429")) {
      expect(answers).toMatchObject([{ text: expect.stringContaining("hola") }]);
    }
  });

  test("says that the provider refused the answer outside the window", async () => {
    for (const answers of await onEach("5215550001004", "closed-window")) {
      expect(answers).toMatchObject([{ failed: expect.stringContaining("24 hours") }]);
    }
  });

  test("takes each line of a pipe as a message, and refuses bad input", async () => {
    const said = await argosy(["emulate", "--account", "PN1", "--from", "5215550001005"], "one\n\ntwo\n");
    expect(said.stdout.trim().split("\n")).toEqual([
      expect.stringContaining("one"),
      expect.stringContaining("two"),
    ]);
    expect((await argosy(["emulate"], "x\n")).code).toBe(2);
    expect((await argosy(["emulate", "--account", "PN1", "--fault", "fire"], "x\n")).code).toBe(2);
    expect((await argosy(["emulate", "--account", "PN1", "--wait", "0"], "x\n")).code).toBe(2);
    const unknown = await argosy(["emulate", "--account", "PN9"], "x\n");
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining("PN9")]);
  });

  test("changes a binding; what isn't named stays", async () => {
    const [binding] = (await json("bindings", "--tenant", "a")).bindings;
    const change = (...args: string[]) => json("bindings", "change", binding.id, ...args);
    const { config, entry_agent } = await change("--collect-seconds", "4", "--csat-question", "From 1 to 5?");
    expect([config.collect_seconds, config.csat_question, entry_agent]).toEqual([
      4,
      "From 1 to 5?",
      "support",
    ]);
    expect((await change("--collect-seconds", "0", "--csat-question", "")).config).toEqual({
      platform_api_key: config.platform_api_key,
      collect_seconds: 0,
    });
    for (const seconds of ["31", "-1", "1.5"]) {
      const { code, stdout } = await gateway("bindings", "change", binding.id, "--collect-seconds", seconds);
      expect([code, stdout]).toEqual([2, ""]);
    }
  });

  test("reports as a table, as JSON and as CSV; an invalid day is an error", async () => {
    const report = await json("reports", "--tenant", "a", "--time-zone", "Asia/Kathmandu");
    expect(report).toMatchObject({ tenant_id: "a", time_zone: "Asia/Kathmandu" });
    expect(report.days).toHaveLength(7);
    expect((await gateway("reports")).stdout).toContain("FIRST ANSWER");
    expect((await gateway("reports", "--csv")).stdout).toStartWith("group,name,conversations");
    expect((await gateway("reports", "--from", "someday")).code).toBe(2);
  });

  test("is the desk of a tenant with the platform's key instead of the gateway's token", async () => {
    const { gateway: settings, ...rest } = config();
    const { adminToken: _, ...withoutToken } = settings;
    const asDesk = (...args: string[]) =>
      say(["gateway", ...args], {
        folder: folder.path,
        parts: {
          ...builtParts,
          loadConfig: async () => ({ ...rest, gateway: withoutToken }),
        },
        stdin: "",
      });
    const refused = await asDesk("conversations");
    expect([refused.code, refused.stdout]).toEqual([2, ""]);
    expect(refused.stderr).toContain("ARGOSY_PLATFORM_KEY");
    variables.ARGOSY_PLATFORM_KEY = apiKey;
    expect(await asDesk("conversations")).toMatchObject({ code: 0, stderr: "No conversations.\n" });
    // Those of tenant a are another's.
    const others = await asDesk("conversations", "--tenant", "a");
    expect([others.code, others.stdout]).toEqual([1, ""]);
    delete variables.ARGOSY_PLATFORM_KEY;
  });
});
