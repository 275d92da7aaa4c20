import { usdText } from "../../../contracts/amounts.ts";
import { costMicros } from "../../../engine/models/price.ts";
import type { Allowance, SpentCall } from "../../../engine/spending/allowance.ts";
import { createMoneyAllowance, type MoneyAccount } from "../../../engine/spending/money-allowance.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { BudgetKey, SpendingNews, StoredBudget } from "./store.ts";

/** State of a budget, in micros of USD. */
export interface BudgetState {
  budgetMicros: number;
  spentMicros: number;
  heldMicros: number;
  unpricedCalls: number;
  /** True if nothing is left, or less than the last refused call needed. */
  exceeded: boolean;
}

export interface BudgetPorts {
  /** Stores this process's changes to the budget. Returns undefined if the budget no longer exists. */
  store: (key: BudgetKey, news: Omit<SpendingNews, "owner">) => Promise<StoredBudget | undefined>;
  /** Called once for each unpriced model that answers; the budget can't bound its cost. */
  unpriced: (key: BudgetKey, model: string) => void;
}

/** A hold that is not yet stored. */
interface Pending {
  micros: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * One agent's budget as this process counts it. A hold counts in memory at once and is stored before its call begins. Spending is stored
 * later, and is at most the hold that it replaces. So if the process crashes, at least what it spent is stored. If several processes share
 * a budget, each asks the database, which accepts a hold only while it covers all spending and holds.
 */
export class BudgetAccount implements MoneyAccount {
  readonly key: BudgetKey;
  readonly allowance: Allowance = createMoneyAllowance(this);
  readonly #ports: BudgetPorts;
  readonly #unpricedModels = new Set<string>();
  #budgetMicros: number;
  /** As stored, for all processes. */
  #storedMicros: number;
  #storedUnpriced: number;
  #othersHeldMicros: number;
  /** For this process only. */
  #unstoredMicros = 0;
  #unstoredUnpriced = 0;
  #heldMicros = 0;
  #pending: Pending[] = [];
  #isDirty = false;
  #isShort = false;
  #isGone = false;
  /** Chain of writes and changes, which run one at a time, and the next write, which later callers share. */
  #work: Promise<void> = Promise.resolve();
  #workers = 0;
  #epoch = 0;
  #nextWrite: Promise<void> | undefined;

  constructor(budget: StoredBudget, ports: BudgetPorts) {
    this.key = { tenant: budget.tenant, agent: budget.agent };
    this.#ports = ports;
    this.#budgetMicros = budget.budgetMicros;
    this.#storedMicros = budget.spentMicros;
    this.#storedUnpriced = budget.unpricedCalls;
    this.#othersHeldMicros = budget.othersHeldMicros;
  }

  get state(): BudgetState {
    const spentMicros = this.#storedMicros + this.#unstoredMicros;
    return {
      budgetMicros: this.#budgetMicros,
      spentMicros,
      heldMicros: this.#heldMicros + this.#othersHeldMicros,
      unpricedCalls: this.#storedUnpriced + this.#unstoredUnpriced,
      exceeded: spentMicros >= this.#budgetMicros || this.#isShort,
    };
  }

  /** True if changes must be written. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Increases with every write and change, each of which reads the stored state; undefined while one is in progress. */
  get epoch(): number | undefined {
    return this.#workers > 0 ? undefined : this.#epoch;
  }

  leftMicros(): number {
    if (this.#isGone) return Number.POSITIVE_INFINITY;
    const { budgetMicros, spentMicros, heldMicros } = this.state;
    return budgetMicros - spentMicros - heldMicros;
  }

  hold(micros: number): Promise<void> {
    this.#heldMicros += micros;
    this.#isShort = false;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // The caller handles a failure; a call that was cancelled before has no caller left.
    promise.catch(() => undefined);
    this.#pending.push({ micros, resolve, reject });
    this.write().catch(() => undefined);
    return promise;
  }

  settle(heldMicros: number, spent: readonly SpentCall[]): void {
    this.#heldMicros -= heldMicros;
    for (const { provider, model, usage, price } of spent) {
      if (price !== undefined) this.#unstoredMicros += costMicros(usage, price);
      else this.#noteUnpriced(`${provider}/${model}`);
    }
    this.#isDirty ||= heldMicros > 0 || this.#unstoredMicros > 0 || this.#unstoredUnpriced > 0;
  }

  correct(micros: number): void {
    this.#unstoredMicros += micros;
    this.#isDirty ||= micros !== 0;
  }

  refusal(micros: number): AppError {
    const { budgetMicros, spentMicros, heldMicros } = this.state;
    const isTransient = budgetMicros - spentMicros >= micros;
    this.#isShort ||= !isTransient;
    const { agent } = this.key;
    return new AppError(
      "payment_required",
      "budget_exceeded",
      `The budget of ${agent} can't cover another model call: ${usdText(spentMicros)} of ${usdText(budgetMicros)} are spent${
        heldMicros > 0 ? ` and ${usdText(heldMicros)} reserved for running calls` : ""
      }; it may cost ${usdText(micros)}.`,
      {
        details: {
          hint: isTransient
            ? "Try again when those calls have ended, or raise the budget."
            : `Raise the budget, or reset the amount spent: argosy costs budget ${agent} --reset.`,
        },
      },
    );
  }

  /** Writes the changes so far. Callers that come before the write begins share it. */
  write(): Promise<void> {
    this.#nextWrite ??= this.#exclusive(() => {
      this.#nextWrite = undefined;
      return this.#write();
    });
    return this.#nextWrite;
  }

  /** Sets the budget by `store`, which returns the stored state. With `reset`, earlier spending no longer counts. */
  change(store: () => Promise<StoredBudget | undefined>, { reset }: { reset: boolean }): Promise<void> {
    return this.#exclusive(async () => {
      const spentMicros = this.#unstoredMicros;
      const unpricedCalls = this.#unstoredUnpriced;
      const stored = await store();
      this.#isShort = false;
      if (reset) {
        this.#unstoredMicros -= spentMicros;
        this.#unstoredUnpriced -= unpricedCalls;
      }
      this.refresh(stored);
    });
  }

  /** Takes over the stored state. If it is undefined, the agent has no limit any more. */
  refresh(budget: StoredBudget | undefined): void {
    this.#isGone = budget === undefined;
    if (budget === undefined) return;
    if (budget.budgetMicros !== this.#budgetMicros || budget.spentMicros < this.#storedMicros)
      this.#isShort = false;
    this.#budgetMicros = budget.budgetMicros;
    this.#storedMicros = budget.spentMicros;
    this.#storedUnpriced = budget.unpricedCalls;
    this.#othersHeldMicros = budget.othersHeldMicros;
  }

  /** Runs `work` alone, after earlier work. */
  #exclusive(work: () => Promise<void>): Promise<void> {
    this.#workers++;
    this.#epoch++;
    const done = this.#work.then(work).finally(() => {
      this.#workers--;
    });
    this.#work = done.catch(() => undefined);
    return done;
  }

  async #write(): Promise<void> {
    const pending = this.#pending;
    const spentMicros = this.#unstoredMicros;
    const unpricedCalls = this.#unstoredUnpriced;
    this.#pending = [];
    this.#isDirty = false;
    try {
      const stored = await this.#ports.store(this.key, {
        spentMicros,
        unpricedCalls,
        heldMicros: this.#heldMicros,
      });
      this.#unstoredMicros -= spentMicros;
      this.#unstoredUnpriced -= unpricedCalls;
      this.refresh(stored);
      this.#admit(pending);
    } catch (thrown) {
      this.#isDirty = true;
      for (const { reject } of pending) reject(thrown);
      throw thrown;
    }
  }

  /** Accepts the holds that the budget covers, oldest first, and refuses the others. */
  #admit(pending: readonly Pending[]): void {
    let lacking = -this.leftMicros();
    const refused = new Set<Pending>();
    for (const hold of pending.toReversed()) {
      if (lacking <= 0) break;
      refused.add(hold);
      lacking -= hold.micros;
    }
    for (const hold of pending) {
      if (refused.has(hold)) hold.reject(this.refusal(hold.micros));
      else hold.resolve();
    }
  }

  #noteUnpriced(model: string): void {
    this.#unstoredUnpriced++;
    if (this.#unpricedModels.has(model)) return;
    this.#unpricedModels.add(model);
    this.#ports.unpriced(this.key, model);
  }
}
