import { expect, test } from "bun:test";
import { kindOfFile, problemOfFile } from "../../../src/console/gateway/inbox/file-check.ts";
import type { ChannelName } from "../../../src/contracts/gateway/channels.ts";
import type { GatewaySetup } from "../../../src/contracts/gateway/directory.ts";
import { kindOfType } from "../../../src/services/gateway/media/sniff-type.ts";

const limits = (channel: ChannelName, media_bytes_max: Record<string, number>) => ({
  channel,
  accepts: true,
  has_templates: false,
  media_bytes_max,
});
const setup: GatewaySetup = {
  emulator: false,
  seals: true,
  public_base_url: null,
  channels: [
    limits("phone_messenger", { image: 5, document: 1024 }),
    limits("photo_social", { image: 5 }),
    limits("bot_messenger", {}),
  ],
};
const file = (change: object = {}) => ({ name: "a.png", size: 5, type: "image/png", ...change });

test.each([
  ["a file as large as the limit", file(), "phone_messenger", undefined],
  [
    "a larger one",
    file({ size: 6 }),
    "phone_messenger",
    "a.png has 6 B. WhatsApp takes images of at most 5 B.",
  ],
  [
    "a drawing with scripts, as a document",
    file({ size: 900, type: "image/svg+xml" }),
    "phone_messenger",
    undefined,
  ],
  ["an empty one", file({ size: 0 }), "phone_messenger", "a.png is empty."],
  [
    "a kind that the channel doesn't send",
    file({ type: "audio/ogg" }),
    "phone_messenger",
    "WhatsApp takes no audio files, so a.png can't be sent.",
  ],
  [
    "a channel that fetches files from a gateway without an address",
    file(),
    "photo_social",
    "Instagram fetches files from the gateway, which has no public address. Set GATEWAY_PUBLIC_BASE_URL to send files.",
  ],
] as const)("%s is checked before it is uploaded", (_, chosen, channel, problem) => {
  expect(problemOfFile(chosen, channel, setup)?.replaceAll(/[\u2068\u2069]/g, "")).toBe(problem);
});

test("without the gateway's limits, the gateway decides", () => {
  expect(problemOfFile(file({ size: 1e9 }), "phone_messenger", undefined)).toBeUndefined();
});

test.each([
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "audio/ogg",
  "video/mp4",
  "application/pdf",
  "text/plain",
])("%s has the kind that the gateway gives it", (type) => {
  expect(kindOfFile(type)).toBe(kindOfType(type));
});
