/** Tools of a server when last seen: a hash of each by name. */
export type SeenTools = Readonly<Record<string, string>>;

/** Remembers the tools of each server by the server's key. */
export interface ToolPins {
  get(server: string): SeenTools | undefined;
  set(server: string, seen: SeenTools): void;
}

/** Names of tools. */
export interface ToolChanges {
  added: string[];
  /** Tools with another description or other parameters. */
  changed: string[];
  removed: string[];
}

/** Pins in memory. */
export function memoryPins(): ToolPins {
  const pins = new Map<string, SeenTools>();
  return { get: (server) => pins.get(server), set: (server, seen) => void pins.set(server, seen) };
}

/** The differences; undefined if there are none. */
export function changesBetween(before: SeenTools, after: SeenTools): ToolChanges | undefined {
  const names = Object.keys(after);
  const added = names.filter((name) => !Object.hasOwn(before, name));
  const changed = names.filter((name) => Object.hasOwn(before, name) && before[name] !== after[name]);
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return added.length + changed.length + removed.length === 0 ? undefined : { added, changed, removed };
}
