import { type TSchema, Type } from "@sinclair/typebox";
import { inPieces } from "../../../kit/concurrency/others-turn.ts";
import { type AnswerContent, contentOf } from "../network/answer/answer-content.ts";
import { calledUrl, connectedTarget, throughConnection } from "../network/request/operator-connections.ts";
import {
  connectionOption,
  connectionProblems,
  headersParameter,
  timeoutOption,
  urlParameter,
} from "../network/request/request-schema.ts";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

const answerBytesMax = 5_242_880;

const endpointPath = Type.String({
  description: "The path of the GraphQL endpoint below the service's address; absent: that address itself.",
  minLength: 1,
  maxLength: 4096,
});

const graphqlParameters = <Endpoint extends TSchema>(endpoint: Endpoint) =>
  Type.Object(
    {
      endpoint,
      query: Type.String({ description: "The GraphQL document.", minLength: 1, maxLength: 262_144 }),
      variables: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: "Values of the query's variables." }),
      ),
      headers: headersParameter,
    },
    { additionalProperties: false },
  );

/** One query or mutation of a GraphQL service. */
export const graphqlQuery = builtinTool({
  name: "graphql_query",
  isRepeatable: ({ query }) => !/\bmutation\b/.test(query),
  description: "Sends a GraphQL query or mutation to an endpoint and returns its data and errors.",
  docs: "Returns `{data, errors}` as the endpoint gives them; errors of GraphQL are not a failure of the tool, an answer that is not GraphQL's is one. It is sent by POST; redirects are not followed. Addresses as for `http_request`, at most 5 MiB.",
  parameters: graphqlParameters(urlParameter("The URL of the GraphQL endpoint.")),
  parametersWith: ({ connection }) =>
    connection === undefined ? undefined : graphqlParameters(Type.Optional(endpointPath)),
  problems: connectionProblems,
  options: Type.Object(
    { connection: connectionOption, timeout_seconds: timeoutOption },
    { additionalProperties: false },
  ),
  describeCall: ({ endpoint, query }, { connection }) => ({
    target: connection === undefined ? calledUrl(endpoint) : connectedTarget(connection, endpoint ?? ""),
    operation: /^\s{0,100}mutation\b/.test(query) ? "mutation" : "query",
  }),
  build({ timeout_seconds, connection }, { network, connections }) {
    return async ({ endpoint, query, variables, headers }, { signal }): Promise<ToolResult> => {
      const sent = {
        accept: "application/graphql-response+json, application/json;q=0.9",
        ...headers,
        "content-type": "application/json",
      };
      const through =
        connection === undefined || connections === undefined
          ? undefined
          : throughConnection(connections, connection, endpoint ?? "", sent);
      if (through !== undefined && "fault" in through) return { success: false, error: through.fault };
      const answer = await network.request({
        ...(through === undefined
          ? { url: endpoint, headers: sent }
          : {
              url: through.url,
              headers: through.headers,
              trustedOrigin: through.trustedOrigin,
              credentialBase: through.credentialBase,
            }),
        method: "POST",
        body: JSON.stringify({ query, ...(variables && { variables }) }),
        timeoutMs: timeout_seconds * 1000,
        bodyBytesMax: answerBytesMax,
        whenLonger: "refuse",
        redirectsMax: 0,
        signal,
      });
      const result = resultOf(answer.status, await inPieces(contentOf(answer), signal));
      return through === undefined ? result : through.hide(result);
    };
  },
});

function resultOf(status: number, content: AnswerContent): ToolResult {
  const body = "json" in content ? content.json : undefined;
  if (typeof body === "object" && body !== null && ("data" in body || "errors" in body)) {
    const { data = null, errors = [] } = body as { data?: unknown; errors?: unknown };
    return { success: true, data: { data, errors } };
  }
  return {
    success: false,
    error: `The endpoint answered with status ${status} and no GraphQL; check that the URL is that of a GraphQL endpoint and the headers it needs.`,
  };
}
