import { AppError } from "../../../kit/app-error.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import { untilAborted } from "../../../kit/until-aborted.ts";
import type { ServerTool } from "./admit-tool.ts";
import { describeFault, isSessionGone, isUnreachable } from "./describe-fault.ts";
import type { LinePorts } from "./line.ts";
import { type ListedTools, noTools } from "./list-tools.ts";
import { type LoginPorts, ServerLogin } from "./oauth/server-login.ts";
import { type CallOptions, type Connection, openConnection } from "./open-connection.ts";
import type { ServerAddress } from "./server-address.ts";
import { mayStart, type ServerState, step, unstarted } from "./server-life.ts";
import { changesBetween, type ToolChanges, type ToolPins } from "./tool-pins.ts";

export interface ServerPorts extends LinePorts, LoginPorts {
  /** Of this program, as servers are told. */
  version: string;
  /** What servers offered when they were seen last, also before this process began. */
  pins: ToolPins;
}

/** A server as an operator sees it. */
export interface ServerStatus {
  state: ServerState["is"];
  /** Why it is down. */
  fault?: string;
  tools: number;
  refused: ListedTools["refused"];
  /** What it has of tools that it had not, or otherwise, when it was seen before. */
  changed?: ToolChanges;
}

/** From the start to the list of tools; a program that is fetched first may take its time. */
const startMs = 60_000;
/** What waits for a server that is starting goes on without it after this time, counted from its start. */
const patienceMs = 10_000;
/** A server that no agent has any more is kept for the calls of runs that are still going. */
const lingerMs = 60_000;
const listMs = 30_000;
/** Notifications that follow each other are one change. */
const settleMs = 300;
const relistEveryMs = 2000;

/** How often a process of ours is asked whether it still answers, and how long its answer may take. */
const pingEveryMs = 15_000;
const pingMs = 10_000;
/** A server may be too busy with a call to answer a ping: it is asked again when its calls have ended, or after this time. */
const busyMsMax = 200_000;

/** One server and the one connection to it, whoever shares it. Connects when it is needed or kept, and again when it is lost. */
export class McpServer {
  readonly key: string;
  /** Undefined: the server is a process of ours, which knows who we are. */
  readonly login: ServerLogin | undefined;
  readonly #name: string;
  readonly #address: ServerAddress;
  readonly #ports: ServerPorts;
  #state: ServerState = unstarted;
  #connection: Connection | undefined;
  #starting: Promise<void> | undefined;
  #patience: Promise<void> | undefined;
  #listed: ListedTools = noTools;
  #changed: ToolChanges | undefined;
  #isKept = false;
  #isEager = false;
  #callsInFlight = 0;
  #relistDueMs = 0;
  /** When a call or a ping was answered last. */
  #answeredMs = 0;
  #cancelTimers = { retry: () => {}, linger: () => {}, relist: () => {}, ping: () => {} };
  readonly #stopping = new AbortController();

  constructor(key: string, name: string, address: ServerAddress, ports: ServerPorts) {
    this.key = key;
    this.#name = name;
    this.#address = address;
    this.#ports = ports;
    this.login = address.transport === "stdio" ? undefined : new ServerLogin(key, address, ports);
  }

  /** Its tools as they are known now; the same object as long as they are the same. */
  get listed(): ListedTools {
    return this.#listed;
  }

  status(): ServerStatus {
    return {
      state: this.#state.is,
      ...(this.#state.is === "down" ? { fault: this.#state.fault } : {}),
      tools: this.#listed.tools.length,
      refused: this.#listed.refused,
      ...(this.#changed === undefined ? {} : { changed: this.#changed }),
    };
  }

  /**
   * Whether agents have it; `eager`: then it is connected whether somebody needs it or not, and again when it is lost. One
   * that nobody has is closed after a while.
   */
  keep(isKept: boolean, isEager: boolean): void {
    this.#isKept = isKept;
    this.#isEager = isKept && isEager;
    this.#cancelTimers.linger();
    if (this.#isEager) this.#startIfDue();
    else {
      this.#cancelTimers.retry();
      this.#lingerOrLeave();
    }
  }

  /** Resolves once a server that is starting has started, failed, or had its time; undefined: there is nothing to wait for. */
  ready(): Promise<void> | undefined {
    this.#startIfDue();
    return this.#patience;
  }

  /**
   * Calls a tool. A server that forgot our session is asked once more in a new one. Throws AppError `mcp_unavailable` with
   * words for the model, or what the server answered.
   */
  async call(
    tool: string,
    input: Record<string, unknown>,
    options: CallOptions,
  ): Promise<Record<string, unknown>> {
    this.#callsInFlight++;
    try {
      const connection = await this.#connected(options.signal);
      try {
        const result = await connection.call(tool, input, options);
        this.#answeredMs = this.#ports.clock.monotonicMs();
        return result;
      } catch (thrown) {
        if (options.signal.aborted) throw thrown;
        if (isSessionGone(thrown)) {
          await this.#renew(connection);
          return await (await this.#connected(options.signal)).call(tool, input, options);
        }
        if (isUnreachable(thrown)) this.#lost(connection, describeFault(thrown));
        throw thrown;
      }
    } finally {
      this.#callsInFlight--;
      this.#lingerOrLeave();
    }
  }

  /** Connects anew at once, whatever was before: the login is another now. */
  async reconnect(): Promise<void> {
    await this.#starting;
    await this.#leave();
    this.#step({ type: "closed" });
    this.#startIfDue();
    await this.#starting;
  }

  /** Ends the connection, and with it the server where it is ours; nothing starts it again. */
  async close(): Promise<void> {
    this.#stopping.abort(new DOMException("Argosy is stopping.", "AbortError"));
    this.#isKept = false;
    this.#isEager = false;
    await this.#leave();
    await this.#starting;
  }

  async #connected(signal: AbortSignal): Promise<Connection> {
    this.#startIfDue();
    if (this.#starting !== undefined) await untilAborted(signal, () => this.#starting);
    if (this.#connection !== undefined) return this.#connection;
    throw new AppError(
      "unavailable",
      "mcp_unavailable",
      "its server is not available now. Go on without it, or tell the user.",
    );
  }

  #startIfDue(): void {
    const { clock } = this.#ports;
    if (this.#stopping.signal.aborted || !mayStart(this.#state, clock.monotonicMs())) return;
    this.#cancelTimers.retry();
    this.#step({ type: "start" });
    const hadTime = Promise.withResolvers<void>();
    const cancel = clock.timer(patienceMs, () => hadTime.resolve());
    this.#starting = this.#start().finally(() => {
      cancel();
      hadTime.resolve();
      this.#starting = undefined;
    });
    const patience = hadTime.promise.then(() => {
      if (this.#patience === patience) this.#patience = undefined;
    });
    this.#patience = patience;
  }

  /** Never rejects: what goes wrong is the server's state. */
  async #start(): Promise<void> {
    const { clock, log, version } = this.#ports;
    const startedMs = clock.monotonicMs();
    const deadline = startDeadline(clock, startMs, noAnswer, [this.#stopping.signal]);
    let connection: Connection | undefined;
    try {
      connection = await openConnection(this.#ports, {
        name: this.#name,
        address: this.#address,
        login: this.login,
        version,
        signal: deadline.signal,
        toolsChanged: () => this.#relistSoon(),
      });
      const opened = connection;
      this.#takeTools(await untilAborted(deadline.signal, () => opened.list(deadline.signal)));
      this.#connection = opened;
      this.#step({ type: "started" });
      log.info("mcp.ready", {
        server: this.#name,
        tools: this.#listed.tools.length,
        ms: Math.round(clock.monotonicMs() - startedMs),
      });
      if (this.login === undefined) {
        this.#answeredMs = clock.monotonicMs();
        this.#pingSoon(opened);
      }
      void opened.ended.then((reason) => this.#lost(opened, reason ?? "it ended the connection"));
      this.#lingerOrLeave();
    } catch (thrown) {
      this.#failed(describeFault(thrown), thrown);
      await connection?.close().catch(() => undefined);
    } finally {
      deadline.dispose();
    }
  }

  #pingSoon(connection: Connection): void {
    this.#cancelTimers.ping();
    this.#cancelTimers.ping = this.#ports.clock.timer(pingEveryMs, () => void this.#ping(connection));
  }

  /** A process that runs and answers nothing is lost like one that has ended. */
  async #ping(connection: Connection): Promise<void> {
    if (this.#connection !== connection) return;
    const isBusy = this.#callsInFlight > 0 && this.#ports.clock.monotonicMs() - this.#answeredMs < busyMsMax;
    if (isBusy) return this.#pingSoon(connection);
    const deadline = startDeadline(this.#ports.clock, pingMs, noAnswer, [this.#stopping.signal]);
    try {
      await untilAborted(deadline.signal, () => connection.ping(deadline.signal));
      this.#answeredMs = this.#ports.clock.monotonicMs();
      this.#pingSoon(connection);
    } catch {
      if (this.#stopping.signal.aborted) return;
      const fault = `it is unresponsive: it did not answer a ping within ${pingMs / 1000} seconds`;
      this.#lost(connection, fault);
    } finally {
      deadline.dispose();
    }
  }

  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#failed(reason);
    void connection.close().catch(() => undefined);
  }

  #failed(fault: string, cause?: unknown): void {
    this.#step(this.#stopping.signal.aborted ? { type: "closed" } : { type: "failed", fault });
    if (this.#state.is !== "down") return;
    const { clock, log } = this.#ports;
    const retryMs = this.#state.retryAtMs - clock.monotonicMs();
    log.warn("mcp.down", {
      server: this.#name,
      message: fault,
      retry_ms: retryMs,
      ...(cause instanceof AppError ? {} : { err: cause }),
    });
    if (this.#isEager) this.#cancelTimers.retry = clock.timer(retryMs, () => this.#startIfDue());
  }

  /** Leaves a session that the server does not know any more; the next need opens another. */
  async #renew(connection: Connection): Promise<void> {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#step({ type: "closed" });
    void connection.close().catch(() => undefined);
  }

  #lingerOrLeave(): void {
    if (this.#isKept || this.#callsInFlight > 0 || this.#connection === undefined) return;
    this.#cancelTimers.linger();
    this.#cancelTimers.linger = this.#ports.clock.timer(lingerMs, () => {
      if (!this.#isKept && this.#callsInFlight === 0) void this.#leave();
    });
  }

  async #leave(): Promise<void> {
    for (const cancel of Object.values(this.#cancelTimers)) cancel();
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection === undefined) return;
    this.#step({ type: "closed" });
    await connection.close().catch(() => undefined);
  }

  /** Asks for the tools anew when the server has not spoken of them for a moment, and not more often than is good for both. */
  #relistSoon(): void {
    const { clock } = this.#ports;
    const waitMs = Math.max(settleMs, this.#relistDueMs - clock.monotonicMs());
    this.#cancelTimers.relist();
    this.#cancelTimers.relist = clock.timer(waitMs, () => void this.#relist());
  }

  async #relist(): Promise<void> {
    const { clock, log } = this.#ports;
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#relistDueMs = clock.monotonicMs() + relistEveryMs;
    const deadline = startDeadline(clock, listMs, noAnswer, [this.#stopping.signal]);
    try {
      const listed = await untilAborted(deadline.signal, () => connection.list(deadline.signal));
      if (this.#connection === connection) this.#takeTools(listed);
    } catch (thrown) {
      log.warn("mcp.list_failed", { server: this.#name, message: describeFault(thrown) });
    } finally {
      deadline.dispose();
    }
  }

  #takeTools(listed: ListedTools): void {
    const { log, pins } = this.#ports;
    const before = pins.get(this.key);
    const seen = hashesOf(listed.tools);
    const changes = before && changesBetween(before, seen);
    if (changes !== undefined) {
      // Tools that are gone can do no harm.
      if (changes.added.length + changes.changed.length > 0) this.#changed = changes;
      log.warn("mcp.tools_changed", { server: this.#name, ...changes });
    }
    if (before === undefined || changes !== undefined) pins.set(this.key, seen);
    const isSame = changesBetween(hashesOf(this.#listed.tools), seen) === undefined;
    if (!isSame || listed.refused.length !== this.#listed.refused.length) this.#listed = listed;
  }

  #step(event: Parameters<typeof step>[1]): void {
    this.#state = step(this.#state, event, this.#ports.clock.monotonicMs());
  }
}

function hashesOf(tools: readonly ServerTool[]): Record<string, string> {
  return Object.fromEntries(tools.map(({ name, hash }) => [name, hash]));
}

function noAnswer(): AppError {
  return new AppError("upstream_timed_out", "mcp_failed", "it did not answer in time");
}
