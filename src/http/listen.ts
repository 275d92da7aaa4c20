import { rmSync } from "node:fs";
import { AppError } from "../kit/app-error.ts";
import type { Clock } from "../kit/clock.ts";
import { DescriptorWatch } from "../kit/process/descriptor-shortage.ts";
import { BodyBudget } from "./bodies/body-budget.ts";
import type { Peer, SocketHandler } from "./call.ts";
import { urlHost } from "./front-door/host-rule.ts";
import type { ServiceApp } from "./service-app.ts";
import { unreadBytesMax } from "./streams/event-stream.ts";
import { messageBytesMax, SocketWatch } from "./streams/socket-watch.ts";

export interface ListenAddress {
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** The setting that chooses the port, for the error message if the port is taken. */
  portSetting?: string;
  /** PEM texts; without them, the service speaks plain HTTP. */
  tls?: {
    cert: string;
    key: string;
    /** With `ca`, only clients with a certificate that it signed connect. */
    ca?: string;
    requestCert?: true;
    rejectUnauthorized?: true;
  };
}

export interface Listener {
  /** The URL for clients on this machine, for example `http://127.0.0.1:8000`. */
  readonly url: string;
  readonly port: number;
  /** Stops accepting requests, lets running ones end within `deadlineMs`, then closes the remaining connections. */
  stop(deadlineMs: number): Promise<void>;
}

export interface ListenSettings {
  clock: Clock;
  /** Silence after which a connection is closed; also the limit for slow headers and bodies. */
  idleTimeoutSeconds?: number;
  /** Bounds the bodies that are being received, for all listeners of a process. Absent: the listener has its own. */
  bodies?: BodyBudget;
  /** Called with each request before it is answered. */
  noteRequest?: ((method: string, url: string) => void) | undefined;
}

/**
 * Bun checks every 4 s, so a slow client is gone within 24 s. A run that may be silent for longer calls `holdOpen`. `serviceFetch` keeps its
 * connections for less.
 */
const idleTimeoutDefault = 20;

/** Routes have lower limits with their own error. Beyond this, Bun itself refuses, with an empty body. */
const bodyBytesBackstop = 128 * 1024 * 1024;

/** Serves `app` on a port. Throws AppError `conflict` that names the port if another program has it. */
export function listen(app: ServiceApp, address: ListenAddress, settings: ListenSettings): Listener {
  const { host, port, tls } = address;
  const idleTimeout = settings.idleTimeoutSeconds ?? idleTimeoutDefault;
  return listenOn(app, "network", settings, (shared) => {
    try {
      // By default, Bun would let a second process share the port and take half of the requests.
      const server = Bun.serve({
        ...shared,
        hostname: host,
        port,
        idleTimeout,
        reusePort: false,
        ...(tls && { tls }),
      });
      return { server, url: `${tls ? "https" : "http"}://${urlHost(loopbackOf(host))}:${server.port}` };
    } catch (thrown) {
      throw bindFailure(app.name, address, thrown);
    }
  });
}

/** Serves `app` on a Unix socket that only this user may open. Callers on it are trusted. */
export function listenOnSocket(app: ServiceApp, path: string, settings: ListenSettings): Listener {
  const listener = listenOn(app, "control", settings, (shared) => {
    // A killed process leaves its socket behind. Only the owner of the data folder listens here, so the file can be removed.
    rmSync(path, { force: true });
    const umask = process.umask(0o177);
    try {
      // Commands wait in silence for slow work. Bun would close a Unix socket after 10 s, even if the request lifted its limit. Its types
      // don't know that it takes the option here.
      const options: typeof shared & { unix: string } = Object.assign(
        { ...shared, unix: path },
        { idleTimeout: 0 },
      );
      return { server: Bun.serve(options), url: `unix:${path}` };
    } finally {
      process.umask(umask);
    }
  });
  return {
    ...listener,
    async stop(deadlineMs) {
      await listener.stop(deadlineMs);
      rmSync(path, { force: true });
    },
  };
}

/** Options that both kinds of server share. */
interface SharedOptions {
  development: false;
  maxRequestBodySize: number;
  fetch(request: Request, server: Bun.Server<SocketHandler>): Response | Promise<Response>;
  error(thrown: unknown): Response;
  websocket: Bun.WebSocketHandler<SocketHandler>;
}

function listenOn(
  app: ServiceApp,
  peer: Peer,
  settings: ListenSettings,
  serve: (shared: SharedOptions) => { server: Bun.Server<SocketHandler>; url: string },
): Listener {
  const sockets = new Set<SocketHandler>();
  const retiring = new AbortController();
  const bodies = settings.bodies ?? new BodyBudget(settings.clock);
  const watch = new SocketWatch(bodies, messageBytesMax);
  const descriptors = new DescriptorWatch(settings.clock);
  const { server, url } = serve({
    development: false,
    maxRequestBodySize: bodyBytesBackstop,
    async fetch(request, connection) {
      settings.noteRequest?.(request.method, request.url);
      const answer = await app.handle(request, { peer, connection, retiring: retiring.signal, bodies });
      // Idle keep-alive connections would block connections that wait to be accepted.
      if (answer !== undefined && descriptors.isShort) answer.headers.set("connection", "close");
      return answer;
    },
    error: (thrown) => app.fail(thrown),
    websocket: webSocketBehaviour(sockets, watch),
  });
  return {
    url,
    port: server.port ?? 0,
    async stop(deadlineMs) {
      const drained = server.stop(false);
      retiring.abort(new DOMException("The service is stopping.", "AbortError"));
      for (const socket of sockets) socket.retire();
      const deadline = Promise.withResolvers<void>();
      const cancel = settings.clock.timer(deadlineMs, deadline.resolve);
      await Promise.race([drained, deadline.promise]);
      cancel();
      await server.stop(true);
    },
  };
}

function webSocketBehaviour(
  sockets: Set<SocketHandler>,
  watch: SocketWatch,
): Bun.WebSocketHandler<SocketHandler> {
  return {
    // For all fragments of a message together.
    maxPayloadLength: messageBytesMax,
    // A message beyond this is dropped and `send` returns 0; the session then ends the connection itself.
    backpressureLimit: unreadBytesMax,
    closeOnBackpressureLimit: false,
    // Off: tokens are too short to benefit, and inflating allows compression bombs.
    perMessageDeflate: false,
    // Bun pings before this timeout, so only a client that does not answer is closed.
    idleTimeout: 60,
    sendPings: true,
    open(socket) {
      if (!watch.opened(socket, () => socket.data.isAnswering())) return;
      sockets.add(socket.data);
      socket.data.open(socket);
    },
    message(socket, message) {
      watch.completed(socket);
      socket.data.message(socket, message);
    },
    drain(socket) {
      socket.data.drained?.(socket);
    },
    close(socket) {
      watch.closed(socket);
      sockets.delete(socket.data);
      socket.data.close(socket);
    },
  };
}

function bindFailure(name: string, { host, port, portSetting }: ListenAddress, cause: unknown): AppError {
  const code = (cause as { code?: unknown } | undefined)?.code;
  const place = `port ${port} on ${host}`;
  if (code === "EADDRINUSE") {
    const by = portSetting === undefined ? "" : ` by ${portSetting}, where 0 takes any free one`;
    return new AppError(
      "conflict",
      "port_taken",
      `The ${name} can't start: ${place} is taken by another program.`,
      {
        cause,
        details: {
          hint: `Stop that program (\`ss -ltnp sport = :${port}\` names it), or give the ${name} another port${by}.`,
        },
      },
    );
  }
  return new AppError(
    "invalid",
    "address_refused",
    `The ${name} can't listen on ${place} (${String(code)}).`,
    {
      cause,
      details: { hint: "Give an address of this machine, and a port of 1024 or above unless run as root." },
    },
  );
}

/** Returns an address that clients can connect to, for the wildcard address. */
function loopbackOf(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  return host === "::" ? "::1" : host;
}
