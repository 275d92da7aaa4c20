import { OutboxBell } from "../../../channels/outbox/outbox-bell.ts";
import type { RunnableAgent } from "../../../engine/agents/runnable-agent.ts";
import type { Trigger } from "../../../engine/triggers/compile-triggers.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { Clock } from "../../../kit/clock.ts";
import { nextInstant } from "../../../kit/cron/next-instant.ts";
import type { NewId } from "../../../kit/id.ts";
import type { Logger } from "../../../kit/log.ts";
import { repeatedWorker, roundMaxMs, type Worker } from "../../../kit/worker.ts";
import { beginWork, endWork } from "../../../storage/begun-work.ts";
import { untilStored } from "../../../storage/until-stored.ts";
import type { AgentCatalog } from "../agents/agent-catalog.ts";
import { operatorTenant } from "../operator-tenant.ts";
import { dueFires, localTime, type Schedule } from "./due-fires.ts";
import { documentSource, messageSource } from "./fire-sources.ts";
import type { FireRow, TriggerRow, TriggerStorage } from "./schema.ts";
import {
  advanceSchedule,
  claimFire,
  endFire,
  expireFires,
  type FireEnd,
  findFireByKey,
  holdFires,
  insertFires,
  interruptFire,
  leftFires,
  listTriggers,
  type NewFire,
  noteTriggers,
  oldQueuedFires,
  pruneTriggers,
  queueAgain,
  queuedFires,
} from "./store.ts";

/** How soon a fire is seen that another process stored. */
const lookMs = 5_000;
const keepMs = 10_000;
/** A process that renews no lease for this long is dead. */
const holdMs = 60_000;
const hourMs = 60 * 60_000;
/** Fires, and triggers that nobody has loaded, are kept for so long. */
const keptMs = 30 * 24 * hourMs;

export interface TriggersPorts {
  storage: TriggerStorage;
  /** Id of this process. */
  owner: string;
  catalog: Pick<AgentCatalog, "list" | "findEntry" | "getLoaded" | "onChange">;
  /** Runs the agent of a fire, and returns how that ended; `left` if another process continues it. Never throws. */
  run: (trigger: Trigger, fire: FireRow) => Promise<FireEnd | "left">;
  /** False if what a dead process left is interrupted. */
  isDurable: boolean;
  /** Fires that this process runs at the same time. */
  runsMax: number;
  clock: Clock;
  newId: NewId;
  log: Logger;
  /** Aborts when the time for a graceful stop is over. */
  stopping: AbortSignal;
}

/** A trigger of a loaded agent. */
export interface LoadedTrigger {
  agent: RunnableAgent;
  trigger: Trigger;
}

interface ScheduleState {
  cursorAt: Date;
  schedule: string;
  /** Undefined: never again. */
  nextMs: number | undefined;
}

/**
 * Fires the triggers of the loaded agents. What fires is stored first, under a key that is unique to the event. Each process may claim it,
 * only one gets it, and a run that was begun is continued, not begun again.
 */
export class Triggers {
  readonly storage: TriggerStorage;
  readonly #owner: string;
  readonly #ports: TriggersPorts;
  readonly #bell: OutboxBell;
  readonly #running = new Map<string, Promise<void>>();
  readonly #schedules = new Map<string, ScheduleState>();
  #isNoted = false;
  #notedMs = Number.NEGATIVE_INFINITY;
  #keptAtMs = Number.NEGATIVE_INFINITY;
  #isRetired = false;

  constructor(ports: TriggersPorts) {
    this.storage = ports.storage;
    this.#owner = ports.owner;
    this.#ports = ports;
    this.#bell = new OutboxBell(ports.clock);
    ports.catalog.onChange(() => {
      this.#isNoted = false;
      this.#bell.ring();
    });
  }

  /** How many fires this process runs. */
  get running(): number {
    return this.#running.size;
  }

  /** All triggers of loaded agents, by agent and name. */
  loaded(): LoadedTrigger[] {
    return this.#ports.catalog
      .list()
      .flatMap(({ agent }) =>
        agent ? [...agent.triggers.values()].map((trigger) => ({ agent, trigger })) : [],
      );
  }

  /** Throws `agent_not_found`, or `trigger_not_found`. */
  async get(agentName: string, name: string): Promise<LoadedTrigger> {
    const agent = await this.#ports.catalog.getLoaded(agentName);
    const trigger = agent.triggers.get(name);
    if (trigger !== undefined) return { agent, trigger };
    const message = `Agent ${agentName} has no trigger named ${JSON.stringify(name.slice(0, 100))}.`;
    throw new AppError("not_found", "trigger_not_found", message, {
      details: { hint: "GET /v1/triggers lists the triggers." },
    });
  }

  /** When a schedule fires next, by what this process knows. */
  nextAt({ agent, trigger }: LoadedTrigger): Date | undefined {
    if (trigger.schedule === undefined) return undefined;
    const known = this.#schedules.get(keyOf(agent.name, trigger.declared.name));
    const nextMs = known?.nextMs ?? next(trigger.schedule, this.#ports.clock.now().getTime());
    return nextMs === undefined ? undefined : new Date(nextMs);
  }

  /**
   * Stores a fire. Returns the one that has the same key, if there is one: it isn't fired again. Throws `trigger_queue_full` (503) while 200
   * wait.
   */
  async fire(
    { agent, trigger }: LoadedTrigger,
    { key, payload, byPerson }: Pick<NewFire, "key" | "payload" | "byPerson">,
  ): Promise<FireRow> {
    const { name, type } = trigger.declared;
    const now = this.#ports.clock.now();
    const fire: NewFire = {
      ...{ tenant: operatorTenant, id: this.#ports.newId(), agent: agent.name, trigger: name, type },
      ...{ key, payload, byPerson, dueAt: now, createdAt: now },
    };
    const [stored] = await this.storage.transact((tx) => insertFires(tx, this.storage.tables, [fire]));
    this.#bell.ring();
    const storedFire =
      stored ?? (await findFireByKey(this.storage, { tenant: operatorTenant, agent: agent.name, name }, key));
    if (storedFire !== undefined) return storedFire;
    throw new AppError("unavailable", "trigger_queue_full", `200 fires of trigger ${name} wait already.`, {
      details: { hint: "Try again when some of them have run.", retryAfterSeconds: 30 },
    });
  }

  workers(): Worker[] {
    const { clock } = this.#ports;
    const rounds: Worker = {
      name: "triggers",
      silenceMaxMs: hourMs + roundMaxMs,
      run: async (signal, beat) => {
        while (!signal.aborted) {
          await this.round();
          beat?.();
          await this.#bell.wait(this.#waitMs(), signal);
        }
      },
    };
    return [rounds, repeatedWorker("trigger-retention", hourMs, clock, () => this.tidy())];
  }

  /** Notes what is loaded, stores what is due by the clock, and begins what waits. */
  async round(): Promise<void> {
    await this.#keep();
    await this.note();
    await this.#advance();
    await this.#begin();
  }

  /** Begins nothing more, and resolves when what runs here has ended. */
  async retire(): Promise<void> {
    this.#isRetired = true;
    await this.idle();
  }

  /** Resolves when nothing runs here. */
  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  #waitMs(): number {
    const { clock, catalog } = this.#ports;
    const isWaiting = catalog.list().some(({ agent }) => agent !== undefined && agent.triggers.size > 0);
    if (!isWaiting && this.#running.size === 0) return hourMs;
    const nowMs = clock.now().getTime();
    const nexts = [...this.#schedules.values()].flatMap(({ nextMs }) => nextMs ?? []);
    return Math.max(0, Math.min(lookMs, ...nexts.map((at) => at - nowMs)));
  }

  async #keep(): Promise<void> {
    const { clock, log } = this.#ports;
    const [nowMs, now] = [clock.monotonicMs(), clock.now()];
    if (nowMs - this.#keptAtMs < keepMs) return;
    const running = [...this.#running.keys()];
    if (running.length > 0)
      await holdFires(this.storage, this.#owner, running, new Date(now.getTime() + holdMs));
    // Only one process at a time opens a SQLite file, so at its start what runs there is of a dead one.
    const isFirst = this.#keptAtMs === Number.NEGATIVE_INFINITY;
    const heldBefore = isFirst && this.storage.dialect === "sqlite" ? undefined : now;
    for (const fire of await leftFires(this.storage, heldBefore)) {
      const event = (await this.#mayGoOn(fire)) ? "trigger.continued" : "trigger.interrupted";
      const isMine =
        event === "trigger.continued"
          ? await queueAgain(this.storage, fire)
          : await interruptFire(this.storage, fire, now);
      if (isMine) log.warn(event, { fire_id: fire.id });
    }
    this.#keptAtMs = nowMs;
  }

  /** A run that was begun continues by its key. What ends its process repeatedly is not taken up again. */
  async #mayGoOn({ id, owner }: FireRow): Promise<boolean> {
    if (!this.#ports.isDurable || owner === null) return false;
    return (await beginWork(this.storage, { kind: "run", key: id }, owner)) !== "parked";
  }

  /** Deletes what is old, and ends what waits for a trigger that nobody has. */
  async tidy(): Promise<void> {
    const now = this.#ports.clock.now();
    await pruneTriggers(this.storage, new Date(now.getTime() - keptMs));
    const left = (await oldQueuedFires(this.storage, new Date(now.getTime() - hourMs))).filter(
      ({ agent, trigger }) => this.find(agent, trigger) === undefined,
    );
    await expireFires(
      this.storage,
      left.map(({ id }) => id),
      now,
    );
  }

  /** Stores what is loaded, unless that was done since it changed. */
  async note(): Promise<void> {
    const { clock } = this.#ports;
    if (this.#isNoted && clock.monotonicMs() - this.#notedMs < hourMs) return;
    this.#isNoted = true;
    this.#notedMs = clock.monotonicMs();
    try {
      const now = clock.now();
      await noteTriggers(
        this.storage,
        this.loaded().map((loaded) => rowOf(loaded, now)),
      );
      await this.#readSchedules();
    } catch (thrown) {
      this.#isNoted = false;
      throw thrown;
    }
  }

  async #readSchedules(): Promise<void> {
    this.#schedules.clear();
    if (!this.loaded().some(({ trigger }) => trigger.schedule !== undefined)) return;
    for (const { agent, name, cursorAt, schedule } of await listTriggers(this.storage, operatorTenant)) {
      const scheduleOfTrigger = this.find(agent, name)?.trigger.schedule;
      if (scheduleOfTrigger === undefined || cursorAt === null || schedule === null) continue;
      const nextMs = next(scheduleOfTrigger, cursorAt.getTime());
      this.#schedules.set(keyOf(agent, name), { cursorAt, schedule, nextMs });
    }
  }

  /** Stores the fires of schedules that are due. */
  async #advance(): Promise<void> {
    const now = this.#ports.clock.now();
    for (const { agent, trigger } of this.loaded()) {
      const { declared, schedule } = trigger;
      const key = keyOf(agent.name, declared.name);
      const state = this.#schedules.get(key);
      if (declared.type !== "schedule" || schedule === undefined || state?.nextMs === undefined) continue;
      if (state.nextMs > now.getTime()) continue;
      const times = dueFires(schedule, declared.missed, state.cursorAt.getTime(), now.getTime());
      const fires = times.map((atMs) => this.#scheduled(agent.name, declared, schedule, atMs, now));
      const of = { tenant: operatorTenant, agent: agent.name, name: declared.name };
      const step = { from: state.cursorAt, to: now, schedule: state.schedule, fires };
      if (await advanceSchedule(this.storage, of, step))
        this.#schedules.set(key, { ...state, cursorAt: now, nextMs: next(schedule, now.getTime()) });
      // Another process has stored them.
      else return this.#readSchedules();
    }
  }

  #scheduled(
    agent: string,
    { name, type, timezone }: Extract<Trigger["declared"], { type: "schedule" }>,
    schedule: Schedule,
    atMs: number,
    now: Date,
  ): NewFire {
    const at = new Date(atMs);
    const payload = { scheduled_at: at.toISOString(), local_time: localTime(schedule, atMs), timezone };
    return {
      ...{ tenant: operatorTenant, id: this.#ports.newId(), agent, trigger: name, type, payload },
      ...{ key: `at:${at.toISOString()}`, byPerson: false, dueAt: at, createdAt: now },
    };
  }

  async #begin(): Promise<void> {
    const { runsMax } = this.#ports;
    const room = runsMax - this.#running.size;
    if (room <= 0 || this.#isRetired) return;
    const agents = [...new Set(this.loaded().map(({ agent }) => agent.name))];
    if (agents.length === 0) return;
    for (const fire of await queuedFires(this.storage, operatorTenant, agents, room + runsMax)) {
      if (this.#running.size >= runsMax || this.#isRetired) return;
      const liveTrigger = this.find(fire.agent, fire.trigger);
      if (liveTrigger === undefined) continue;
      const now = this.#ports.clock.now();
      const heldUntil = new Date(now.getTime() + holdMs);
      if (!(await claimFire(this.storage, fire, { owner: this.#owner, startedAt: now, heldUntil }))) continue;
      this.#run(liveTrigger.trigger, fire);
    }
  }

  #run(trigger: Trigger, fire: FireRow): void {
    const run = async () => {
      const end = await this.#ports.run(trigger, fire);
      const { clock, stopping } = this.#ports;
      if (end === "left") return void (await queueAgain(this.storage, { ...fire, owner: this.#owner }));
      await untilStored(clock, stopping, () => endFire(this.storage, fire, this.#owner, end));
      // It was begun before.
      if (fire.startedAt !== null) await endWork(this.storage, "run", [fire.id], { stopped: false });
    };
    const ended = run()
      .catch((cause: unknown) =>
        this.#ports.log.error("trigger.not_stored", { fire_id: fire.id, err: cause }),
      )
      .finally(() => {
        this.#running.delete(fire.id);
        this.#bell.ring();
      });
    this.#running.set(fire.id, ended);
  }

  /** Undefined if no loaded agent has the trigger. */
  find(agent: string, name: string): LoadedTrigger | undefined {
    const agentOfName = this.#ports.catalog.findEntry(agent)?.agent;
    const trigger = agentOfName?.triggers.get(name);
    return agentOfName && trigger && { agent: agentOfName, trigger };
  }
}

const keyOf = (agent: string, name: string) => `${agent}/${name}`;

const next = ({ pattern, offsetAt }: Schedule, afterMs: number) => nextInstant(pattern, offsetAt, afterMs);

function rowOf({ agent, trigger: { declared } }: LoadedTrigger, now: Date): TriggerRow {
  const { name, type } = declared;
  const row = { tenant: operatorTenant, agent: agent.name, name, isPaused: false, seenAt: now, events: "" };
  const none = { schedule: null, cursorAt: null };
  switch (declared.type) {
    case "schedule":
      return { ...row, source: type, schedule: `${declared.timezone} ${declared.cron}`, cursorAt: now };
    case "document":
      return {
        ...row,
        ...none,
        source: documentSource(declared.collection),
        events: declared.changes.join(),
      };
    case "message":
      return { ...row, ...none, source: messageSource(declared.channel) };
    case "webhook":
      return { ...row, ...none, source: type };
  }
}
