import { lt } from "drizzle-orm";
import { oldestDueEvent } from "../../channels/inbox/claim-events.ts";
import { readInboundDepth } from "../../channels/inbox/inbound-depth.ts";
import { oldestDueMessage } from "../../channels/outbox/claim-messages.ts";
import { readOutboxDepth } from "../../channels/outbox/outbox-depth.ts";
import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import type { Clock } from "../../kit/clock.ts";
import type { DoctorCheckup } from "../../services/daemon/system/doctor.ts";
import { nearlyFull } from "../../services/gateway/room/make-room.ts";
import type { GatewayStorage } from "../../services/gateway/tables.ts";

interface Checked {
  storage: GatewayStorage;
  clock: Clock;
  /** Limit of what a tenant stores, unless its plan has another. */
  storageBytes: number;
  dataFolder: string;
}

type Finding = Omit<DoctorCheck, "name">;

/** Age of an open message at which the doctor speaks up: later than the usual retries. */
const slowMs = 60 * 60_000;
/** Work that could be done waits for a free place, a few seconds under load. After this time, something is wrong. */
const dueMaxMs = 60_000;

/** Time in which the platform usually forgets a contact. */
const forgottenWithinMs = 5 * 60_000;
const namedMax = 5;

const workersMend =
  "See whether its worker runs with `argosy workers`, and why it fails with `argosy logs`. If it is stuck, restart the server.";

/** The doctor's checks of the gateway. */
export const gatewayCheckups = (checked: Checked): DoctorCheckup[] => [
  { name: "gateway storage", look: () => checkStorage(checked) },
  { name: "gateway room", look: () => checkRoom(checked) },
  { name: "gateway outbox", look: () => checkOutbox(checked) },
  { name: "gateway inbound", look: () => checkInbound(checked) },
  { name: "forgotten contacts", look: () => checkForgettings(checked) },
];

async function checkStorage({ storage, dataFolder }: Checked): Promise<Finding> {
  await storage.check();
  const place = storage.dialect === "postgres" ? "PostgreSQL" : dataFolder;
  return { status: "healthy", message: `Storage at ${place} is writable.` };
}

async function checkRoom({ storage, storageBytes }: Checked): Promise<Finding> {
  const tenants = (await nearlyFull({ storage, storageBytes })).map(({ tenantId }) => tenantId);
  if (tenants.length === 0) return { status: "healthy", message: "Every tenant has room for its messages." };
  const named = tenants.slice(0, namedMax).join(", ");
  return {
    status: "degraded",
    message: `${tenants.length} tenants store nearly as much as they may, so their oldest messages are dropped: ${named}. A larger plan, or spec.gateway.storage_bytes, gives them room.`,
  };
}

async function checkOutbox({ storage, clock }: Checked): Promise<Finding> {
  const now = clock.now();
  const { pending, oldestMs, pausedAccounts } = await readOutboxDepth(storage, now);
  const message = `${pending} messages wait; the oldest open one is ${inSeconds(oldestMs)} old.`;
  const waitsMs = ageOf(await oldestDueMessage(storage, now), now);
  if (waitsMs > dueMaxMs) {
    const late = `A message that could be sent has waited for ${inSeconds(waitsMs)}.`;
    return { status: "failing", message: `${message} ${late}`, mend: workersMend };
  }
  if (pausedAccounts > 0) {
    const paused = `${pausedAccounts} accounts are paused by their provider: fix the cause, then run \`argosy gateway accounts resume <id>\`.`;
    return { status: "degraded", message: `${message} ${paused}` };
  }
  return { status: oldestMs > slowMs ? "degraded" : "healthy", message };
}

async function checkInbound({ storage, clock }: Checked): Promise<Finding> {
  const now = clock.now();
  const { waiting, working, parked, oldestMs } = await readInboundDepth(storage, now);
  const message = `${waiting + working} delivered events are open; the oldest is ${inSeconds(oldestMs)} old. ${parked} failed too often.`;
  const waitsMs = ageOf(await oldestDueEvent(storage, now), now);
  if (waitsMs > dueMaxMs) {
    const late = `An event that could be processed has waited for ${inSeconds(waitsMs)}.`;
    const mend = `${workersMend} If all its places are taken, raise spec.gateway.workers.`;
    return { status: "failing", message: `${message} ${late}`, mend };
  }
  if (parked === 0) return { status: "healthy", message };
  const mend =
    "List them with `argosy gateway inbound`, and process one again with `argosy gateway inbound retry <id>`.";
  return { status: "degraded", message, mend };
}

async function checkForgettings({ storage: { read, tables }, clock }: Checked): Promise<Finding> {
  const { forgettings } = tables;
  const isLate = lt(forgettings.createdAt, new Date(clock.now().getTime() - forgottenWithinMs));
  const late = await read
    .select({ id: forgettings.id, tenantId: forgettings.tenantId })
    .from(forgettings)
    .where(isLate)
    .orderBy(forgettings.createdAt)
    .limit(namedMax);
  if (late.length === 0) return { status: "healthy", message: "No contact waits to be forgotten." };
  const count = await read.$count(forgettings, isLate);
  const named = late.map(({ id, tenantId }) => `${id} of tenant ${tenantId}`).join(", ");
  return {
    status: "degraded",
    message: `Traces of ${count} forgotten contacts are left, usually what agents remember of them: ${named}${count > late.length ? ", …" : ""}.`,
    mend: "Check that the platform answers, and that each tenant has a binding with a valid platform_api_key. The gateway tries again by itself.",
  };
}

const ageOf = (since: Date | undefined, now: Date) =>
  since === undefined ? 0 : now.getTime() - since.getTime();

const inSeconds = (ms: number) => `${Math.round(ms / 1000)} s`;
