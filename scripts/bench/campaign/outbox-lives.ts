import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { systemClock } from "../../../src/kit/clock.ts";
import { newId } from "../../../src/kit/id.ts";
import { silentLogger } from "../../../src/kit/log.ts";
import { migrations } from "../../../src/services/gateway/migrations.gen.ts";
import { enqueueMessage } from "../../../src/services/gateway/outbox/enqueue-message.ts";
import { tables } from "../../../src/services/gateway/tables.ts";
import { openStorage } from "../../../src/storage/open-storage.ts";
import { temporaryFolder } from "../../../tests/support/temp-folder.ts";

export interface OutboxCampaign {
  kills: number;
  messages: number;
  /** How much faster the gateway's clock runs. */
  speed: number;
  /** Milliseconds of a life, at most. */
  lifeMs: number;
  seed: number;
}

export interface OutboxLosses {
  kills: number;
  /** Messages that the provider never accepted. */
  lost: number;
  /** Messages accepted more often than once although a receipt told of the first acceptance. */
  resent: number;
  accepted: number;
  /** Messages whose state at the end is not `sent`. */
  unsent: number;
}

/** Kills a process that sends the outbox's messages again and again, and counts at the provider what arrived. */
export async function killOutbox({
  kills,
  messages,
  speed,
  lifeMs,
  seed,
}: OutboxCampaign): Promise<OutboxLosses> {
  using folder = temporaryFolder();
  await fill(folder.path, messages, speed);
  const provider = await startCountingProvider();
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  let killed = 0;
  while (killed < kills) {
    const child = await start(folder.path, provider.url, speed);
    provider.deliverTo(child.port);
    await Bun.sleep(random() * lifeMs);
    child.process.kill("SIGKILL");
    await child.process.exited;
    killed++;
  }
  const last = await start(folder.path, provider.url, speed);
  provider.deliverTo(last.port);
  // The last life ends when nothing is open.
  const deadline = Date.now() + 120_000;
  while (provider.tokens() < messages && Date.now() < deadline) await Bun.sleep(50);
  while (provider.undelivered() > 0 && Date.now() < deadline) await Bun.sleep(50);
  await Bun.sleep(500);
  last.process.kill("SIGKILL");
  await last.process.exited;
  provider.stop();
  const unsent = await countUnsent(folder.path);
  return {
    kills: killed,
    lost: messages - provider.tokens(),
    resent: provider.resent(),
    accepted: provider.accepted(),
    unsent,
  };
}

const clockOf = (speed: number) => {
  const epochMs = Date.UTC(2026, 0, 1);
  return { ...systemClock, now: () => new Date(epochMs + (Date.now() - epochMs) * speed) };
};

const open = (folder: string) =>
  openStorage({
    service: "gateway",
    tables,
    migrations,
    folder,
    log: silentLogger,
    clock: systemClock,
    random: Math.random,
  });

async function fill(folder: string, messages: number, speed: number): Promise<void> {
  const storage = await open(folder);
  const now = clockOf(speed).now();
  await storage.transact(async (tx) => {
    await tx.insert(storage.tables.accounts).values({
      id: "phone",
      tenantId: "a",
      channel: "phone_messenger",
      externalId: "PN1",
      credentials: "sealed",
      masked: {},
      emulated: false,
      pausedReason: null,
      quietUntil: null,
      createdAt: now,
    });
    for (let index = 0; index < messages; index++) {
      await enqueueMessage(
        tx,
        storage.tables,
        {
          id: newId(),
          tenantId: "a",
          channel: "phone_messenger",
          accountId: "phone",
          recipient: String(5_215_550_000_000 + index),
          conversationId: null,
          source: "api",
          payload: { text: `Message ${index}` },
        },
        now,
      );
    }
  });
  await storage.close();
}

async function countUnsent(folder: string): Promise<number> {
  const storage = await open(folder);
  const { outbox } = storage.tables;
  const [row] = await storage.read
    .select({ count: sql<number>`count(*)`.mapWith(Number) })
    .from(outbox)
    .where(sql`${outbox.status} <> 'sent'`);
  await storage.close();
  return row?.count ?? 0;
}

async function start(folder: string, provider: string, speed: number) {
  const script = join(import.meta.dirname, "outbox-child.ts");
  const child = Bun.spawn([process.execPath, script, folder, provider, String(speed)], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  return { process: child, port: Number(new TextDecoder().decode(value)) };
}

/** A provider of WhatsApp that counts, and tells of each message until the gateway has heard it, as Meta does. */
async function startCountingProvider() {
  const counts = new Map<string, number>();
  const told = new Set<string>();
  const waiting = new Map<string, string>();
  let port: number | undefined;
  let resent = 0;
  let stopped = false;
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const token = JSON.parse(Buffer.concat(chunks).toString()).biz_opaque_callback_data as string;
    counts.set(token, (counts.get(token) ?? 0) + 1);
    if (told.has(token)) resent++;
    waiting.set(token, "phone");
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ messages: [{ id: `wamid.${token}` }] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const deliver = async () => {
    while (!stopped) {
      for (const [token, account] of [...waiting]) {
        if (port === undefined) break;
        const body = JSON.stringify({ account, token });
        const answer = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body }).catch(
          () => undefined,
        );
        if (answer?.ok !== true) break;
        told.add(token);
        waiting.delete(token);
      }
      await Bun.sleep(5);
    }
  };
  void deliver();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v24.0`,
    deliverTo: (to: number) => {
      port = to;
    },
    tokens: () => counts.size,
    accepted: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
    resent: () => resent,
    undelivered: () => waiting.size,
    stop() {
      stopped = true;
      server.close();
      server.closeAllConnections();
    },
  };
}
