import type { Breaker, BreakerKey, Breakers } from "./breakers.ts";

/**
 * The breakers for one caller among many. Servers that only this caller uses (`account`) have their own breakers. Shared providers have
 * two: the shared one, and one of the caller that also counts the endings doubtful for `shared`. So failures that a caller causes close the
 * provider to that caller only.
 */
export function callerBreakers(
  caller: string,
  { shared, own }: { shared: Breakers; own: Breakers },
): Breakers {
  return {
    of: (key: BreakerKey) =>
      key.account === caller ? own.of(key) : withOwn(shared.of(key), own.of(key), caller),
    list: () => shared.list(),
    forget(endpoint) {
      shared.forget(endpoint);
      own.forget(endpoint);
    },
  };
}

function withOwn(shared: Breaker, own: Breaker, caller: string): Breaker {
  return {
    enter() {
      const reportOwn = own.enter();
      if (reportOwn === undefined) return undefined;
      const reportShared = shared.enter();
      if (reportShared === undefined) {
        reportOwn("released");
        return undefined;
      }
      return (ending, why) => {
        reportOwn(ending, why);
        reportShared(ending, why, caller);
      };
    },
    health: shared.health,
    state: shared.state,
    probeDueInMs: () => Math.max(own.probeDueInMs(), shared.probeDueInMs()),
    recordProbe: shared.recordProbe,
  };
}
