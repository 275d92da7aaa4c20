import type { Allowance } from "../../../engine/spending/allowance.ts";
import { type Clock, sleep } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import { roundMaxMs, type Worker } from "../../../kit/worker.ts";
import type { Storage } from "../../../storage/storage.ts";
import { BudgetAccount, type BudgetState } from "./budget-account.ts";
import type { CostTables } from "./schema.ts";
import {
  type BudgetKey,
  countAbandoned,
  noteSpending,
  putBudget,
  readBudgets,
  removeBudget,
  type StoredBudget,
  touchHolds,
} from "./store.ts";

export interface AgentBudgetPorts {
  storage: Storage<CostTables>;
  /** Id of this process, new at each start. */
  owner: string;
  clock: Clock;
  log: Logger;
}

/** Changes to a budget; absent fields stay the same. */
export interface BudgetUpdate {
  budgetMicros?: number;
  /** If true, earlier spending no longer counts. */
  reset?: boolean;
}

/** Interval for writing settled costs. */
const flushEveryMs = 250;
/** If other processes share the budgets, they are read at this interval. */
const refreshEveryMs = 1000;
/** Interval at which this process renews its holds. */
const touchEveryMs = 15_000;
/** A process that has not renewed its holds for this long counts as dead. */
const silentMsMax = 60_000;

/** Budgets of all tenants' agents, as this process counts them on top of the database. */
export class Budgets {
  readonly #ports: AgentBudgetPorts;
  readonly #isShared: boolean;
  /** Accounts by tenant and agent. */
  readonly #accounts = new Map<string, Map<string, BudgetAccount>>();
  #refreshedMs: number;
  #touchedMs: number;

  private constructor(ports: AgentBudgetPorts) {
    this.#ports = ports;
    this.#isShared = ports.storage.dialect === "postgres";
    this.#refreshedMs = this.#touchedMs = ports.clock.monotonicMs();
  }

  /** Reads all budgets. Counts the holds of dead processes as spent. */
  static async open(ports: AgentBudgetPorts): Promise<Budgets> {
    const budgets = new Budgets(ports);
    await budgets.#countAbandoned();
    await budgets.#refresh();
    return budgets;
  }

  /** Returns the allowance of an agent's budget; undefined if it has no budget. */
  allowanceOf(tenant: string, agent: string): Allowance | undefined {
    return this.#find({ tenant, agent })?.allowance;
  }

  /** Returns the state of an agent's budget; undefined if it has no budget. */
  stateOf(tenant: string, agent: string): BudgetState | undefined {
    return this.#find({ tenant, agent })?.state;
  }

  /** Sets or changes an agent's budget. A running request observes it from its next model call. */
  async set(tenant: string, agent: string, { budgetMicros, reset = false }: BudgetUpdate): Promise<void> {
    const { storage } = this.#ports;
    const key = { tenant, agent };
    const account = this.#find(key);
    const amount = budgetMicros ?? account?.state.budgetMicros;
    if (amount === undefined) return;
    const put = async () => {
      await putBudget(storage, key, { budgetMicros: amount, reset });
      return this.#read(key);
    };
    if (account !== undefined) return account.change(put, { reset });
    const stored = await put();
    if (stored !== undefined) this.#enter(stored);
  }

  /** Removes an agent's budget and its recorded spending. */
  async remove(tenant: string, agent: string): Promise<void> {
    const key = { tenant, agent };
    const remove = async () => {
      await removeBudget(this.#ports.storage, key);
      return undefined;
    };
    const account = this.#find(key);
    await (account === undefined ? remove() : account.change(remove, { reset: true }));
    this.#accounts.get(tenant)?.delete(agent);
  }

  /** Writes all settled costs. If a write fails, the costs stay for the next one. */
  async flush(): Promise<void> {
    const dirty = [...this.#all()].filter((account) => account.isDirty);
    await Promise.all(dirty.map((account) => account.write()));
  }

  /** Worker that flushes and reads the changes of other processes. At the end, `flush` writes the rest. */
  worker(): Worker {
    return {
      name: "budget-writer",
      silenceMaxMs: roundMaxMs,
      run: async (signal, beat) => {
        while (!signal.aborted) {
          await sleep(this.#ports.clock, flushEveryMs, signal).catch(() => undefined);
          await this.flush();
          if (this.#isShared && !signal.aborted) await this.#keepStep();
          beat?.();
        }
      },
    };
  }

  async #keepStep(): Promise<void> {
    const { clock, storage, owner } = this.#ports;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#touchedMs >= touchEveryMs) {
      this.#touchedMs = nowMs;
      await touchHolds(storage, owner);
      await this.#countAbandoned();
    }
    if (nowMs - this.#refreshedMs < refreshEveryMs) return;
    this.#refreshedMs = nowMs;
    await this.#refresh();
  }

  async #countAbandoned(): Promise<void> {
    const { storage, owner, log } = this.#ports;
    const abandoned = await countAbandoned(storage, owner, this.#isShared ? silentMsMax : undefined);
    for (const { agent, heldMicros } of abandoned) {
      log.warn("budget.hold_counted", { agent, micros: heldMicros });
    }
  }

  /** Takes over the stored budgets. Skips accounts that read their own state in the meantime. */
  async #refresh(): Promise<void> {
    const { storage, owner } = this.#ports;
    const epochs = new Map([...this.#all()].map((account) => [account, account.epoch]));
    const isCurrent = (account: BudgetAccount) =>
      account.epoch !== undefined && account.epoch === epochs.get(account);
    const stored = new Set<BudgetAccount>();
    for (const budget of await readBudgets(storage, owner)) {
      const known = this.#find(budget);
      if (known !== undefined && isCurrent(known)) known.refresh(budget);
      stored.add(known ?? this.#enter(budget));
    }
    for (const account of epochs.keys()) {
      if (stored.has(account) || !isCurrent(account)) continue;
      account.refresh(undefined);
      this.#accounts.get(account.key.tenant)?.delete(account.key.agent);
    }
  }

  #enter(budget: StoredBudget): BudgetAccount {
    const known = this.#find(budget);
    if (known !== undefined) {
      known.refresh(budget);
      return known;
    }
    const { storage, owner, log } = this.#ports;
    const account = new BudgetAccount(budget, {
      store: (key, news) => noteSpending(storage, key, { owner, ...news }),
      unpriced: ({ agent }, model) => log.warn("budget.unpriced_model", { agent, model }),
    });
    const ofTenant = this.#accounts.get(budget.tenant) ?? new Map<string, BudgetAccount>();
    this.#accounts.set(budget.tenant, ofTenant.set(budget.agent, account));
    return account;
  }

  async #read(key: BudgetKey): Promise<StoredBudget | undefined> {
    const [stored] = await readBudgets(this.#ports.storage, this.#ports.owner, key);
    return stored;
  }

  #find({ tenant, agent }: BudgetKey): BudgetAccount | undefined {
    return this.#accounts.get(tenant)?.get(agent);
  }

  *#all(): Generator<BudgetAccount, void> {
    for (const ofTenant of this.#accounts.values()) yield* ofTenant.values();
  }
}
