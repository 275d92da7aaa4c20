import { AsyncLocalStorage } from "node:async_hooks";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import type { Logger } from "../kit/log.ts";
import { databaseError } from "./database-error.ts";

/** Longer than this inside a transaction is worth a line: on SQLite every other writer of the service waits for it. */
const slowAfterMs = 1000;

/** Follows the awaits of every transaction's code; holds nothing itself. */
const scopes = new AsyncLocalStorage<TransactionScope>();

/** Whether the caller runs inside an open transaction, of any storage. */
export const insideTransaction = (): boolean => scopes.getStore()?.open === true;

/** Refuses what must not happen inside a transaction; `what` begins the sentence. */
export function refuseInsideTransaction(what: string): void {
  if (insideTransaction()) throw misuse(`${what} inside a transaction; use the transaction's own handle.`);
}

/** One transaction from its start to its end, as the code inside it sees it. */
export interface TransactionScope {
  open: boolean;
  /** The first fault of a statement: what the transaction rejects with even when the code inside went on. */
  failure: AppError | undefined;
}

/** The transactions of one storage, each with what its statements run on. */
export class TransactionScopes<Connection> {
  readonly #connections = new WeakMap<TransactionScope, Connection>();
  readonly #clock: Clock;
  readonly #log: Logger;

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** Runs `work` inside `scope`; a failed statement fails it, so that both engines agree on what a swallowed fault means. */
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
      // Awaited inside the scope: a query that `work` returns is only sent when it is awaited.
      const result = await scopes.run(scope, async () => await work());
      if (scope.failure) throw scope.failure;
      return result;
    } finally {
      scope.open = false;
      cancelWarning();
    }
  }

  /** What the statements of the caller's transaction run on; refuses a handle that is used outside of its transaction. */
  connection(): Connection {
    const scope = scopes.getStore();
    const connection = scope?.open ? this.#connections.get(scope) : undefined;
    if (scope === undefined || connection === undefined) {
      throw misuse("A transaction's handle was used outside that transaction.");
    }
    if (scope.failure) throw scope.failure;
    return connection;
  }

  /** Makes a statement's fault the transaction's. */
  fail(thrown: unknown): AppError {
    const error = databaseError(thrown);
    const scope = scopes.getStore();
    if (scope) scope.failure ??= error;
    return error;
  }
}

/** A transaction about to begin. */
export const newScope = (): TransactionScope => ({ open: true, failure: undefined });

const misuse = (message: string) => new AppError("internal", "storage_misuse", message);
