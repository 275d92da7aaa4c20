/** Instructions for the supervisor, sent as one line on its lifeline so that they don't appear in process lists. */
export interface ServerOrder {
  command: string;
  args: readonly string[];
  /** The complete environment of the server. */
  env: Readonly<Record<string, string>>;
  /** Memory limit for the server and all its descendants together. */
  memoryBytesMax: number;
}

/** Descriptor of the supervisor that the daemon keeps open as long as the server should live. */
export const lifelineDescriptor = 3;

/** Exit statuses of the supervisor for endings other than the server's own. */
export const endings = { notFound: 241, notStarted: 242, tooMuchMemory: 243, tooManyProcesses: 244 } as const;

/** The reason why a server has ended, from its supervisor's status. */
export function describeEnding(status: number | null, order: Pick<ServerOrder, "memoryBytesMax">): string {
  switch (status) {
    case endings.notFound:
      return "its command was not found";
    case endings.notStarted:
      return "its command can't be started";
    case endings.tooMuchMemory:
      return `it used more than ${Math.round(order.memoryBytesMax / 1024 ** 2)} MiB of memory and was stopped`;
    case endings.tooManyProcesses:
      return "it started too many processes and was stopped";
    case null:
      return "its process was killed";
    default:
      return status > 128 ? `a signal ended it (${status - 128})` : `it ended with status ${status}`;
  }
}
