import { type AnyElysia, Elysia } from "elysia";
import { toAppError } from "../kit/app-error.ts";
import type { NewId } from "../kit/id.ts";
import type { Logger } from "../kit/log.ts";
import { createCall, type Origin } from "./call.ts";
import { commonRoutes, type ReadReadiness } from "./common-routes.ts";
import {
  codeAndMessage,
  type ErrorForm,
  errorHeaders,
  logRefusal,
  toRequestError,
} from "./errors/error-answer.ts";
import { type Access, createFrontDoor, createOwnerRule } from "./front-door/front-door.ts";
import { callContext } from "./route-plugins.ts";
import { allowedMethods, requireSoundRoutes } from "./route-rules.ts";

/** Definition of one HTTP service. */
export interface ServiceDefinition {
  /** Name in lower case: `daemon`. */
  name: string;
  title: string;
  /** Description for its docs page, in a sentence or two. */
  description: string;
  version: string;
  /** Address of the documentation's first page, if the service has it. */
  handbook?: string;
  access: Access;
  /** True if it is served over TLS. */
  secure: boolean;
  readReadiness: ReadReadiness;
  /** `{error: code, message}` by default. */
  errorForm?: ErrorForm;
  /** Makes the plugins of routes, each with `jsonRoutes()` or `rawRoutes()`. Called once, by `prepare` or the first request. */
  routes: () => readonly AnyElysia[];
  log: Logger;
  newId: NewId;
}

export interface ServiceApp {
  readonly name: string;
  /** All routes, including those that the OpenAPI document hides. */
  routes(): readonly { method: string; path: string }[];
  /** Builds the routes, unless a request needed them already. Until then only `/healthz` is answered without building them. */
  prepare(): void;
  /** Answers one request. Never rejects for a fault of the request or of a handler. */
  handle(request: Request, origin: Origin): Response | Promise<Response>;
  /** Returns the response to an error outside of any route. */
  fail(thrown: unknown): Response;
}

const securityHeaders = { "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" };

/**
 * Builds a service around its routes: front door, request ids, strict bodies, 404, 405 and OPTIONS, errors in the service's format,
 * `/healthz`, `/readyz`, `/openapi.json` and `/docs`.
 *
 * The routes are an eighth of the daemon's start, so they are built when the service listens already.
 */
export function createServiceApp(definition: ServiceDefinition): ServiceApp {
  const { log, newId, access, errorForm = codeAndMessage } = definition;
  const entrance: Entrance = {
    enter: createFrontDoor(access),
    isSentByOwner: createOwnerRule(access),
    origins: new WeakMap(),
  };
  let complete: AnyElysia | undefined;
  let door: AnyElysia | undefined;
  const whole = () => {
    complete ??= buildApp(definition, entrance, definition.routes());
    return complete;
  };
  const answering = (request: Request) => {
    if (complete !== undefined || !healthUrl.test(request.url)) return whole();
    door ??= buildApp(definition, entrance, []);
    return door;
  };
  return {
    name: definition.name,
    routes: () => whole().routes.map(({ method, path }) => ({ method, path })),
    prepare: () => void whole(),
    handle(request, origin) {
      entrance.origins.set(request, origin);
      return answering(request).fetch(request);
    },
    fail(thrown) {
      const error = toAppError(thrown);
      const requestId = newId();
      logRefusal(log.with({ request_id: requestId }), error);
      return Response.json(errorForm.render(error, ""), {
        status: error.status,
        headers: { ...securityHeaders, ...errorHeaders(error), "x-request-id": requestId },
      });
    },
  };
}

const healthUrl = /^https?:\/\/[^/]+\/healthz$/;

interface Entrance {
  enter: ReturnType<typeof createFrontDoor>;
  isSentByOwner: ReturnType<typeof createOwnerRule>;
  /** Elysia passes only the Request, so the other facts are looked up by it. */
  origins: WeakMap<Request, Origin>;
}

/** The front door, these routes and the common ones. */
function buildApp(
  definition: ServiceDefinition,
  { enter, isSentByOwner, origins }: Entrance,
  routes: readonly AnyElysia[],
): AnyElysia {
  const { log, newId, access, errorForm = codeAndMessage } = definition;
  const { trustedProxies, untrustedProxies } = access;

  // Elysia looks for the path after a fixed offset: 7 fits any http URL, 11 any https URL whose host has at least three letters.
  const app = new Elysia({
    name: definition.name,
    normalize: false,
    handler: { standardHostname: definition.secure },
  })
    .headers(securityHeaders)
    .use(callContext())
    .onRequest((context) => {
      // Elysia inspects the text of this function: without the keyword that gives back a value it stays synchronous.
      const { request, set } = context;
      const origin = origins.get(request) ?? unmarked;
      const { peer, isConsole = false, isEnded, connection, retiring, bodies } = origin;
      const requestId = requestIdOf(request.headers, newId);
      set.headers["x-request-id"] = requestId;
      untrustedProxies?.note(request.headers, () => connection?.requestIP(request)?.address);
      const trusted = enter(request, peer);
      const isOwner = isSentByOwner(request, origin);
      const facts = {
        requestId,
        peer,
        connection,
        retiring,
        bodies,
        log,
        trusted,
        isOwner,
        isConsole,
        isEnded,
        trustedProxies,
      };
      context.call = createCall(facts);
    })
    .onError({ as: "global" }, ({ error, request, path, set }) => {
      const refusal = toRequestError(error, () => allowedMethods(app.routes, path));
      if (refusal.kind === "method_not_allowed" && request.method === "OPTIONS") {
        return new Response(null, { status: 204, headers: errorHeaders(refusal) });
      }
      logRefusal(log.with({ request_id: set.headers["x-request-id"] }), refusal, request.signal);
      set.status = refusal.status;
      Object.assign(set.headers, errorHeaders(refusal));
      return errorForm.render(refusal, path);
    });
  for (const plugin of routes) app.use(plugin);
  app.use(commonRoutes({ ...definition, errorSchema: errorForm.schema }, () => app.routes));
  requireSoundRoutes(app.routes);
  return app;
}

/** Origin of a request without one: the least trusted. */
const unmarked: Origin = { peer: "network" };

/** Characters that are safe in logs, shells and headers. */
const wellFormed = /^[\w.:-]{1,128}$/;

/** Returns the caller's `X-Request-Id` if it is safe to repeat (letters, digits, `._:-`, at most 128), otherwise a new id. */
function requestIdOf(headers: Headers, newId: NewId): string {
  const sent = headers.get("x-request-id");
  return sent !== null && wellFormed.test(sent) ? sent : newId();
}
