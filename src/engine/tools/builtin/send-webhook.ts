import { Type } from "@sinclair/typebox";
import { deliveryResult } from "../network/answer/delivery-result.ts";
import { calledUrl } from "../network/request/operator-connections.ts";
import { headersParameter, urlParameter } from "../network/request/request-schema.ts";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

const timeoutMs = 30_000;
/** Maximum bytes read of the receiver's answer, of which only the status is used. */
const answerBytesMax = 65_536;

/** Sends JSON to a webhook. */
export const sendWebhook = builtinTool({
  name: "send_webhook",
  description: "Sends JSON to a webhook by POST and returns the status of its answer.",
  docs: "Returns `{status}`; a status other than 2xx is a failure. Redirects are not followed. Addresses as for `http_request`; at most 30 seconds.",
  parameters: Type.Object(
    {
      url: urlParameter("The URL of the webhook."),
      payload: Type.Unknown({ description: "The JSON to send." }),
      headers: headersParameter,
    },
    { additionalProperties: false },
  ),
  options: Type.Object({}, { additionalProperties: false }),
  describeCall: ({ url }) => ({ target: calledUrl(url), operation: "POST" }),
  build(_, { network }) {
    return async ({ url, payload, headers }, { signal }): Promise<ToolResult> => {
      const { status } = await network.request({
        url,
        method: "POST",
        headers: { ...headers, "content-type": "application/json" },
        body: JSON.stringify(payload),
        timeoutMs,
        bodyBytesMax: answerBytesMax,
        whenLonger: "cut",
        redirectsMax: 0,
        signal,
      });
      return deliveryResult("The webhook", status, { status });
    };
  },
});
