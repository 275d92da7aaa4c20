import { afterAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSchemaAllowance } from "../../../../src/engine/structured/schema-allowance.ts";
import { bindBuiltin } from "../../../../src/engine/tools/bind-builtin.ts";
import type { BoundTool } from "../../../../src/engine/tools/bound-tool.ts";
import { executeTool } from "../../../../src/engine/tools/execute-tool.ts";
import type { ToolContext } from "../../../../src/engine/tools/tool.ts";
import { createMemoryCache } from "../../../../src/engine/tools/tool-cache.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { makeCertificate, opensslMissing } from "../../../support/certificate.ts";
import { recordingLogger } from "../../../support/recording-logger.ts";
import { type SmtpServer, startSmtpServer } from "../../../support/smtp-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";
import { toolContext } from "../../../support/tool-context.ts";
import { toolPorts } from "../../../support/tool-ports.ts";

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());
const password = "pass-canary-7f3a";
const user = { name: "ann", password };
const login = { smtp_user: user.name, smtp_password: password };
const from = { from_address: "Argosy <agent@example.com>" };
const mail = { to: "bob@example.com", subject: "Hello", body: "A line.\n.\nÜber all." };

const templates = {
  compile: () => ({ names: new Set<string>(), render: () => "" }),
  renderUntrusted: async () => "",
  close() {},
};
const files = { workspace: folder.path, offLimits: [] };
const ports = toolPorts({ templates, cache: createMemoryCache(systemClock), clock: systemClock, files });

function bind(config: Record<string, unknown>) {
  const common = {
    permissions: [] as string[],
    timeout_seconds: 30,
    requires_approval: false,
    mode: "execute",
  } as const;
  return bindBuiltin(
    { name: "send_email", type: "builtin", ...common, config: { ...from, ...config } },
    { path: "tool", ports, templates: {}, schemas: createSchemaAllowance() },
  );
}

function send(
  config: Record<string, unknown>,
  input: Record<string, unknown> = {},
  context: Partial<ToolContext> = {},
) {
  const tool = bind(config);
  if (!("tool" in tool)) throw new Error(JSON.stringify(tool));
  return executeTool(
    tool as BoundTool,
    { ...mail, ...input },
    toolContext({ clock: systemClock, ...context }),
  );
}

const at = ({ port }: SmtpServer, host = "127.0.0.1") => ({ smtp_host: host, smtp_port: port });
const failed = (error: RegExp) => ({ success: false as const, error: expect.stringMatching(error) });

test("a message arrives as it was written, and its receipt says so", async () => {
  await using server = await startSmtpServer();
  const result = await send(at(server), { to: "bob@example.com, carl@Example.ORG,bob@example.com" });
  expect(result).toEqual({
    success: true,
    data: {
      message_id: expect.stringMatching(/^<.+@example\.com>$/),
      accepted: ["bob@example.com", "carl@example.org"],
      rejected: [],
    },
  });
  const [got, ...more] = server.mails;
  expect(more).toEqual([]);
  expect(got).toMatchObject({
    from: "agent@example.com",
    to: ["bob@example.com", "carl@example.org"],
    secure: false,
  });
  expect(got?.text).toContain("From: Argosy <agent@example.com>\r\n");
  expect(got?.text).toContain("To: bob@example.com, carl@example.org\r\n");
  expect(got?.text).toContain("Subject: Hello\r\n");
  expect(got?.text).toMatch(/\r\n\r\nA line\.\r\n\.\r\n(=C3=9C|Ü)ber all\./);
  expect(got?.text).not.toMatch(/nodemailer/i);
});

describe("nothing can be slipped into headers or envelope", () => {
  const inputs: Record<string, string>[] = [
    { subject: "Hi\r\nBcc: eve@evil.example" },
    { subject: "Hi\nX: y" },
    { subject: "Hi\rX: y" },
    { subject: "Hi\u2028X: y" },
    { subject: "Hi\0" },
    { to: "bob@example.com\r\nRCPT TO:<eve@evil.example>" },
    { to: "bob@example.com>\r\nRCPT TO:<eve@evil.example" },
    { to: "bob@example.com\n" },
    { to: "Bob <bob@example.com>" },
    { to: '"eve@evil.example"@example.com' },
    { to: '"a b"@example.com' },
    { to: "<@evil.example:bob@example.com>" },
    { to: "bob@example.com;eve@evil.example" },
    { to: "bob@example.com eve@evil.example" },
    { to: "bob@example.com@evil.example" },
    { to: "group:bob@example.com;" },
    { to: "bob(comment)@example.com" },
    { to: "bob@exa%6dple.com" },
    { to: "bob@[127.0.0.1]" },
    { to: "bob@" },
    { to: "@example.com" },
    { to: "bob" },
    { to: "bob@example..com" },
    { to: "a@b.c,,d@e.f" },
    { to: `${"a".repeat(65)}@example.com` },
    { to: `a@${"b.".repeat(160)}com` },
    { to: "javascript:alert(1)" },
  ];
  for (const input of inputs) {
    test(JSON.stringify(input).slice(0, 60), async () => {
      await using server = await startSmtpServer();
      const result = await send(at(server), input);
      expect(result).toEqual(failed(/plain e-mail address|one line/));
      expect(server.lines).toEqual([]);
    });
  }

  test("a body may say what it wants", async () => {
    await using server = await startSmtpServer();
    const body = ".\r\n.\r\nMAIL FROM:<x@evil.example>\r\n\nRCPT TO:<eve@evil.example>\r\n.\n";
    expect(await send(at(server), { body })).toMatchObject({ success: true });
    expect(server.mails).toMatchObject([{ from: "agent@example.com", to: ["bob@example.com"] }]);
  });
});

test("at most ten recipients, each address once", async () => {
  await using server = await startSmtpServer();
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => `a${index}@example.com`).join(",");
  expect(await send(at(server), { to: many(11) })).toEqual(failed(/10 recipients/));
  expect(
    await send(at(server), { to: `${many(10)},A@b.c`.replace(",A@b.c", ",a0@example.com") }),
  ).toMatchObject({ success: true });
  expect(server.mails).toHaveLength(1);
});

describe("allowed_recipients", () => {
  const cases: [patterns: string[], to: string, allowed: boolean][] = [
    [["bob@example.com"], "bob@example.com", true],
    [["bob@example.com"], "BOB@EXAMPLE.COM", true],
    [["bob@example.com"], "bobby@example.com", false],
    [["*@example.com"], "anyone@example.com", true],
    [["*@example.com"], "anyone@sub.example.com", false],
    [["*@example.com"], "anyone@evilexample.com", false],
    [["*@example.com"], "anyone@example.com.evil.example", false],
    [["*@*.example.com"], "anyone@sub.example.com", true],
    [["team-*@example.com"], "team-a@example.com", true],
    [["team-*@example.com"], "a@example.com", false],
    [["a*b*c@example.com"], "axxbyyc@example.com", true],
    [["a*a@example.com"], "a@example.com", false],
    [["bob@example.com"], "bob@example.com,eve@evil.example", false],
    [["*@müller.example"], "a@xn--mller-kva.example", true],
    [[], "bob@example.com", false],
  ];
  for (const [patterns, to, allowed] of cases) {
    test(`${patterns.join(" ")}: ${to} ${allowed ? "may" : "may not"}`, async () => {
      await using server = await startSmtpServer();
      const result = await send({ ...at(server), allowed_recipients: patterns }, { to });
      expect(result.success).toBe(allowed);
      expect(server.mails).toHaveLength(allowed ? 1 : 0);
    });
  }
});

describe.skipIf(opensslMissing !== undefined)(`with certificates ${opensslMissing ?? ""}`, () => {
  const tls = opensslMissing === undefined ? makeCertificate() : { key: "", cert: "" };
  const trusted = { tls_ca_file: "ca.pem" };
  if (opensslMissing === undefined) writeFileSync(join(folder.path, "ca.pem"), tls.cert);

  test("credentials go over STARTTLS", async () => {
    await using server = await startSmtpServer({ tls, user });
    const result = await send({ ...at(server, "localhost"), ...login, ...trusted, tls: "starttls" });
    expect(result).toMatchObject({ success: true });
    expect(server.mails).toMatchObject([{ secure: true, user: "ann" }]);
  });

  test("or over TLS from the first byte", async () => {
    await using server = await startSmtpServer({ tls, user, implicitTls: true });
    const result = await send({ ...at(server), ...login, ...trusted, tls: "implicit" });
    expect(result).toMatchObject({ success: true });
    expect(server.mails).toMatchObject([{ secure: true, user: "ann" }]);
  });

  test("a certificate of an unknown authority is refused before the login", async () => {
    await using server = await startSmtpServer({ tls, user });
    expect(await send({ ...at(server), ...login, tls: "starttls" })).toEqual(
      failed(/could not be (protected|reached)/),
    );
    expect(server.lines.filter((line) => line.startsWith("AUTH"))).toEqual([]);
    expect(server.mails).toEqual([]);
  });

  test("nor does a server that takes STARTTLS back get them", async () => {
    for (const script of [
      { user, authInClear: true },
      { tls, user, authInClear: true, answers: [{ to: "STARTTLS", reply: "454 Not now" }] },
    ]) {
      await using server = await startSmtpServer(script);
      expect(await send({ ...at(server), ...login, tls: "starttls", ...trusted })).toMatchObject({
        success: false,
      });
      expect(server.lines.filter((line) => line.startsWith("AUTH"))).toEqual([]);
      expect(server.mails).toEqual([]);
    }
  });
});

test("a server on this machine may be given credentials in clear", async () => {
  await using server = await startSmtpServer({ user, authInClear: true });
  expect(await send({ ...at(server), ...login })).toMatchObject({ success: true });
  expect(server.mails).toMatchObject([{ secure: false, user: "ann" }]);
});

test("a server that offers no login gets no message either", async () => {
  await using server = await startSmtpServer();
  expect(await send({ ...at(server), ...login })).toMatchObject({ success: false });
  expect(server.mails).toEqual([]);
});

describe("what the server refuses", () => {
  const cases: [name: string, answers: { to: string; with?: string; reply: string }[], error: RegExp][] = [
    ["the greeting", [{ to: "GREETING", reply: "554 go away" }], /could not be reached|refused|554/],
    [
      "the sender",
      [{ to: "MAIL", reply: "550 5.1.0 no SECRET" }],
      /sender or every recipient \(status 550\); check/,
    ],
    [
      "every recipient, for now",
      [{ to: "RCPT", reply: "451 4.2.1 later SECRET" }],
      /status 451\); try again later/,
    ],
    [
      "the message",
      [{ to: "MESSAGE", reply: "552 5.3.4 too big SECRET" }],
      /refused the message \(status 552\); check/,
    ],
    [
      "the message, for now",
      [{ to: "MESSAGE", reply: "452 4.3.1 SECRET" }],
      /refused the message \(status 452\); try again/,
    ],
  ];
  for (const [name, answers, error] of cases) {
    test(`${name}: the model learns the status and no more`, async () => {
      await using server = await startSmtpServer({ answers });
      const result = await send(at(server));
      expect(result).toEqual(failed(error));
      expect(JSON.stringify(result)).not.toMatch(/SECRET|127\.0\.0\.1/);
      expect(server.mails).toEqual([]);
    });
  }

  test("one recipient of two: the other gets the message", async () => {
    await using server = await startSmtpServer({ answers: [{ to: "RCPT", with: "carl", reply: "550 no" }] });
    expect(await send(at(server), { to: "bob@example.com,carl@example.com" })).toMatchObject({
      success: true,
      data: { accepted: ["bob@example.com"], rejected: ["carl@example.com"] },
    });
    expect(server.mails).toMatchObject([{ to: ["bob@example.com"] }]);
  });

  test("the login: its password is sent to the mail server alone", async () => {
    await using server = await startSmtpServer({
      user: { name: "ann", password: "another" },
      authInClear: true,
    });
    const { log, logged } = recordingLogger();
    const result = await send({ ...at(server), ...login }, {}, { log });
    expect(result).toEqual(failed(/refused the login/));
    const told = JSON.stringify([result, logged]);
    for (const form of [password, btoa(password), btoa(`\0ann\0${password}`)])
      expect(told).not.toContain(form);
    expect(
      server.lines.some((line) => line.includes(btoa(`\0ann\0${password}`)) || line === btoa(password)),
    ).toBe(true);
  });
});

describe("a server that says nothing", () => {
  for (const silentAfter of ["GREETING", "EHLO", "DATA", "MESSAGE"]) {
    test(`after ${silentAfter}: the call ends with its run`, async () => {
      await using server = await startSmtpServer({ silentAfter });
      const run = new AbortController();
      const result = send(at(server), {}, { signal: run.signal });
      const before = silentAfter === "GREETING" ? "" : silentAfter;
      while (
        !server.lines.some((line) => line.startsWith(before === "MESSAGE" ? "DATA" : before)) &&
        before !== ""
      ) {
        await new Promise<void>((resolve) => systemClock.timer(5, resolve));
      }
      run.abort(new Error("over"));
      expect(await result).toEqual(failed(/was stopped: the run has ended/));
    });
  }

  test("no server listens: the model gets the advice to try later", async () => {
    const server = await startSmtpServer();
    await server[Symbol.asyncDispose]();
    expect(await send(at(server))).toEqual(failed(/could not be reached; try again later/));
  });

  test("the tool's own time limit ends it", async () => {
    await using server = await startSmtpServer({ silentAfter: "EHLO" });
    const tool = bind(at(server));
    if (!("tool" in tool)) throw new Error("refused");
    const bound = { ...(tool as BoundTool), timeoutMs: 200 };
    expect(await executeTool(bound, mail, toolContext({ clock: systemClock }))).toEqual(
      failed(/longer than 0.2 seconds/),
    );
  });
});

describe("a configuration that can't be honoured is refused", () => {
  const host = { smtp_host: "mail.example.com" };
  const cases: [config: Record<string, unknown>, key: string][] = [
    [{ from_address: "nobody", ...host }, "from_address"],
    [{ from_address: "A\r\nBcc: x@y.z <a@b.c>", ...host }, "from_address"],
    [{ ...host, smtp_user: "ann" }, "smtp_user"],
    [{ ...host, smtp_password: "x" }, "smtp_user"],
    [{ ...host, ...login, tls: "none" }, "tls"],
    [{ ...host, tls_ca_file: "missing.pem" }, "tls_ca_file"],
    [{ ...host, allowed_recipients: ["example.com"] }, "allowed_recipients[0]"],
    [{ ...host, tls: "sometimes" }, "tls"],
    [{ ...host, smtp_port: 0 }, "smtp_port"],
    [{ smtp_host: "a b" }, "smtp_host"],
    [{}, "smtp_host"],
  ];
  for (const [config, key] of cases) {
    test(`${key}: ${JSON.stringify(config)}`, () => {
      expect(bind(config)).toMatchObject({
        problems: expect.arrayContaining([{ path: `tool.config.${key}`, message: expect.any(String) }]),
      });
    });
  }
});

test("the password is masked wherever it would be written, as is that of a database", () => {
  const concealed: string[] = [];
  const place = {
    path: "tool",
    ports: { ...ports, conceal: (secret: string) => void concealed.push(secret) },
    templates: {},
    schemas: createSchemaAllowance(),
  };
  const entry = {
    type: "builtin",
    permissions: [] as string[],
    timeout_seconds: 30,
    requires_approval: false,
    mode: "execute",
  } as const;
  bindBuiltin(
    { ...entry, name: "send_email", config: { ...from, ...login, smtp_host: "mail.example.com" } },
    place,
  );
  const connection_string = "postgres://ann:p%40ss-canary@db.example/shop";
  bindBuiltin({ ...entry, name: "sql_query", config: { connection_string } }, place);
  expect(concealed).toEqual([password, "p%40ss-canary", "p@ss-canary"]);
});

test("a call that is only proposed names the recipients and sends nothing", async () => {
  await using server = await startSmtpServer();
  const tool = bind(at(server));
  if (!("tool" in tool)) throw new Error("refused");
  const proposed: unknown[] = [];
  const context = toolContext({ propose: async (call) => void proposed.push(call) });
  const result = await executeTool({ ...(tool as BoundTool), proposes: true }, mail, context);
  expect(result).toMatchObject({ success: true, data: { executed: false } });
  expect(proposed).toMatchObject([{ tool: "send_email", target: "bob@example.com", operation: "send" }]);
  expect(server.lines).toEqual([]);
});
