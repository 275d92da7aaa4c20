import { closeSync, writeSync } from "node:fs";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import { describeEnding, type ServerOrder } from "./server-order.ts";

export interface ServerProcess {
  output: AsyncIterable<Uint8Array>;
  errors: AsyncIterable<Uint8Array>;
  /** Writes to the server's input; rejects if the input is closed. */
  write(text: string): Promise<void>;
  /** Ends the server and all its descendants; resolves when none is left. */
  end(): Promise<void>;
  /** The reason for its end, for the operator. */
  ended: Promise<string>;
}

export interface ServerStartOptions {
  /** Command with which this program starts itself as a supervisor. */
  supervisor: readonly string[];
  folder: string;
  order: ServerOrder;
  clock: Clock;
}

/** Starts an MCP server below a supervisor, which outlives this process just long enough to end the server. */
export function startServerProcess({ supervisor, folder, order, clock }: ServerStartOptions): ServerProcess {
  const child = Bun.spawn([...supervisor], {
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    // The supervisor leads its own session and group, to which the server belongs.
    detached: true,
    cwd: folder,
    env: {},
  });
  const lifeline = openLifeline(child.stdio[3]);
  void lifeline.write(`${JSON.stringify(order)}\n`, clock);
  const ended = child.exited.then(() => {
    lifeline.cut();
    // The supervisor was killed, so its group must be ended from here.
    if (child.signalCode !== null) killGroup(child.pid);
    return describeEnding(child.exitCode, order);
  });
  return {
    output: child.stdout,
    errors: child.stderr,
    async write(text) {
      // Either may be a promise, and both reject when the server has ended.
      await Promise.all([child.stdin.write(text), child.stdin.flush()]);
    },
    async end() {
      void Promise.resolve(child.stdin.end()).catch(() => undefined);
      lifeline.cut();
      await ended;
    },
    ended,
  };
}

function openLifeline(descriptor: unknown) {
  let open = typeof descriptor === "number" ? descriptor : undefined;
  const cut = () => {
    if (open !== undefined) closeSync(open);
    open = undefined;
  };
  return {
    cut,
    async write(text: string, clock: Clock) {
      const bytes = Buffer.from(text);
      for (let at = 0; open !== undefined && at < bytes.length; ) {
        try {
          at += writeSync(open, bytes, at);
        } catch (thrown) {
          // The pipe is full, so the supervisor still has to read. Other errors mean that it is gone, and its status gives the reason.
          if (!isFull(thrown)) return cut();
          await sleep(clock, 5);
        }
      }
    },
  };
}

function isFull(thrown: unknown): boolean {
  return thrown instanceof Error && "code" in thrown && thrown.code === "EAGAIN";
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    // The group has no processes left.
  }
}
