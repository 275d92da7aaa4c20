import { expect, test } from "bun:test";
import { keepMessages, type StoredMessage } from "../../../../src/channels/inbox/store.ts";
import { newId } from "../../../../src/kit/id.ts";
import { silentLogger } from "../../../../src/kit/log.ts";
import {
  type HandlerPorts,
  handleMessage,
} from "../../../../src/services/daemon/channels/message-handler.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { fullDisk } from "../../../../src/storage/database-error.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

const key = { tenant: "t", channel: "phone_messenger", account: "PNID1" };
const outageMs = 10_000;

/** Handles a message whose transactions fail from number `place` on, while the outage lasts. */
async function handledIn(place: number) {
  const clock = new FakeClock();
  await using storage = await sqliteEngine.open({ service: "daemon", tables });
  const at = clock.now();
  const id = newId();
  const message: StoredMessage = {
    ...{ messageId: "m", id, sender: "52", senderKind: "phone", contactName: "Ana" },
    ...{ request: "text", text: "hi", sentAt: at, receivedAt: at },
  };
  await keepMessages(storage, key, [message], 10);
  let [transactions, isAway] = [0, true];
  const failing: typeof storage = {
    ...storage,
    async transact(run, options) {
      if (isAway && transactions++ >= place) throw fullDisk();
      return storage.transact(run, options);
    },
  };
  const told = { answered: 0, sent: 0 };
  const never = new AbortController().signal;
  const ports = {
    ...{ storage: failing, key, agent: "support", clock, log: silentLogger, stopping: never },
    async answer() {
      told.answered++;
      return { text: "Hello.", traceId: "t1" };
    },
    async send() {
      told.sent++;
      return "sent";
    },
    noteAnswer: async () => undefined,
    account: { enter: async () => true, leave() {} },
    metrics: { messages() {} },
  } as unknown as HandlerPorts;
  let isOver = false;
  const handling = handleMessage(ports, { id, task: "answer" }, never).then(() => {
    isOver = true;
  });
  for (let passedMs = 0; passedMs < outageMs; passedMs += 500) {
    await clock.advance(500);
    await storage.transact(async () => undefined);
  }
  isAway = false;
  // Back within two seconds, whatever the outage's length.
  for (let passedMs = 0; passedMs < 2_000 && !isOver; passedMs += 500) {
    await clock.advance(500);
    // The work over the disk goes on without the clock.
    for (let turn = 0; turn < 50 && !isOver; turn++) await storage.transact(async () => undefined);
  }
  expect(isOver).toBe(true);
  await handling;
  const { channelMessages } = storage.tables;
  const [row] = await storage.read.select({ state: channelMessages.state }).from(channelMessages);
  return { ...told, state: row?.state };
}

test.each([0, 1, 2, 3])(
  "a message is answered once, and closed, after an outage from its transaction %p on",
  async (place) => {
    expect(await handledIn(place)).toEqual({ answered: 1, sent: 1, state: "done" });
  },
);
