import type { Clock } from "../../../kit/clock.ts";
import type { Logger } from "../../../kit/log.ts";
import type { GuardedNetwork } from "../network/guarded-network.ts";
import type { WatchedTransport } from "./watched-transport.ts";

/** What servers are reached with. */
export interface LinePorts {
  clock: Clock;
  log: Logger;
  network: Pick<GuardedNetwork, "fetch">;
  /** How this program starts itself as the supervisor of a server. */
  supervisor: readonly string[];
  /** Where servers run. */
  folder: string;
  /** The folders in which their commands are looked for: all they get of this process's environment. */
  path: string;
}

/** A way to one server, from when it is opened until it is lost. */
export interface Line {
  transport: WatchedTransport;
  /** Why it was lost, for the operator; undefined as long as it was not, or was closed here. */
  lostBy(): string | undefined;
  /** An error that the SDK told of in passing; once the line is `inUse` it may mean that it is lost. */
  noticed(error: Error, inUse: boolean): void;
  /** Tells the server that nobody will call again. */
  sayGoodbye(): Promise<void>;
  close(): Promise<void>;
}
