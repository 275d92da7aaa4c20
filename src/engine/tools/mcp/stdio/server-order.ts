/** What the supervisor is told, as one line on its lifeline: nothing of it shows in a list of processes. */
export interface ServerOrder {
  command: string;
  args: readonly string[];
  /** All of the server's environment. */
  env: Readonly<Record<string, string>>;
  /** Memory of the server and all it starts, together. */
  memoryBytesMax: number;
}

/** The descriptor of the supervisor that the daemon holds open as long as the server is to live. */
export const lifelineDescriptor = 3;

/** With what status the supervisor ends where the server's own does not say it. */
export const endings = { notFound: 241, notStarted: 242, tooMuchMemory: 243, tooManyProcesses: 244 } as const;

/** Why a server has ended, by its supervisor's status. */
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
