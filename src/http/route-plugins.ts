import { Elysia } from "elysia";
import { silentLogger } from "../kit/log.ts";
import { type Call, createCall } from "./call.ts";
import { bodyBytesDefault, readBody, readJson } from "./request-body.ts";

/** Stands in the context until the front door has made the request's own call. */
const beforeTheDoor: Call = createCall({
  requestId: "",
  peer: "network",
  trusted: false,
  isOwner: false,
  log: silentLogger,
  connection: undefined,
});

/** Types the context's `call`, which the service app sets before any route. */
export function callContext() {
  return new Elysia({ name: "call-context" }).decorate("call", beforeTheDoor);
}

/** For a plugin of routes: `call` in the context, and strict JSON bodies of at most `bodyBytesMax`. */
export function jsonRoutes(bodyBytesMax = bodyBytesDefault) {
  return new Elysia({ name: "json-routes", seed: bodyBytesMax })
    .use(callContext())
    .onParse({ as: "scoped" }, ({ request, call }) => readJson(request, bodyBytesMax, call));
}

/** For a plugin of routes that need the body's exact bytes, such as signed webhooks: `body` is a Uint8Array. */
export function rawRoutes(bodyBytesMax: number) {
  return new Elysia({ name: "raw-routes", seed: bodyBytesMax })
    .use(callContext())
    .onParse({ as: "scoped" }, ({ request, call }) => readBody(request, bodyBytesMax, call));
}
