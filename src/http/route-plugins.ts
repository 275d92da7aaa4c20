import { Elysia } from "elysia";
import { bodyTooLarge } from "../kit/fetch/bounded-body.ts";
import { silentLogger } from "../kit/log.ts";
import { bodyBytesDefault, readBody, readJson, readSizedJson } from "./bodies/request-body.ts";
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

/** Room for a body with images. */
const imageBodyBytesMax = 6 * 1024 * 1024;

/** Like `jsonRoutes`, but a body that has `images` may be longer. */
export function imageRoutes() {
  return new Elysia({ name: "image-routes" })
    .use(callContext())
    .onParse({ as: "scoped" }, async ({ request, call }) => {
      const declared = Number(request.headers.get("content-length") ?? Number.NaN);
      // Most bodies are short, and need no second look.
      if (declared <= bodyBytesDefault) return readJson(request, bodyBytesDefault, call);
      const { body, bytes } = await readSizedJson(request, imageBodyBytesMax, call);
      if (bytes <= bodyBytesDefault || (body !== undefined && "images" in body)) return body;
      throw bodyTooLarge(bodyBytesDefault);
    });
}

/** Plugin for routes that need the body's exact bytes, such as signed webhooks: `body` is a Uint8Array. */
export function rawRoutes(bodyBytesMax: number) {
  return new Elysia({ name: "raw-routes", seed: bodyBytesMax })
    .use(callContext())
    .onParse({ as: "scoped" }, ({ request, call }) => readBody(request, bodyBytesMax, call));
}
