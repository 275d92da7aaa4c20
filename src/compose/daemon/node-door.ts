import { type ListenAddress, type Listener, type ListenSettings, listen } from "../../http/listen.ts";
import type { ServiceApp } from "../../http/service-app.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Logger } from "../../kit/log.ts";
import { signatureHeader } from "../../mesh/message-signature.ts";
import type { NodeTls } from "../../mesh/tls/node-tls.ts";

/** The port on which nodes talk to each other. */
export interface NodeDoor {
  app: ServiceApp;
  port: number;
  tls: NodeTls;
}

/** Time for the messages of a listener that is replaced. */
const lastMessagesMs = 5_000;
/** How often the certificate is looked at: the timer of a machine that sleeps stands still. */
const lookMs = 60 * 60 * 1000;
const againMs = 1_000;

/** Listens for other nodes, and again with each new certificate. Only nodes with a certificate of this mesh connect. */
export function listenForNodes(
  { app: whole, port, tls }: NodeDoor,
  host: string,
  settings: ListenSettings,
  log: Logger,
): Listener {
  let renewAt = tls.current().renewAt;
  const address = (): ListenAddress => {
    const { ca, cert, key } = tls.current();
    return {
      host,
      port,
      portSetting: "PLATFORM_MESH_PORT",
      tls: { ca, cert, key, requestCert: true, rejectUnauthorized: true },
    };
  };
  const { clock } = settings;
  const app = forNodes(whole);
  let listener = listen(app, address(), settings);
  let stopTimer = () => {};
  const lookLater = (waitMs: number) => {
    stopTimer = clock.timer(waitMs, () => lookLater(renew() ? lookMs : againMs));
  };
  /** Returns false if the port could not be had again. */
  const renew = () => {
    const next = tls.current().renewAt;
    if (next.getTime() === renewAt.getTime()) return true;
    void listener.stop(lastMessagesMs).catch(() => {});
    try {
      listener = listen(app, address(), settings);
    } catch (err) {
      log.error("mesh.port_lost", { err });
      return false;
    }
    renewAt = next;
    return true;
  };
  lookLater(lookMs);
  return {
    url: listener.url,
    port: listener.port,
    stop(deadlineMs) {
      stopTimer();
      return listener.stop(deadlineMs);
    },
  };
}

/** The app on the nodes' own port: messages of nodes only. */
const forNodes = (app: ServiceApp): ServiceApp => ({
  ...app,
  handle: (request, origin) =>
    request.headers.has(signatureHeader) ? app.handle(request, origin) : app.fail(notHere()),
});

/** The app on the service's port, where nodes that have a port of their own are refused. */
export const withoutNodes = (app: ServiceApp): ServiceApp => ({
  ...app,
  handle: (request, origin) =>
    request.headers.has(signatureHeader) ? app.fail(unencrypted()) : app.handle(request, origin),
});

const notHere = () =>
  new AppError("not_found", "not_found", "Only nodes of the mesh talk on this port.", {
    details: { hint: "Send the request to the service's own port." },
  });

const unencrypted = () =>
  new AppError(
    "forbidden",
    "mesh_tls_required",
    "Nodes of this mesh talk to each other over TLS, on another port.",
    {
      details: { hint: "Set PLATFORM_MESH_PORT on all nodes, and name that port in PLATFORM_MESH_SEEDS." },
    },
  );
