import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { type AddressInfo, createServer, type Server } from "node:net";
import { builtinWith } from "../../../../../src/engine/tools/bind-builtin.ts";
import { sendEmail } from "../../../../../src/engine/tools/builtin/send-email.ts";
import { sqlQuery } from "../../../../../src/engine/tools/builtin/sql-query.ts";
import { executeTool } from "../../../../../src/engine/tools/execute-tool.ts";
import { createAddressFinder } from "../../../../../src/engine/tools/network/address/find-address.ts";
import { createSqlRunner } from "../../../../../src/engine/tools/sql/sql-runner.ts";
import { systemClock } from "../../../../../src/kit/clock.ts";
import { FakeClock } from "../../../../support/fake-clock.ts";
import { startSmtpServer } from "../../../../support/smtp-server.ts";
import { toolContext } from "../../../../support/tool-context.ts";
import { toolPorts } from "../../../../support/tool-ports.ts";

/** A connection to it proves that the guard failed. */
let canary: Server;
let port = 0;
let reached = 0;

beforeAll(async () => {
  canary = createServer((socket) => {
    reached++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
  port = (canary.address() as AddressInfo).port;
});
beforeEach(() => {
  reached = 0;
});
afterAll(() => void canary.close());

const publicAddress = "93.184.216.34";
const signal = new AbortController().signal;

/** The guard over a resolver with these answers, one after the other; the last repeats. */
function finder(...answers: readonly (readonly string[])[]) {
  const clock = new FakeClock();
  let asked = 0;
  const resolve = async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
  const find = createAddressFinder({ clock, resolve, opened: { hosts: new Set(), ranges: [] } });
  return { clock, find, asked: () => asked };
}

/** Tools of a stranger that connect through `addressOf`. */
function toolsOver(addressOf: ReturnType<typeof finder>["find"]) {
  const files = { workspace: "/nowhere", offLimits: [] };
  const sql = createSqlRunner({ clock: systemClock, childCommand: ["/nowhere"], files, addressOf });
  const ports = toolPorts({ clock: systemClock, files, sql, addressOf });
  const context = toolContext({ clock: systemClock });
  const limited = { timeoutMs: 20_000 };
  return {
    mail: (host: string, smtpPort = port) =>
      executeTool(
        {
          ...builtinWith(
            sendEmail,
            { smtp_host: host, smtp_port: smtpPort, from_address: "a@b.example" },
            ports,
          ),
          ...limited,
        },
        { to: "bob@example.com", subject: "Hello", body: "Hi." },
        context,
      ),
    query: (dsn: string) =>
      executeTool(
        { ...builtinWith(sqlQuery, { connection_string: dsn }, ports), ...limited },
        { query: "SELECT 1" },
        context,
      ),
  };
}

const dsn = (host: string) => `postgres://u:p@${host}:${port}/db`;

const private_: [string, readonly string[]][] = [
  ["loopback", ["127.0.0.1"]],
  ["loopback by IPv6", ["::1"]],
  ["loopback inside IPv6", ["::ffff:127.0.0.1"]],
  ["a private network", ["10.1.2.3"]],
  ["the metadata service", ["169.254.169.254"]],
  ["a public address beside loopback", [publicAddress, "127.0.0.1"]],
];

describe.each(private_)("a name that resolves to %s", (_what, addresses) => {
  test("is refused to mail and to PostgreSQL, without a connection", async () => {
    const tools = toolsOver(finder(addresses).find);
    for (const result of [await tools.mail("mail.example.com"), await tools.query(dsn("db.example.com"))]) {
      expect(result).toMatchObject({
        success: false,
        error: expect.stringContaining("not on the public internet"),
      });
    }
    expect(reached).toBe(0);
  });
});

test.each([
  "localhost",
  "127.0.0.1",
  "127.1",
  "2130706433",
  "0x7f000001",
  "[::1]",
  "localhost.",
  "a.localhost",
])("%s itself is refused to both", async (host) => {
  const tools = toolsOver(finder([publicAddress]).find);
  for (const result of [await tools.mail(host.replace(/^\[|\]$/g, "")), await tools.query(dsn(host))])
    expect(result.success).toBe(false);
  expect(reached).toBe(0);
});

describe("a name that leads elsewhere a moment later", () => {
  test("is looked up once: the connection goes to the address that was checked", async () => {
    const { find, asked, clock } = finder([publicAddress], ["127.0.0.1"]);
    expect(await find("mail.example.com", signal)).toBe(publicAddress);
    expect(await find("mail.example.com", signal)).toBe(publicAddress);
    expect(asked()).toBe(1);
    await clock.advance(30_001);
    await expect(find("mail.example.com", signal)).rejects.toMatchObject({ code: "network_refused" });
  });

  test("has mail and PostgreSQL connect to that address, not to the name", async () => {
    // These names have no address: only the guard's result can be connected to.
    await using server = await startSmtpServer();
    const tools = toolsOver(async () => "127.0.0.1");
    expect(await tools.mail("mail.invalid", server.port)).toMatchObject({ success: true });
    expect(server.mails).toHaveLength(1);
    await tools.query(dsn("db.invalid"));
    expect(reached).toBeGreaterThan(0);
  });
});

describe("a connection string without all of user, password and database", () => {
  const names = ["DATABASE_URL", "POSTGRES_URL", "PGPASSWORD", "PGUSER"] as const;
  const before = new Map(names.map((name) => [name, process.env[name]]));
  beforeEach(() => {
    for (const name of names) process.env[name] = "operators-secret";
    process.env.DATABASE_URL =
      "postgres://operator:operators-secret@db.example/argosy?application_name=operators";
  });
  afterEach(() => {
    for (const [name, value] of before) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  });

  /** A PostgreSQL server of the sender's that requests the password in clear text. */
  async function collector() {
    const received: string[] = [];
    const server = createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", (startup) => {
        received.push(startup.toString("latin1"));
        socket.once("data", (password) => {
          received.push(password.toString("latin1"));
          socket.destroy();
        });
        socket.write(Uint8Array.of(0x52, 0, 0, 0, 8, 0, 0, 0, 3));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port: at } = server.address() as AddressInfo;
    return { at, received, [Symbol.dispose]: () => void server.close() };
  }

  test.each([
    ["none of them", (at: number) => `postgres://db.example.com:${at}/`],
    ["no password", (at: number) => `postgres://u@db.example.com:${at}/db`],
    ["an empty password", (at: number) => `postgres://u:@db.example.com:${at}/db`],
    ["no user", (at: number) => `postgres://:p@db.example.com:${at}/db`],
    ["no database", (at: number) => `postgres://u:p@db.example.com:${at}`],
  ])("with %s is refused: the operator's would be sent", async (_what, dsnAt) => {
    using server = await collector();
    const result = await toolsOver(async () => "127.0.0.1").query(dsnAt(server.at));
    expect(result).toMatchObject({
      success: false,
      error: expect.stringMatching(/^connection_string must /),
    });
    expect(server.received).toEqual([]);
  });

  test("is complete: only what it says is sent", async () => {
    using server = await collector();
    await toolsOver(async () => "127.0.0.1").query(`postgres://u:p%40w@db.example.com:${server.at}/d`);
    expect(server.received.join()).toContain("p@w");
    expect(server.received.join()).not.toContain("operator");
  });
});

test("another host in the query of a connection string is refused", async () => {
  const tools = toolsOver(finder([publicAddress]).find);
  for (const more of [`host=127.0.0.1`, `hostaddr=127.0.0.1&port=${port}`, "options=-c%20role=postgres"])
    expect((await tools.query(`postgres://u:p@db.example.com/db?${more}`)).success).toBe(false);
  expect(reached).toBe(0);
});
