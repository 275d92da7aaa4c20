import { heapStats } from "bun:jsc";
import { Database } from "bun:sqlite";
import type { Clock } from "../../src/kit/clock.ts";

/** The countable work of one run, on the average of all runs counted. */
export interface RunCounts {
  /** SQLite statements executed, BEGIN and COMMIT included. */
  statements: number;
  /** Timers set on the clock. */
  timers: number;
  abortControllers: number;
  /** Signals joined from others, each with a listener on all of them. */
  joinedSignals: number;
}

/** Counts the SQLite statements that are executed. */
export interface StatementCount extends Disposable {
  readonly executed: number;
}

/** Begins to count. Only databases opened later are counted: their statements get their methods when they are prepared. */
export function openStatementCount(): StatementCount {
  let executed = 0;
  const known = new WeakSet<object>();
  const { query } = Database.prototype;
  Database.prototype.query = function (this: Database, text: string) {
    const statement = query.call(this, text);
    if (!known.has(statement)) {
      known.add(statement);
      for (const method of ["run", "all", "values", "get"] as const)
        countCalls(statement, method, () => executed++);
    }
    return statement;
  } as typeof query;
  return {
    get executed() {
      return executed;
    },
    [Symbol.dispose]() {
      Database.prototype.query = query;
    },
  };
}

/** Counts what happens while `work` makes `runs` runs. Restores what it replaced. */
export async function countRuns(
  runs: number,
  { clock, statements }: { clock: Clock; statements: StatementCount },
  work: () => Promise<void>,
): Promise<RunCounts> {
  using replaced = new DisposableStack();
  const before = statements.executed;
  const counts = { statements: 0, timers: 0, abortControllers: 0, joinedSignals: 0 };
  replaced.use(countCalls(clock, "timer", () => counts.timers++));
  replaced.use(countCalls(AbortSignal, "any", () => counts.joinedSignals++));
  const { AbortController } = globalThis;
  globalThis.AbortController = class extends AbortController {
    constructor() {
      super();
      counts.abortControllers++;
    }
  };
  replaced.defer(() => {
    globalThis.AbortController = AbortController;
  });
  await work();
  counts.statements = statements.executed - before;
  for (const name of Object.keys(counts) as (keyof RunCounts)[]) counts[name] /= runs;
  return counts;
}

/** Calls `called` before each call of `owner[method]`, until it is disposed. */
function countCalls<Owner extends object>(owner: Owner, method: keyof Owner, called: () => void): Disposable {
  const own = Object.getOwnPropertyDescriptor(owner, method);
  const original = owner[method] as (...given: unknown[]) => unknown;
  Object.defineProperty(owner, method, {
    configurable: true,
    writable: true,
    value(this: unknown, ...given: unknown[]) {
      called();
      return original.apply(this, given);
    },
  });
  return {
    [Symbol.dispose]() {
      if (own === undefined) Reflect.deleteProperty(owner, method);
      else Object.defineProperty(owner, method, own);
    },
  };
}

/** Returns the number of objects that each of `runs` runs creates, strings included: nothing is collected meanwhile. */
export async function countObjects(runs: number, work: () => Promise<void>): Promise<number> {
  Bun.gc(true);
  const before = objectsNow();
  await work();
  return (objectsNow() - before) / runs;
}

/** Objects since the last collection, garbage included. `heapStats().objectCount` is that of the last collection. */
const objectsNow = (): number =>
  Object.values(heapStats().objectTypeCounts).reduce((sum, count) => sum + count, 0);
