import { closeSync, writeSync } from "node:fs";
import { type Clock, sleep } from "../../../../kit/clock.ts";
import { describeEnding, type ServerOrder } from "./server-order.ts";

export interface ServerProcess {
  output: AsyncIterable<Uint8Array>;
  errors: AsyncIterable<Uint8Array>;
  /** Sends a text to the server's input; rejects when nobody can read it any more. */
  write(text: string): Promise<void>;
  /** Ends the server with everything it has started; resolves once nothing of it is left. */
  end(): Promise<void>;
  /** Why it has ended, for the operator. */
  ended: Promise<string>;
}

export interface StartOptions {
  /** How this program starts itself as a supervisor. */
  supervisor: readonly string[];
  folder: string;
  order: ServerOrder;
  clock: Clock;
}

/** Starts an MCP server below a supervisor that outlives this process just long enough to end the server. */
export function startServerProcess({ supervisor, folder, order, clock }: StartOptions): ServerProcess {
  const child = Bun.spawn([...supervisor], {
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    // The supervisor leads a group and a session of its own, which the server belongs to.
    detached: true,
    cwd: folder,
    env: {},
  });
  const lifeline = openLifeline(child.stdio[3]);
  void lifeline.write(`${JSON.stringify(order)}\n`, clock);
  const ended = child.exited.then(() => {
    lifeline.cut();
    // Somebody killed the supervisor alone, so nobody is left who would end its group.
    if (child.signalCode !== null) killGroup(child.pid);
    return describeEnding(child.exitCode, order);
  });
  return {
    output: child.stdout,
    errors: child.stderr,
    async write(text) {
      child.stdin.write(text);
      await child.stdin.flush();
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
          // The supervisor has yet to read; otherwise it is gone already, and says so by its status.
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
    // Nobody is left in it.
  }
}
