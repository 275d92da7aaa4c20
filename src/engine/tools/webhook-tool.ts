import type { Problem } from "../../kit/app-error.ts";
import { inPieces } from "../../kit/concurrency/others-turn.ts";
import { SecretRegistry } from "../../kit/secrets/secret-registry.ts";
import { readByJsonSchema } from "./input-schema.ts";
import { urlFault } from "./network/address/vet-url.ts";
import { type AnswerContent, contentOf } from "./network/answer/answer-content.ts";
import { deliveryResult } from "./network/answer/delivery-result.ts";
import { connectionHeaders } from "./network/request/connection-headers.ts";
import {
  type ConnectedCall,
  calledUrl,
  connectedTarget,
  throughConnection,
} from "./network/request/operator-connections.ts";
import { pathBelow } from "./network/request/path-below.ts";
import { headerFault, isHarmlessHeader, isStrippedHeader } from "./network/request/request-headers.ts";
import type { RunMeans } from "./run-means.ts";
import type { ToolResult } from "./tool.ts";
import type { BindEntry } from "./tool-type.ts";
import { type FilledRequest, fillWebhook, webhookProblems } from "./webhook-request.ts";

const answerBytesMax = 5_242_880;
const redirectsMax = 5;
const excerptMax = 500;

type WebhookCall = Pick<ConnectedCall, "url" | "headers"> & Partial<ConnectedCall>;

/**
 * `type: webhook`: a call is a request to the entry's URL; `webhook-request.ts` says how the input travels. If the server
 * repeats the entry's headers, they are masked, so that the model gets no secret of the operator.
 */
export const bindWebhookTool: BindEntry<"webhook"> = (entry, { path, ports, schemas }) => {
  const { name, config, timeout_seconds } = entry;
  const { network, connections, hasConnections = false } = ports;
  const { url = "", method, headers, connection } = config;
  const reader = readByJsonSchema(entry.parameters, `${path}.parameters`, schemas);
  const problems = [
    ...headerProblems(headers, path),
    ...webhookProblems({ url, method, headers }, entry.parameters, path),
    ...(connection !== undefined && connections !== undefined
      ? pathProblems(url, path)
      : urlProblems(config.url, path)),
    ...(connection === undefined || connections !== undefined || hasConnections ? [] : [noConnections(path)]),
    ...("problems" in reader ? reader.problems : []),
  ];
  if (problems.length > 0 || "problems" in reader) return { problems };

  const secrets = secretsOf(headers);
  const targetOf = (called: string) =>
    connection !== undefined && connections !== undefined
      ? connectedTarget(connection, called)
      : calledUrl(called);
  return {
    tool: {
      name,
      type: "webhook",
      description: entry.description ?? `Calls ${name}.`,
      parameters: entry.parameters,
      async execute(input, { signal, means }) {
        const filled = fillWebhook({ url, method, headers }, input);
        if ("fault" in filled) return { success: false, error: filled.fault };
        const through: WebhookCall | { fault: string } =
          connection === undefined
            ? filled
            : connections === undefined
              ? withCredential(connection, filled, means)
              : throughConnection(connections, connection, filled.url, filled.headers);
        if ("fault" in through) return { success: false, error: through.fault };
        const answer = await network.request({
          url: through.url,
          headers: through.headers,
          ...(filled.body !== undefined && { body: filled.body }),
          ...(through.trustedOrigin !== undefined && { trustedOrigin: through.trustedOrigin }),
          ...(through.credentialBase !== undefined && { credentialBase: through.credentialBase }),
          method,
          timeoutMs: timeout_seconds * 1000,
          bodyBytesMax: answerBytesMax,
          whenLonger: "refuse",
          // Following a redirect may turn other methods into GET.
          redirectsMax: method === "GET" ? redirectsMax : 0,
          signal,
        });
        const hidden = connection === undefined ? secrets : secretsOf(through.headers);
        const result = resultOf(name, answer.status, await inPieces(contentOf(answer), signal), hidden);
        return through.hide?.(result) ?? result;
      },
      describeCall(input) {
        const filled = fillWebhook({ url, method, headers }, input);
        const target = targetOf("fault" in filled ? url : filled.url);
        return { target: secrets.mask(target), operation: method };
      },
    },
    read: reader.read,
    ...(isRepeatable({ method, headers }) && { isRepeatable: () => true }),
    timeoutMs: timeout_seconds * 1000,
  };
};

/** A GET only reads. A server that gets an `Idempotency-Key`, made from the same input, carries out the call once. */
function isRepeatable({ method, headers }: { method: string; headers: Readonly<Record<string, string>> }) {
  return method === "GET" || Object.keys(headers).some((name) => name.toLowerCase() === "idempotency-key");
}

function noConnections(path: string): Problem {
  const message = "can't be honoured: only agents of the platform have connections";
  return { path: `${path}.config.connection`, message };
}

/** URL and headers of a call with the credential of a tenant's connection. */
function withCredential(
  connection: string,
  { url, headers }: FilledRequest,
  means: RunMeans | undefined,
): WebhookCall | { fault: string } {
  const credential = connectionHeaders(connection, url, means);
  return "fault" in credential
    ? credential
    : {
        url,
        headers: { ...headers, ...credential.headers },
        credentialBase: credential.credentialBase,
      };
}

function urlProblems(url: string | undefined, path: string): Problem[] {
  const at = `${path}.config.url`;
  if (url === undefined) return [{ path: at, message: "is required: the address that is called" }];
  const fault = url.startsWith("/")
    ? "must be a full address: only a connection of connections.yaml has paths"
    : urlFault(url);
  return fault === undefined ? [] : [{ path: at, message: fault }];
}

function pathProblems(url: string, path: string): Problem[] {
  const below = pathBelow("https://connection.invalid/base", url.replaceAll(/\{\w+\}/g, "x"));
  if (!("fault" in below)) return [];
  const message = `must be a path below the connection's base_url, such as /orders: ${below.fault}`;
  return [{ path: `${path}.config.url`, message }];
}

function headerProblems(headers: Readonly<Record<string, string>>, path: string): Problem[] {
  const problems: Problem[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value);
    const message = isStrippedHeader(name) ? "is set by the connection; remove it" : fault;
    if (message !== undefined) problems.push({ path: `${path}.config.headers.${name}`, message });
  }
  return problems;
}

function resultOf(name: string, status: number, content: AnswerContent, secrets: SecretRegistry): ToolResult {
  const body =
    "json" in content
      ? withoutSecrets(content.json, secrets)
      : "text" in content
        ? secrets.mask(content.text)
        : null;
  const data = { status, body, ...("binary" in content && { binary: content.binary }) };
  const result = deliveryResult(name, status, data);
  if (result.success || body === null || body === "") return result;
  const excerpt = (typeof body === "string" ? body : JSON.stringify(body))
    .slice(0, excerptMax)
    .toWellFormed();
  return { success: false, error: `${result.error} It said: ${excerpt}` };
}

/** Confidential values in the entry's headers. */
function secretsOf(headers: Readonly<Record<string, string>>): SecretRegistry {
  const secrets = new SecretRegistry();
  for (const [name, value] of Object.entries(headers)) {
    if (isHarmlessHeader(name)) continue;
    secrets.add(value);
    // The server may repeat the value without its scheme.
    secrets.add(value.replace(/^\S+\s+/, ""));
  }
  return secrets;
}

/** Masks parsed JSON, because the raw text may spell a secret with escapes. */
function withoutSecrets(json: unknown, secrets: SecretRegistry): unknown {
  const text = JSON.stringify(json);
  const masked = secrets.mask(text);
  if (masked === text) return json;
  try {
    return JSON.parse(masked);
  } catch {
    return masked;
  }
}
