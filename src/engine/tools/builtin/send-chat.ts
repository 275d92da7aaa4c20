import { Type } from "@sinclair/typebox";
import { urlFault } from "../network/address/vet-url.ts";
import { deliveryResult } from "../network/answer/delivery-result.ts";
import type { ToolResult } from "../tool.ts";
import { builtinTool } from "./builtin-tool.ts";

const timeoutMs = 30_000;
const answerBytesMax = 65_536;
const secretName = "CHAT_WEBHOOK_URL";

/** Posts a message to the operator's chat. */
export const sendChat = builtinTool({
  name: "send_chat",
  description: "Posts a message to the team's chat.",
  docs: `Posts \`{text, channel}\`, as incoming webhooks of Slack, Mattermost, Rocket.Chat and Google Chat take it (Discord: its URL followed by \`/slack\`), and returns \`{sent, status}\`. The URL is \`webhook_url\` or else the variable \`${secretName}\`; it is a secret and shown to nobody. It has to be public, or opened by \`spec.network.allow\` of runtime.yaml.`,
  parameters: Type.Object(
    {
      message: Type.String({ description: "The text of the message.", minLength: 1, maxLength: 40_000 }),
      channel: Type.Optional(
        Type.String({
          description: "Another channel than the usual one, where the chat lets webhooks choose.",
          minLength: 1,
          maxLength: 255,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  options: Type.Object(
    {
      webhook_url: Type.Optional(
        Type.String({
          pattern: "^https?://[^\\s]{1,2000}$",
          description: `The chat's incoming webhook; absent: the variable ${secretName}.`,
        }),
      ),
    },
    { additionalProperties: false },
  ),
  problems: ({ webhook_url }) => {
    const fault = webhook_url === undefined ? undefined : urlFault(webhook_url);
    return fault === undefined ? [] : [{ key: "webhook_url", message: fault }];
  },
  describeCall: ({ channel }) => ({ target: channel ?? "chat", operation: "post" }),
  build({ webhook_url }, { network, secret }) {
    return async ({ message, channel }, { signal }): Promise<ToolResult> => {
      const url = webhook_url ?? secret(secretName);
      if (url === undefined) {
        const error = `No chat is configured: the operator has to set webhook_url or ${secretName}. Say that the message was not sent.`;
        return { success: false, error };
      }
      const { status } = await network.request({
        url,
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ text: message, ...(channel && { channel }) }),
        timeoutMs,
        bodyBytesMax: answerBytesMax,
        whenLonger: "cut",
        redirectsMax: 0,
        signal,
      });
      return deliveryResult("The chat", status, { sent: true, status });
    };
  },
});
