import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import { databaseError } from "./database-error.ts";

/** Longer transactions are logged: on SQLite every other writer of the service waits for them. */
const slowAfterMs = 1000;

/** Follows the awaits of every transaction's code. */
const scopes = new AsyncLocalStorage<TransactionScope>();

/** Returns true if the caller runs inside an open transaction of any storage. */
export const insideTransaction = (): boolean => scopes.getStore()?.open === true;

/** Refuses an operation inside a transaction; `what` begins the error message. */
export function refuseInsideTransaction(what: string): void {
  if (insideTransaction()) throw misuse(`${what} inside a transaction; use the transaction's own handle.`);
}

/** One transaction from start to end, as the code inside it sees it. */
export interface TransactionScope {
  open: boolean;
  /** The first fault of a statement. The transaction rejects with it even if the code inside continued. */
  failure: AppError | undefined;
}

/** A scope whose code runs: its connection, and the storage that the connection belongs to. */
interface RunningScope extends TransactionScope {
  connection?: unknown;
  storage?: TransactionScopes<unknown>;
}

/** The transactions of one storage, each with its connection. */
export class TransactionScopes<Connection> {
  readonly #slow: SlowTransactions;

  constructor(clock: Clock, log: Logger) {
    this.#slow = new SlowTransactions(clock, log);
  }

  /** Runs `work` inside `scope`. A failed statement fails the transaction, so that both engines treat a swallowed error the same way. */
  async run<Result>(
    scope: TransactionScope,
    connection: Connection,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const running: RunningScope = scope;
    running.connection = connection;
    running.storage = this as TransactionScopes<unknown>;
    this.#slow.begin(scope);
    try {
      // Awaited inside the scope, because a query that `work` returns is only sent when it is awaited.
      const result = await scopes.run(scope, async () => await work());
      if (scope.failure) throw scope.failure;
      return result;
    } finally {
      scope.open = false;
      this.#slow.end(scope);
    }
  }

  /** Returns the connection of the caller's transaction; refuses a handle that is used outside of its transaction. */
  connection(): Connection {
    const scope: RunningScope | undefined = scopes.getStore();
    if (!scope?.open || scope.storage !== this) {
      throw misuse("A transaction's handle was used outside that transaction.");
    }
    if (scope.failure) throw scope.failure;
    return scope.connection as Connection;
  }

  /** Records a statement's fault as the transaction's. */
  fail(thrown: unknown): AppError {
    const error = databaseError(thrown);
    const scope = scopes.getStore();
    if (scope) scope.failure ??= error;
    return error;
  }
}

/** Warns of each transaction that is still open after a second. One timer watches all of a storage: a timer each would cost every run one. */
class SlowTransactions {
  readonly #clock: Clock;
  readonly #log: Logger;
  /** Open transactions that were not warned of, and when they began, in that order. */
  readonly #begunMs = new Map<TransactionScope, number>();
  #isWatching = false;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  begin(scope: TransactionScope): void {
    this.#begunMs.set(scope, this.#clock.monotonicMs());
    if (!this.#isWatching) this.#watchFor(slowAfterMs);
  }

  end(scope: TransactionScope): void {
    this.#begunMs.delete(scope);
  }

  #watchFor(ms: number): void {
    this.#isWatching = true;
    this.#clock.timer(ms, () => this.#look());
  }

  #look(): void {
    this.#isWatching = false;
    for (const [scope, begunMs] of this.#begunMs) {
      const leftMs = begunMs + slowAfterMs - this.#clock.monotonicMs();
      if (leftMs > 0) {
        this.#watchFor(leftMs);
        return;
      }
      this.#begunMs.delete(scope);
      this.#log.warn("storage.transaction_slow", { slowAfterMs });
    }
  }
}

/** Returns the scope of a new transaction. */
export const newScope = (): TransactionScope => ({ open: true, failure: undefined });

const misuse = (message: string) => new AppError("internal", "storage_misuse", message);
