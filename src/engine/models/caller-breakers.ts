import type { Breaker, BreakerKey, Breakers } from "./breakers.ts";

/**
 * The breakers that one caller among many meets. Servers that only it calls (`account`) have breakers of its own. Providers
 * that it shares have two: the shared one, and one of its own, which counts what `shared` doubts. So what a caller leads to
 * closes the provider to that caller alone.
 */
export function callerBreakers(
  caller: string,
  { shared, own }: { shared: Breakers; own: Breakers },
): Breakers {
  return {
    of: (key: BreakerKey) =>
      key.account === caller ? own.of(key) : withOwn(shared.of(key), own.of(key), caller),
    list: () => shared.list(),
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
