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

/** The transactions of one storage, each with its connection. */
export class TransactionScopes<Connection> {
  readonly #connections = new WeakMap<TransactionScope, Connection>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs `work` inside `scope`. A failed statement fails the transaction, so that both engines treat a swallowed error the same way. */
  async run<Result>(
    scope: TransactionScope,
    connection: Connection,
    work: () => Promise<Result>,
  ): Promise<Result> {
    this.#connections.set(scope, connection);
    const cancelWarning = this.#clock.timer(slowAfterMs, () =>
      this.#log.warn("storage.transaction_slow", { slowAfterMs }),
    );
    try {
      // Awaited inside the scope, because a query that `work` returns is only sent when it is awaited.
      const result = await scopes.run(scope, async () => await work());
      if (scope.failure) throw scope.failure;
      return result;
    } finally {
      scope.open = false;
      cancelWarning();
    }
  }

  /** Returns the connection of the caller's transaction; refuses a handle that is used outside of its transaction. */
  connection(): Connection {
    const scope = scopes.getStore();
    const connection = scope?.open ? this.#connections.get(scope) : undefined;
    if (scope === undefined || connection === undefined) {
      throw misuse("A transaction's handle was used outside that transaction.");
    }
    if (scope.failure) throw scope.failure;
    return connection;
  }

  /** Records a statement's fault as the transaction's. */
  fail(thrown: unknown): AppError {
    const error = databaseError(thrown);
    const scope = scopes.getStore();
    if (scope) scope.failure ??= error;
    return error;
  }
}

/** Returns the scope of a new transaction. */
export const newScope = (): TransactionScope => ({ open: true, failure: undefined });

const misuse = (message: string) => new AppError("internal", "storage_misuse", message);
