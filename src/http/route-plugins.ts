import { Elysia } from "elysia";
import { silentLogger } from "../kit/log.ts";
import { bodyBytesDefault, readBody, readJson } from "./bodies/request-body.ts";
import { type Call, createCall } from "./call.ts";

/** The context's `call` until the front door has set the request's own. */
const beforeTheDoor: Call = createCall({
  requestId: "",
  peer: "network",
  trusted: false,
  isOwner: false,
  log: silentLogger,
  connection: undefined,
});

/** Declares the context's `call`, which the service app sets before any route. */
export function callContext() {
  return new Elysia({ name: "call-context" }).decorate("call", beforeTheDoor);
}

/** Plugin for routes with `call` in the context and strict JSON bodies of at most `bodyBytesMax`. */
export function jsonRoutes(bodyBytesMax = bodyBytesDefault) {
  return new Elysia({ name: "json-routes", seed: bodyBytesMax })
    .use(callContext())
    .onParse({ as: "scoped" }, ({ request, call }) => readJson(request, bodyBytesMax, call));
}

/** Plugin for routes that need the body's exact bytes, such as signed webhooks: `body` is a Uint8Array. */
export function rawRoutes(bodyBytesMax: number) {
  return new Elysia({ name: "raw-routes", seed: bodyBytesMax })
    .use(callContext())
    .onParse({ as: "scoped" }, ({ request, call }) => readBody(request, bodyBytesMax, call));
}
