/** Functions called when a signal aborts, in order of arrival. */
type Listeners = Set<() => void>;

/**
 * The listeners of each signal behind one listener of the system: adding one to a signal and removing it takes microseconds, and more the
 * more there are. Every run adds some to the signal of the process's stop.
 */
const listenersBy = new WeakMap<AbortSignal, Listeners>();

/** Calls `listener` once when the signal aborts, unless the returned function is called before. A signal that has aborted never calls it. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  const listeners = listenersBy.get(signal) ?? listenTo(signal);
  // The same function may be given twice.
  const own = () => listener();
  listeners.add(own);
  return () => listeners.delete(own);
}

function listenTo(signal: AbortSignal): Listeners {
  const listeners: Listeners = new Set();
  listenersBy.set(signal, listeners);
  const callAll = () => {
    const all = [...listeners];
    listeners.clear();
    for (const listener of all) callAlone(listener);
  };
  signal.addEventListener("abort", callAll, { once: true });
  return listeners;
}

/** A listener that throws must not keep the others from being called. */
function callAlone(listener: () => void): void {
  try {
    listener();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
