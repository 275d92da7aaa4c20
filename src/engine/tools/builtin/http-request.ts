import { type TString, Type } from "@sinclair/typebox";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { contentOf, shownHeaders } from "../network/answer/answer-content.ts";
import { calledUrl, connectedTarget, throughConnection } from "../network/request/operator-connections.ts";
import {
  connectionOption,
  connectionProblems,
  headersParameter,
  pathParameter,
  timeoutOption,
  urlParameter,
} from "../network/request/request-schema.ts";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

const redirectsMax = 5;

const requestParameters = (url: TString) =>
  Type.Object(
    {
      method: Type.Union(
        ["GET", "POST", "PUT", "DELETE", "PATCH"].map((method) => Type.Literal(method)),
        { description: "GET, POST, PUT, DELETE or PATCH." },
      ),
      url,
      headers: headersParameter,
      body: Type.Optional(
        Type.Unknown({ description: "For all but GET: a text, sent as it is, or JSON, sent as JSON." }),
      ),
    },
    { additionalProperties: false },
  );

/** One HTTP request to the public internet, or through a connection of connections.yaml. */
export const httpRequest = builtinTool({
  name: "http_request",
  isRepeatable: ({ method }) => method === "GET",
  description:
    "Sends an HTTP request to a public http or https URL and returns status, headers and body; redirects are followed.",
  docs: "Returns `{status, headers, body}`, and `url` where redirects led. A JSON body is parsed, other text is decoded by its charset, anything else is only described as `binary` `{type, bytes}`. Any status is a success: the server has answered. A body that is longer than `max_response_bytes` when unpacked is a failure. Addresses that are not public are refused; `spec.network.allow` of runtime.yaml opens private ones.",
  parameters: requestParameters(urlParameter("The full URL.")),
  parametersWith: ({ connection }) =>
    connection === undefined ? undefined : requestParameters(pathParameter),
  problems: connectionProblems,
  options: Type.Object(
    {
      allow_localhost: Type.Boolean({
        default: false,
        description: "Whether this machine (localhost, 127.0.0.0/8, ::1, 0.0.0.0) may be called.",
      }),
      connection: connectionOption,
      timeout_seconds: timeoutOption,
      max_response_bytes: Type.Integer({
        minimum: 1,
        maximum: 67_108_864,
        default: 5_242_880,
        description: "Longest body, in bytes after unpacking.",
      }),
    },
    { additionalProperties: false },
  ),
  describeCall: ({ method, url }, { connection }) => ({
    target: connection === undefined ? calledUrl(url) : connectedTarget(connection, url),
    operation: method,
  }),
  build({ allow_localhost, timeout_seconds, max_response_bytes, connection }, { network, connections }) {
    return async ({ method, url: called, headers = {}, body }, { signal }): Promise<ToolResult> => {
      const content = contentToSend(headers, body);
      const through =
        connection === undefined || connections === undefined
          ? undefined
          : throughConnection(connections, connection, called, content.headers);
      if (through !== undefined && "fault" in through) return { success: false, error: through.fault };
      const { url, trustedOrigin } = through ?? { url: called };
      const answer = await network.request({
        url,
        method,
        ...content,
        ...(through && { headers: through.headers }),
        ...(trustedOrigin !== undefined && { trustedOrigin }),
        ...(through && { credentialBase: through.credentialBase }),
        timeoutMs: timeout_seconds * 1000,
        bodyBytesMax: max_response_bytes,
        whenLonger: "refuse",
        redirectsMax,
        allowsLoopback: allow_localhost,
        signal,
      });
      const came = await inPieces(contentOf(answer), signal);
      const data = {
        status: answer.status,
        headers: shownHeaders(answer.headers),
        ...(answer.url === URL.parse(url)?.href ? {} : { url: answer.url }),
        ...("binary" in came
          ? { body: null, binary: came.binary }
          : { body: "json" in came ? came.json : came.text }),
      };
      const result: ToolResult = { success: true, data };
      return through === undefined ? result : through.hide(result);
    };
  },
});

/** The body as sent: anything but text becomes JSON, with a content type unless the caller sets one. */
function contentToSend(
  headers: Readonly<Record<string, string>>,
  body: unknown,
): { headers: Readonly<Record<string, string>>; body?: string } {
  if (body === undefined || body === null || body === "") return { headers };
  if (typeof body === "string") return { headers, body };
  const hasType = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return {
    headers: hasType ? headers : { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  };
}
