import type { Allowance, SpentCall } from "../../../engine/spending/allowance.ts";
import { createMoneyAllowance, type MoneyAccount } from "../../../engine/spending/money-allowance.ts";
import { costMicros } from "../../../engine/spending/price.ts";
import { AppError } from "../../../kit/app-error.ts";
import { usdText } from "../../../kit/usd.ts";
import type { BudgetKey, SpendingNews, StoredBudget } from "./store.ts";

/** What a budget stands at, in micros of USD. */
export interface BudgetState {
  budgetMicros: number;
  spentMicros: number;
  heldMicros: number;
  unpricedCalls: number;
  /** Whether nothing is left, or less than the last call that asked needed. */
  exceeded: boolean;
}

export interface AccountPorts {
  /** Stores what this process has to say of the budget; undefined when the budget is gone. */
  store: (key: BudgetKey, news: Omit<SpendingNews, "owner">) => Promise<StoredBudget | undefined>;
  /** An unpriced model has answered, which the budget can't bound: told once for each. */
  unpriced: (key: BudgetKey, model: string) => void;
}

/** A hold that is not on disk yet. */
interface Pending {
  micros: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * One agent's budget as this process counts it. A hold is taken in memory at once and is on disk before its call begins;
 * what was spent is written behind, and only ever lowers what stands there. So a process that dies leaves at least what it
 * spent. Of several processes that share a budget each asks the database, which lets a hold stand only while what all
 * have spent and hold is covered.
 */
export class BudgetAccount implements MoneyAccount {
  readonly key: BudgetKey;
  readonly allowance: Allowance = createMoneyAllowance(this);
  readonly #ports: AccountPorts;
  readonly #unpricedModels = new Set<string>();
  #budgetMicros: number;
  /** As stored, by all processes. */
  #storedMicros: number;
  #storedUnpriced: number;
  #othersHeldMicros: number;
  /** This process's own. */
  #unstoredMicros = 0;
  #unstoredUnpriced = 0;
  #heldMicros = 0;
  #pending: Pending[] = [];
  #isDirty = false;
  #isShort = false;
  #isGone = false;
  /** Writes and settings, one after the other; and the write that has not begun, which later callers share. */
  #work: Promise<void> = Promise.resolve();
  #workers = 0;
  #epoch = 0;
  #nextWrite: Promise<void> | undefined;

  constructor(budget: StoredBudget, ports: AccountPorts) {
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

  /** Whether something is to be written. */
  get isDirty(): boolean {
    return this.#isDirty;
  }

  /** Grows with every write and every change, each of which brings what stands in the database; undefined while one is under way. */
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
    // Whoever waits hears of a failure; a call that was given up before has nobody who does.
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

  refusal(micros: number): AppError {
    const { budgetMicros, spentMicros, heldMicros } = this.state;
    const isTransient = budgetMicros - spentMicros >= micros;
    this.#isShort ||= !isTransient;
    const { agent } = this.key;
    return new AppError(
      "payment_required",
      "budget_exceeded",
      `The budget of ${agent} can't cover another model call: ${usdText(spentMicros)} of ${usdText(budgetMicros)} are spent${
        heldMicros > 0 ? ` and ${usdText(heldMicros)} kept back for calls under way` : ""
      }; it may cost ${usdText(micros)}.`,
      {
        details: {
          hint: isTransient
            ? "Try again when those calls have ended, or raise the budget."
            : `Raise the budget, or start its count anew: argosy costs budget ${agent} --reset.`,
        },
      },
    );
  }

  /** Writes what has happened so far; callers that come before it begins share one write. */
  write(): Promise<void> {
    this.#nextWrite ??= this.#exclusive(() => {
      this.#nextWrite = undefined;
      return this.#write();
    });
    return this.#nextWrite;
  }

  /** Sets the budget by `store`, which answers with what stands then; `reset`: what was spent so far doesn't count any more. */
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

  /** What stands in the database now; undefined: nothing, there is no limit any more. */
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

  /** Runs `work` alone, after what was begun before. */
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

  /** Lets the holds stand that are covered with all that is known now: the oldest first. */
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
