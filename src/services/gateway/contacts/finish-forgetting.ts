import { and, asc, eq, lte, ne } from "drizzle-orm";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { sweepCounted } from "../../../storage/counted-work.ts";
import type { Sealer } from "../../../storage/sealing/seal.ts";
import { openConfig } from "../bindings/store.ts";
import type { EmulatorRing } from "../emulator/emulator-ring.ts";
import type { EventFeed } from "../events/event-feed.ts";
import type { GatewayStorage, GatewayTables } from "../tables.ts";
import type { AgentSessions } from "./agent-sessions.ts";
import { deleteTraces } from "./delete-traces.ts";
import type { Forgetting } from "./forget-contact.ts";

export interface ForgetPorts {
  storage: GatewayStorage;
  sealer: Sealer | undefined;
  sessions: AgentSessions;
  emulated: EmulatorRing;
  feed: EventFeed;
  clock: Clock;
  log: Logger;
  /** Id of this process. */
  owner: string;
}

type SessionRow = GatewayTables["forgottenSessions"]["$inferSelect"];

/** Time that a caller waits. */
const waitMs = 5_000;
const [firstWaitMs, longestWaitMs] = [30_000, 60 * 60_000];
const dueAtOnce = 20;

/** Finishes forgetting a contact, for a caller who waits a little. Returns true if nothing is left. */
export async function finishSoon(ports: ForgetPorts, forgetting: Forgetting): Promise<boolean> {
  const over = new AbortController();
  const done = finish(ports, forgetting, over.signal)
    .catch((err) => {
      if (!over.signal.aborted) ports.log.warn("contact.forgotten_later", { contact: forgetting.id, err });
      return false;
    })
    .finally(() => over.abort());
  const late = sleep(ports.clock, waitMs, over.signal).then(
    () => false,
    () => done,
  );
  return Promise.race([done, late]);
}

/** Goes on with the contacts that were not forgotten at once. One process at a time does this. */
export async function sweepForgettings(ports: ForgetPorts, signal: AbortSignal): Promise<void> {
  const { storage, clock, log, owner } = ports;
  const { forgettings } = storage.tables;
  const due = await storage.read
    .select()
    .from(forgettings)
    .where(lte(forgettings.dueAt, clock.now()))
    .orderBy(asc(forgettings.dueAt))
    .limit(dueAtOnce);
  await sweepCounted(storage, due, {
    kind: "forgotten_contact",
    owner,
    log,
    signal,
    keyOf: ({ id }) => id,
    async work(forgetting) {
      if (await finish(ports, forgetting, signal)) return;
      log.warn("contact.forgotten_later", { contact: forgetting.id, tries: forgetting.tries + 1 });
    },
  });
}

/** Deletes what is left of a contact. Returns false if the platform has to be asked again. */
async function finish(ports: ForgetPorts, forgetting: Forgetting, signal: AbortSignal): Promise<boolean> {
  const { storage, clock, emulated } = ports;
  const { forgettings, forgottenSessions } = storage.tables;
  const { id, tenantId, tries, addresses } = forgetting;
  const isIt = and(eq(forgettings.tenantId, tenantId), eq(forgettings.id, id));
  emulated.forget(addresses);
  await deleteTraces(storage, forgetting);
  const sessions = await storage.read
    .select()
    .from(forgottenSessions)
    .where(and(eq(forgottenSessions.tenantId, tenantId), eq(forgottenSessions.forgettingId, id)));
  let isLeft = false;
  for (const session of sessions) {
    if (await forgetSession(ports, session, signal))
      await storage.transact((tx) =>
        tx
          .delete(forgottenSessions)
          .where(
            and(
              eq(forgottenSessions.tenantId, tenantId),
              eq(forgottenSessions.sessionId, session.sessionId),
              eq(forgottenSessions.forgettingId, id),
            ),
          )
          .returning({ id: forgottenSessions.sessionId }),
      );
    else isLeft = true;
  }
  // A message of a run that went on meanwhile may have been noted.
  await deleteTraces(storage, forgetting);
  await storage.transact(async (tx) => {
    if (!isLeft) return tx.delete(forgettings).where(isIt).returning({ id: forgettings.id });
    const waitMs = Math.min(longestWaitMs, firstWaitMs * 2 ** tries);
    const dueAt = new Date(clock.now().getTime() + waitMs);
    return tx
      .update(forgettings)
      .set({ tries: tries + 1, dueAt })
      .where(isIt)
      .returning({ id: forgettings.id });
  });
  return !isLeft;
}

/** Has the platform forget a session, with the key of its account's binding or else any other of the tenant. */
async function forgetSession(
  { storage: { read, tables }, sealer, sessions }: ForgetPorts,
  { tenantId, accountId, sessionId }: SessionRow,
  signal: AbortSignal,
): Promise<boolean> {
  if (sealer === undefined) return false;
  const { bindings } = tables;
  const ofTenant = eq(bindings.tenantId, tenantId);
  const own = await read
    .select()
    .from(bindings)
    .where(and(ofTenant, eq(bindings.accountId, accountId)));
  const others = await read
    .select()
    .from(bindings)
    .where(and(ofTenant, ne(bindings.accountId, accountId)));
  const keys = [...own, ...others].flatMap((binding) => openConfig(sealer, binding).platform_api_key ?? []);
  for (const apiKey of new Set(keys)) {
    const answer = await sessions.forget({ apiKey, sessionId }, signal);
    if (answer !== "refused") return answer === "forgotten";
  }
  return false;
}
