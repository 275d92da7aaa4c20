/** The tools of a server as they were seen: a hash of each by its name. */
export type SeenTools = Readonly<Record<string, string>>;

/** Remembers what each server offered, by the server's key. */
export interface ToolPins {
  get(server: string): SeenTools | undefined;
  set(server: string, seen: SeenTools): void;
}

/** Names of tools. */
export interface ToolChanges {
  added: string[];
  /** Described otherwise, or with other parameters. */
  changed: string[];
  removed: string[];
}

/** Pins that last as long as the process. */
export function memoryPins(): ToolPins {
  const pins = new Map<string, SeenTools>();
  return { get: (server) => pins.get(server), set: (server, seen) => void pins.set(server, seen) };
}

/** What is different; undefined: nothing. */
export function changesBetween(before: SeenTools, after: SeenTools): ToolChanges | undefined {
  const names = Object.keys(after);
  const added = names.filter((name) => !Object.hasOwn(before, name));
  const changed = names.filter((name) => Object.hasOwn(before, name) && before[name] !== after[name]);
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, changed, removed };
}
