import { AppError } from "../../kit/app-error.ts";
import { parseJson } from "../../kit/json/parse-json.ts";
import { idOf } from "../inbound/delivered-text.ts";
import { fieldOf, itemsOf, textOf } from "../json-fields.ts";
import type { FileNetwork } from "../media/provider-media.ts";
import type { OutboxAccount } from "../outbox/message-sender.ts";
import { safeMessage } from "../sending/send-result.ts";

/** Lists the approved and other templates of accounts. */
export interface TemplateSource {
  /** Returns templates as the provider writes them. Throws `upstream_failed` if it doesn't answer with any. */
  list(account: OutboxAccount, signal: AbortSignal): Promise<unknown[]>;
}

const timeoutMs = 10_000;
const answerBytesMax = 4 * 1024 * 1024;
const pageSize = 100;
const pagesMax = 10;

/** Lists the templates of WhatsApp: they belong to the business account of the phone number. */
export function createProviderTemplates(network: FileNetwork, graphBaseUrl: string): TemplateSource {
  return {
    async list({ channel, externalId, credentials }, signal) {
      if (channel !== "phone_messenger") return [];
      const token = credentials.access_token ?? "";
      const read = (path: string) => readGraph(network, `${graphBaseUrl}/${path}`, token, signal);
      const number = await read(`${encodeURIComponent(externalId)}?fields=whatsapp_business_account`);
      const business = idOf(fieldOf(number, "whatsapp_business_account"), "id");
      if (business === undefined) throw failed("the phone number's business account is not known");
      const templates: unknown[] = [];
      let after: string | undefined;
      for (let page = 0; page < pagesMax; page++) {
        const query = new URLSearchParams({
          fields: "name,language,status,category,parameter_format,components",
          limit: String(pageSize),
          ...(after !== undefined && { after }),
        });
        const answer = await read(`${encodeURIComponent(business)}/message_templates?${query}`);
        templates.push(...itemsOf(answer, "data"));
        const paging = fieldOf(answer, "paging");
        after = textOf(fieldOf(paging, "cursors"), "after");
        if (after === undefined || fieldOf(paging, "next") === undefined) break;
      }
      return templates;
    },
  };
}

async function readGraph(
  network: FileNetwork,
  url: string,
  token: string,
  signal: AbortSignal,
): Promise<unknown> {
  const { status, body } = await network.request({
    url,
    method: "GET",
    headers: { authorization: `Bearer ${token}` },
    timeoutMs,
    bodyBytesMax: answerBytesMax,
    whenLonger: "refuse",
    redirectsMax: 0,
    trustedOrigin: new URL(url).origin,
    signal,
  });
  const answer = parseJson(new TextDecoder().decode(body));
  if (status === 200 && fieldOf(answer, "error") === undefined) return answer;
  const error = fieldOf(answer, "error");
  throw failed(
    `it answered ${idOf(error, "code") ?? status}: ${safeMessage(textOf(error, "message"), token)}`,
  );
}

const failed = (why: string) =>
  new AppError("upstream_failed", "templates_not_listed", `The provider listed no templates: ${why}.`);
