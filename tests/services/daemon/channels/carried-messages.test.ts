import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { storedEvent } from "../../../../src/channels/inbox/event-row.ts";
import { systemClock } from "../../../../src/kit/clock.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import { migrations } from "../../../../src/services/daemon/migrations.gen.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import type { ServiceMigrations } from "../../../../src/storage/migration.ts";
import { openStorage } from "../../../../src/storage/open-storage.ts";
import { deliveredAt, startChannelDaemon } from "../../../support/channel-daemon.ts";
import { deliveryOf, phoneNumberId, textMessage } from "../../../support/message-provider.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

/** Messages as the daemon stored them before its channel had an inbox and an outbox. */
const old = [
  { id: "1", message: "wamid.waiting", sender: "521", state: "waiting", text: "it's me" },
  { id: "2", message: "wamid.running", sender: "522", state: "running", text: "two" },
  { id: "3", message: "wamid.replying", sender: "523", state: "replying", text: "three" },
  { id: "4", message: "wamid.paused", sender: "524", state: "paused", text: "four", awaits: "A1" },
  { id: "5", message: "wamid.told", sender: "525", state: "replying", text: "five", awaits: "A2" },
  { id: "6", message: "wamid.done", sender: "526", state: "done", text: "" },
  { id: "7", message: "wamid.long", sender: "527", state: "waiting", text: "", request: "too_long" },
  { id: "8", message: "wamid.picture", sender: "MX.8", state: "waiting", text: "", request: "other_kind" },
];

const atMs = Date.parse(deliveredAt);
const quoted = (text: string | undefined) =>
  text === undefined ? "null" : `'${text.replaceAll("'", "''")}'`;

/** Inserts the messages, as a step before the one that carries them over. */
function rowsStep(dialect: "sqlite" | "postgres"): string {
  const table = dialect === "sqlite" ? "channel_messages" : '"daemon"."channel_messages"';
  const at = dialect === "sqlite" ? String(atMs) : `'${deliveredAt}'::timestamptz`;
  const rows = old.map(({ id, message, sender, state, text, awaits, request = "text" }) => {
    const kind = sender.startsWith("MX") ? "bsuid" : "phone";
    const name = id === "1" ? "Ana" : undefined;
    const texts = [
      "operator",
      "phone_messenger",
      phoneNumberId,
      message,
      id,
      sender,
      kind,
      name,
      request,
      text,
    ];
    return `(${texts.map(quoted).join(", ")}, ${at}, ${at}, ${quoted(awaits)}, ${quoted(state)})`;
  });
  return `insert into ${table} (tenant, channel, account, message_id, id, sender, sender_kind, contact_name, request, text, sent_at, received_at, awaits, state) values ${rows.join(", ")}`;
}

const carriedAt = (dialect: "sqlite" | "postgres") =>
  migrations[dialect].findIndex(({ tag }) => tag.endsWith("channel_messages_carried"));

/** All steps, with the messages before they are carried over. */
function stepsWithRows(dialect: "sqlite" | "postgres"): ServiceMigrations {
  const all = migrations[dialect];
  const at = carriedAt(dialect);
  const rows = { tag: "rows_of_the_test", sql: rowsStep(dialect) };
  return { ...migrations, [dialect]: [...all.slice(0, at), rows, ...all.slice(at)] };
}

onEachEngine("messages of an earlier daemon", (engine) => {
  test("are carried over, each at its step; closed ones keep their ids alone", async () => {
    await using storage = await engine.open({
      service: "daemon",
      tables,
      migrations: stepsWithRows(engine.dialect),
    });
    const { inbound } = storage.tables;
    const rows = await storage.read.select().from(inbound).orderBy(inbound.id);
    expect(rows.map(({ id, state, lane, plan }) => [id, state, lane, plan])).toEqual([
      ["1", "waiting", `${phoneNumberId}:c:521`, null],
      ["2", "waiting", `${phoneNumberId}:c:522`, { begun: true }],
      ["3", "done", null, null],
      ["4", "waiting", "aside:4", { awaits: "A1" }],
      ["5", "waiting", "aside:5", { awaits: "A2" }],
      ["6", "done", null, null],
      ["7", "waiting", `${phoneNumberId}:c:527`, { notice: "too_long" }],
      ["8", "waiting", `${phoneNumberId}:c:MX.8`, null],
    ]);
    expect(rows.map(({ dedupeKey }) => dedupeKey)).toEqual(old.map(({ message }) => `message:${message}`));
    for (const row of rows) expect([row.sentAt, row.receivedAt]).toEqual([new Date(atMs), new Date(atMs)]);
    const [first, , third] = rows;
    expect(first && storedEvent(first)).toMatchObject({
      type: "message",
      messageId: "wamid.waiting",
      conversation: { address: { kind: "phone", address: "521" }, key: "521", isGroup: false },
      sender: { kind: "phone", address: "521" },
      contactName: "Ana",
      kind: "text",
      text: "it's me",
      media: [],
    });
    expect(third?.event as object).toEqual({ type: "forgotten" });
    expect(rows.at(-1)?.event).not.toHaveProperty("contactName");
  });
});

test("after the upgrade a daemon answers what waited, apologises for what was cut off, and repeats nothing", async () => {
  using folder = temporaryFolder();
  const data = join(folder.path, ".argosy");
  mkdirSync(data, { mode: 0o700 });
  const before = await openStorage({
    service: "daemon",
    tables,
    migrations: { ...migrations, sqlite: migrations.sqlite.slice(0, carriedAt("sqlite")) },
    folder: data,
    file: join(data, "daemon.db"),
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });
  await before.close();
  {
    using database = new Database(join(data, "daemon.db"));
    database.run(rowsStep("sqlite"));
  }
  await using channel = await startChannelDaemon({ workspace: folder.path });
  await channel.idle(1000);
  const failed = "Sorry, something went wrong and I could not answer. Please try again in a moment.";
  expect(channel.provider.textsTo("521")).toEqual(["Hello there."]);
  expect(channel.provider.textsTo("522")).toEqual([failed]);
  expect(channel.provider.textsTo("523")).toEqual([]);
  expect(channel.provider.textsTo("527")).toEqual([
    "Sorry, that message is too long for me. Please send me a shorter one.",
  ]);
  expect(channel.provider.textsTo("MX.8")).toEqual([
    "Sorry, I could not read that message. Please write to me in words.",
  ]);
  expect(channel.daemon.models.lab.requests).toHaveLength(1);
  const sent = channel.provider.sent.length;
  const repeated = deliveryOf(
    old.map(({ message, sender }) => textMessage(message, "again", { from: sender })),
  );
  expect((await channel.deliver(repeated)).body).toEqual({ queued: old.length });
  await channel.idle(1000);
  expect(channel.provider.sent).toHaveLength(sent);
});
