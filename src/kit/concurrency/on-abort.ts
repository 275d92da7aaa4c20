/** Told once that a signal has aborted. */
export interface AbortListener {
  signalAborted(signal: AbortSignal): void;
}

/** The listeners of one signal, in order of arrival. */
type Listeners = Set<AbortListener>;

/**
 * The listeners of each signal behind one listener of the system: adding one to a signal and removing it takes microseconds, and more the
 * more there are. Every run adds some to the signal of the process's stop.
 */
const listenersBy = new WeakMap<AbortSignal, Listeners>();

/** Calls `listener` once when the signal aborts, unless the returned function is called before. A signal that has aborted never calls it. */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  // The same function may be given twice.
  const own: AbortListener = { signalAborted: () => listener() };
  listenTo(signal, own);
  return () => stopListening(signal, own);
}

/** As `onAbort`, without a function for each call. The listener is called once, however often it was added, unless `stopListening` came first. */
export function listenTo(signal: AbortSignal, listener: AbortListener): void {
  const listeners = listenersBy.get(signal) ?? firstListeners(signal);
  listeners.add(listener);
}

export function stopListening(signal: AbortSignal, listener: AbortListener): void {
  listenersBy.get(signal)?.delete(listener);
}

function firstListeners(signal: AbortSignal): Listeners {
  const listeners: Listeners = new Set();
  listenersBy.set(signal, listeners);
  signal.addEventListener("abort", () => tellAll(listeners, signal), { once: true });
  return listeners;
}

/** Aborts a signal of its own and tells the listeners of `listenTo` itself, so that they need no listener of the system at all. */
export class ToldController {
  readonly #controller = new AbortController();
  readonly #listeners: Listeners = new Set();
  readonly signal = this.#controller.signal;

  constructor() {
    listenersBy.set(this.signal, this.#listeners);
  }

  abort(reason: unknown): void {
    if (this.signal.aborted) return;
    this.#controller.abort(reason);
    tellAll(this.#listeners, this.signal);
  }
}

function tellAll(listeners: Listeners, signal: AbortSignal): void {
  const all = [...listeners];
  listeners.clear();
  for (const listener of all) tellAlone(listener, signal);
}

/** A listener that throws must not keep the others from being told. */
function tellAlone(listener: AbortListener, signal: AbortSignal): void {
  try {
    listener.signalAborted(signal);
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
