import { expect, test } from "bun:test";
import { AppError } from "../../../../src/kit/app-error.ts";
import { newId } from "../../../../src/kit/id.ts";
import type { PhoneMessengerPorts } from "../../../../src/services/daemon/channels/phone-messenger.ts";
import { tables } from "../../../../src/services/daemon/tables.ts";
import { fullDisk } from "../../../../src/storage/database-error.ts";
import { type FailingDatabase, failingDatabase } from "../../../support/failing-database.ts";
import { FakeClock } from "../../../support/fake-clock.ts";
import { textMessage } from "../../../support/message-provider.ts";
import { stageMessenger } from "../../../support/staged-messenger.ts";
import { sqliteEngine } from "../../../support/storage-engines.ts";

/*
 * A message on its way from the delivery to the answer at the provider, and an outage of the database that begins at each of the statements
 * of that way.
 */

const outageMs = 20_000;
const stepMs = 250;
/** More statements than a message takes. */
const placesMax = 50;

interface Way {
  name: string;
  sent: string[];
  ports: () => Partial<PhoneMessengerPorts>;
  /** Time from the end of the outage to the answer. */
  recoveryMs: number;
}

async function answeredIn(database: FailingDatabase, place: number, { ports, recoveryMs }: Way) {
  const clock = new FakeClock("2025-10-09T08:53:30.000Z");
  await using storage = await sqliteEngine.open({ service: "daemon", tables });
  await using staged = stageMessenger(storage, clock, ports());
  /** Advances the clock step by step, as work over a real disk goes on in between. */
  const advance = async (ms: number) => {
    for (let passedMs = 0; passedMs < ms; passedMs += stepMs) {
      await clock.advance(stepMs);
      await storage.transact(async () => undefined).catch(() => undefined);
    }
  };
  staged.messenger.begin();
  await advance(stepMs);
  await staged.deliver([textMessage("m1", "hi", { from: "521" })]);
  const before = database.statements;
  database.failAfter(place, fullDisk);
  await advance(outageMs);
  database.heal();
  const during = database.statements - before;
  await advance(recoveryMs);
  const { inbound, outbox } = storage.tables;
  const [event] = await storage.read.select().from(inbound);
  const answers = await storage.read.select({ status: outbox.status }).from(outbox);
  const stuck = staged.workers.states().filter(({ status }) => status !== "running");
  const { state, outcome, tries, interruptions } = event ?? {};
  return {
    ...{ place, during, state, outcome, tries, interruptions },
    sent: staged.sent.map(({ text }) => text),
    answers: answers.map(({ status }) => status),
    stuck,
  };
}

const answered = {
  state: "done",
  outcome: "answered",
  tries: 0,
  interruptions: 0,
  answers: ["sent"],
  stuck: [],
};

const approval =
  "Someone has to approve that before I can go on. I will write to you when they have decided.";

/** A run that ends at once, and one that waits for a person first, who has decided by the next look. */
const ways: Way[] = [
  { name: "at once", sent: ["Re: hi"], ports: () => ({}), recoveryMs: 5_000 },
  {
    name: "after an approval",
    sent: [approval, "Yes."],
    // The message looks for the decision after 30 s.
    recoveryMs: 35_000,
    ports: () => ({
      answer: async () => {
        const facts = { status: "awaiting_approval", approval_id: "a1" };
        throw new AppError("conflict", "awaiting_approval", "It waits.", { details: { facts } });
      },
      awaited: {
        over: async (ids) => [...ids],
        outcome: async () => ({ text: "Yes.", traceId: newId() }),
        onOver: () => {},
      },
    }),
  },
];

test.each(ways)(
  "a message answered $name is answered once, soon after an outage at any statement of its way",
  async (way) => {
    using database = failingDatabase();
    const expected = { ...answered, sent: way.sent, answers: way.sent.map(() => "sent") };
    expect(await answeredIn(database, Number.POSITIVE_INFINITY, way)).toMatchObject(expected);
    const failed: unknown[] = [];
    for (let place = 0; place < placesMax; place++) {
      const found = await answeredIn(database, place, way);
      if (!Bun.deepMatch(expected, found)) failed.push(found);
    }
    expect(failed).toEqual([]);
  },
  120_000,
);
