import { channels } from "../../../src/channels/channel-registry.ts";
import { inPieces } from "../../../src/kit/concurrency/others-turn.ts";

import { fill, MIB } from "../hostile.ts";
import { type BlockRow, sized } from "./block-row.ts";

/** Rows for the bodies of messaging webhooks, which may have 4 MiB. */
export const deliveryRows = (): BlockRow[] => {
  const whatsApp = (value: string) =>
    `{"object":"whatsapp_business_account","entry":[{"changes":[{"field":"messages","value":{"metadata":{"phone_number_id":"1"},${value}}}]}]}`;
  const many = (item: string, bytes: number) => `${`${item},`.repeat(bytes / (item.length + 1) - 1)}${item}`;
  const message = '{"from":"1","id":"1","type":"text","text":{"body":"x"}}';
  const postback = '{"sender":{"id":"1"},"postback":{"payload":"x"}}';
  const texts: [channel: string, name: string, text: string][] = [
    ["phone_messenger", "messages", whatsApp(`"messages":[${many(message, 4 * MIB - 200)}]`)],
    [
      "phone_messenger",
      "contacts and messages",
      whatsApp(
        `"contacts":[${many('{"wa_id":"2","profile":{"name":"x"}}', 2 * MIB)}],"messages":[${many(message, 2 * MIB - 300)}]`,
      ),
    ],
    [
      "phone_messenger",
      "empty changes",
      `{"object":"whatsapp_business_account","entry":[{"changes":[${many("{}", 4 * MIB - 99)}]}]}`,
    ],
    [
      "phone_messenger",
      "empty entries",
      `{"object":"whatsapp_business_account","entry":[${many("{}", 4 * MIB - 99)}]}`,
    ],
    [
      "phone_messenger",
      "a name of line breaks",
      whatsApp(`"contacts":[{"wa_id":"2","profile":{"name":"${fill("\\n", 4 * MIB - 300)}"}}],"messages":[]`),
    ],
    [
      "phone_messenger",
      "one text of half surrogate pairs",
      whatsApp(
        `"messages":[{"from":"1","id":"1","type":"text","text":{"body":"${fill("\\ud800", 4 * MIB - 300)}"}}]`,
      ),
    ],
    [
      "phone_messenger",
      "one text of NUL",
      whatsApp(
        `"messages":[{"from":"1","id":"1","type":"text","text":{"body":"${fill("\\u0000", 4 * MIB - 300)}"}}]`,
      ),
    ],
    [
      "photo_social",
      "postbacks without an id",
      `{"object":"instagram","entry":[{"id":"2","messaging":[${many(postback, 4 * MIB - 99)}]}]}`,
    ],
    ["photo_social", "empty entries", `{"object":"instagram","entry":[${many("{}", 4 * MIB - 99)}]}`],
    [
      "bot_messenger",
      "buttons",
      `{"update_id":1,"callback_query":{"id":"1","from":{"id":1},"data":"x","message":{"reply_markup":{"inline_keyboard":[${many("[{}]", 4 * MIB - 200)}]}}}}`,
    ],
  ];
  return texts.map(([channel, name, text]) =>
    sized(`delivery of ${channel}: ${name}`, text, () => {
      const webhook = channels.get(channel)?.webhook;
      return webhook && inPieces(webhook.read(new TextEncoder().encode(text), "1"));
    }),
  );
};
