import { AppError } from "../../../kit/app-error.ts";
import { sleep } from "../../../kit/clock.ts";
import { untilAborted } from "../../../kit/concurrency/until-aborted.ts";
import { startDeadline } from "../../../kit/deadline.ts";
import type { ServerTool } from "./admit-tool.ts";
import { describeFault, isSessionGone, isUnreachable } from "./describe-fault.ts";
import type { LinePorts } from "./line.ts";
import { type McpToolList, noTools } from "./list-tools.ts";
import type { CallOptions, CallOutcome, McpClient } from "./mcp-client.ts";
import { type LoginPorts, ServerLogin } from "./oauth/server-login.ts";
import { openMcpClient } from "./open-connection.ts";
import type { ServerAddress } from "./server-address.ts";
import { mayStart, type ServerState, step, unstarted } from "./server-life.ts";
import { changesBetween, type ToolChanges, type ToolPins } from "./tool-pins.ts";

export interface ServerPorts extends LinePorts, LoginPorts {
  /** Version of this program, sent to servers. */
  version: string;
  /** Tools that servers offered when last seen, including earlier processes. */
  pins: ToolPins;
}

/** Status of a server for operators. */
export interface ServerStatus {
  state: ServerState["is"];
  /** Reason why it is down. */
  fault?: string;
  /** Number of tools that it lists, including those that are refused. */
  tools: number;
  refused: McpToolList["refused"];
  /** Scopes that its login lacks. */
  missingScope?: string;
  /** Tools that are new or different compared to the last time. */
  changed?: ToolChanges;
}

/** Time limit from the start to the list of tools; the program may have to be downloaded first. */
const startMs = 60_000;
/** Maximum wait for a server that is starting, counted from its start. */
const patienceMs = 10_000;
/** A call waits at most this long before a lost server may be started again, so that one crash costs a run nothing but time. */
const retryWaitMsMax = 2000;
/** Time for which an unused server is kept for calls of runs that are still active. */
const lingerMs = 60_000;
const listMs = 30_000;
/** Notifications within this time count as one change. */
const settleMs = 300;
const relistEveryMs = 2000;
/** A run waits at most this long for tools that a call has brought. */
const newToolsMs = 5000;

/** Interval of pings to a local server process, and time limit of the answer. */
const pingEveryMs = 15_000;
const pingMs = 10_000;
/** A server may be too busy with a call to answer a ping. It is pinged again when its calls have ended, or after this time. */
const busyMsMax = 200_000;

/** One server and its shared connection. Connects when it is needed or kept, and reconnects after a loss. */
export class McpServer {
  readonly key: string;
  /** Undefined for a local process, which needs no login. */
  readonly login: ServerLogin | undefined;
  readonly #name: string;
  readonly #address: ServerAddress;
  readonly #ports: ServerPorts;
  #state: ServerState = unstarted;
  #connection: McpClient | undefined;
  #starting: Promise<void> | undefined;
  #patience: Promise<void> | undefined;
  #listed: McpToolList = noTools;
  #changed: ToolChanges | undefined;
  #isKept = false;
  #isEager = false;
  #callsInFlight = 0;
  #relistDueMs = 0;
  #isStale = false;
  /** Until when the list of tools is fresh, as far as the server tells. */
  #freshUntilMs = Number.POSITIVE_INFINITY;
  #relisting: Promise<void> | undefined;
  /** Time of the last answer to a call or ping. */
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

  /** Its currently known tools; the same object as long as they don't change. */
  get listed(): McpToolList {
    return this.#listed;
  }

  status(): ServerStatus {
    const missingScope = this.login?.missingScope();
    return {
      state: this.#state.is,
      ...(this.#state.is === "down" ? { fault: this.#state.fault } : {}),
      tools: this.#listed.tools.length + this.#listed.refused.length,
      refused: this.#listed.refused,
      ...(missingScope === undefined ? {} : { missingScope }),
      ...(this.#changed === undefined ? {} : { changed: this.#changed }),
    };
  }

  /**
   * Sets whether agents use it; `eager`: it is connected immediately and reconnected after a loss. An unused server is closed after
   * `lingerMs`.
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

  /** Resolves once a server that is starting has started, failed, or used up its start time; undefined if there is nothing to wait for. */
  ready(): Promise<void> | undefined {
    this.#startIfDue();
    return this.#patience;
  }

  /** Resolves once the tools that the server has announced are known, or after some seconds; undefined if it has announced none. */
  relisted(): Promise<void> | undefined {
    const isOld = this.#ports.clock.monotonicMs() >= Math.max(this.#freshUntilMs, this.#relistDueMs);
    if ((this.#isStale || isOld) && this.#connection !== undefined) {
      this.#cancelTimers.relist();
      void this.#relist();
    }
    const listing = this.#relisting;
    if (listing === undefined) return undefined;
    const late = Promise.withResolvers<void>();
    const cancel = this.#ports.clock.timer(newToolsMs, late.resolve);
    return Promise.race([listing, late.promise]).finally(cancel);
  }

  /**
   * Calls a tool. If the server has lost our session, the call is repeated once in a new one. Throws AppError `mcp_unavailable` with a
   * message for the model, or the server's error.
   */
  async call(tool: string, input: Record<string, unknown>, options: CallOptions): Promise<CallOutcome> {
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

  /** Reconnects immediately after the login has changed. */
  async reconnect(): Promise<void> {
    await this.#starting;
    await this.#leave();
    this.#step({ type: "closed" });
    this.#startIfDue();
    await this.#starting;
  }

  /** Ends the connection, and the server if it is a local process; it is not started again. */
  async close(): Promise<void> {
    this.#stopping.abort(new DOMException("Argosy is stopping.", "AbortError"));
    this.#isKept = false;
    this.#isEager = false;
    await this.#leave();
    await this.#starting;
  }

  async #connected(signal: AbortSignal): Promise<McpClient> {
    const { clock } = this.#ports;
    if (this.#state.is === "down") {
      const waitMs = this.#state.retryAtMs - clock.monotonicMs();
      if (waitMs > 0 && waitMs <= retryWaitMsMax) await sleep(clock, waitMs, signal);
    }
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

  /** Never rejects: errors become the server's state. */
  async #start(): Promise<void> {
    const { clock, log, version } = this.#ports;
    const startedMs = clock.monotonicMs();
    const deadline = startDeadline(clock, startMs, noAnswer, [this.#stopping.signal]);
    let connection: McpClient | undefined;
    try {
      connection = await openMcpClient(this.#ports, {
        name: this.#name,
        address: this.#address,
        login: this.login,
        version,
        signal: deadline.signal,
        toolsChanged: () => this.#relistSoon(),
      });
      const opened = connection;
      this.#takeTools(await untilAborted(deadline.signal, () => opened.list(deadline.signal)), opened);
      this.#connection = opened;
      this.#step({ type: "started" });
      log.info("mcp.ready", {
        server: this.#name,
        tools: this.status().tools,
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

  #pingSoon(connection: McpClient): void {
    this.#cancelTimers.ping();
    this.#cancelTimers.ping = this.#ports.clock.timer(pingEveryMs, () => void this.#ping(connection));
  }

  /** A process that runs without answering counts as lost. */
  async #ping(connection: McpClient): Promise<void> {
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

  #lost(connection: McpClient, reason: string): void {
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

  /** Ends a session that the server no longer knows; the next call opens another. */
  async #renew(connection: McpClient): Promise<void> {
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

  /** Requests the tools again after a short delay without further notifications, and not more often than every `relistEveryMs`. */
  #relistSoon(): void {
    const { clock } = this.#ports;
    this.#isStale = true;
    const waitMs = Math.max(settleMs, this.#relistDueMs - clock.monotonicMs());
    this.#cancelTimers.relist();
    this.#cancelTimers.relist = clock.timer(waitMs, () => void this.#relist());
  }

  /** Lists the tools; once for all that wait for it. */
  #relist(): Promise<void> {
    this.#relisting ??= this.#listAgain().finally(() => {
      this.#relisting = undefined;
    });
    return this.#relisting;
  }

  async #listAgain(): Promise<void> {
    const { clock, log } = this.#ports;
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#isStale = false;
    this.#relistDueMs = clock.monotonicMs() + relistEveryMs;
    const deadline = startDeadline(clock, listMs, noAnswer, [this.#stopping.signal]);
    try {
      const listed = await untilAborted(deadline.signal, () => connection.list(deadline.signal));
      if (this.#connection === connection) this.#takeTools(listed, connection);
    } catch (thrown) {
      log.warn("mcp.list_failed", { server: this.#name, message: describeFault(thrown) });
    } finally {
      deadline.dispose();
    }
  }

  #takeTools(listed: McpToolList, connection: McpClient): void {
    const { clock, log, pins } = this.#ports;
    this.#freshUntilMs = clock.monotonicMs() + connection.freshMs();
    const before = pins.get(this.key);
    const seen = hashesOf(listed.tools);
    const changes = before && changesBetween(before, seen);
    if (changes !== undefined) {
      // Removed tools are harmless.
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
