import { AppError } from "../../kit/app-error.ts";
import { inPieces, othersTurn } from "../../kit/concurrency/others-turn.ts";
import { readStrictJson } from "../../kit/json/strict-json.ts";
import { type BodyCall, bodyBytesDefault, readBody } from "./request-body.ts";

/** A manifest as the client sent it. */
export type ManifestBody = { format: "yaml"; text: string } | { format: "json"; value: unknown };

/** Documents a route's body as a manifest, in OpenAPI's form. */
export function manifestRequestBody(description: string) {
  return {
    required: true,
    content: {
      "application/yaml": { schema: { type: "string", description } },
      "application/json": { schema: { type: "object", description } },
    },
  } as const;
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;
const yamlType = /^(?:application|text)\/(?:[\w.+-]+\+|x-)?yaml\s*(?:;|$)/i;

/**
 * Reads the manifest in a request's body. A body that is declared as neither JSON nor YAML is JSON if it parses as JSON, otherwise YAML. A
 * browser must declare the type, because a page can make it send plain text anywhere without a preflight request. A check of a manifest
 * cannot be split, so each waits for its own turn.
 */
export async function readManifestBody(request: Request, call: BodyCall): Promise<ManifestBody> {
  const type = request.headers.get("content-type") ?? "";
  const isJson = jsonType.test(type);
  const isYaml = yamlType.test(type);
  if (!isJson && !isYaml && isFromBrowser(request.headers)) {
    throw new AppError(
      "unsupported",
      "unsupported_media_type",
      "The body must be declared as application/json or application/yaml.",
    );
  }
  const bytes = await readBody(request, bodyBytesDefault, call);
  if (bytes === undefined) {
    throw new AppError("invalid", "invalid_request", "This request needs a manifest as its body.", {
      details: { hint: "Send it as application/yaml or application/json." },
    });
  }
  const sent = isYaml ? undefined : await jsonIn(bytes, isJson, request.signal);
  await othersTurn();
  return sent ?? { format: "yaml", text: decode(bytes) };
}

function isFromBrowser(headers: Headers): boolean {
  return headers.has("origin") || headers.has("sec-fetch-site");
}

/** Returns undefined if the body is not JSON and was not declared as JSON. */
async function jsonIn(
  bytes: Uint8Array,
  isDeclared: boolean,
  signal: AbortSignal,
): Promise<ManifestBody | undefined> {
  try {
    return { format: "json", value: await inPieces(readStrictJson(bytes), signal) };
  } catch (thrown) {
    if (isDeclared || !(thrown instanceof AppError)) throw thrown;
    return undefined;
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new AppError("invalid", "invalid_request", "The body is not valid UTF-8.", { cause });
  }
}
