import type { ChannelName } from "../../contracts/gateway/channels.ts";
import { channelTexts } from "../texts/gateway/gateway.ts";

const initials: Readonly<Record<ChannelName, string>> = {
  phone_messenger: "W",
  bot_messenger: "T",
  photo_social: "I",
  webchat: "C",
  echo: "E",
};

/** A channel's mark and name. */
export function ChannelLabel({ channel }: { channel: ChannelName }) {
  return (
    <span className="ar-gw-channel">
      <ChannelMark channel={channel} />
      <span>{channelTexts[channel]}</span>
    </span>
  );
}

/** A channel's mark alone, beside a text that names it. */
export function ChannelMark({ channel }: { channel: ChannelName }) {
  return (
    <span className="ar-gw-mark" data-channel={channel} aria-hidden="true">
      {initials[channel]}
    </span>
  );
}
