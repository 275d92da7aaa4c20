import { describe, expect, test } from "bun:test";
import { joinAlbums, textOf } from "../../../src/console/gateway/inbox/albums.ts";
import type { ConversationMessage } from "../../../src/contracts/gateway/admin.ts";

const message = (
  id: string,
  seconds: number,
  change: Partial<ConversationMessage> = {},
): ConversationMessage => ({
  id,
  conversation_id: "c",
  direction: "inbound",
  kind: "image",
  text: "",
  media: [{ kind: "image", id: `file ${id}` }],
  channel_message_id: id,
  status: "received",
  at: new Date(Date.UTC(2026, 0, 1, 12, 0, 0) + seconds * 1000).toISOString(),
  ...change,
});

const joined = (...messages: ConversationMessage[]) =>
  joinAlbums(messages).map(({ message: { id }, others }) => [id, ...others.map((one) => one.id)].join(" "));

describe("an album", () => {
  test("is one bubble: each file within two seconds of the one before, with one caption", () => {
    const album = [message("a", 0), message("b", 2, { text: "the shelf" }), message("c", 4)];
    expect(joined(...album)).toEqual(["a b c"]);
    expect(joinAlbums(album).map(textOf)).toEqual(["the shelf"]);
  });

  test.each([
    ["a later file", [message("a", 0), message("b", 2.001)]],
    ["a second caption", [message("a", 0, { text: "one" }), message("b", 1, { text: "two" })]],
    ["a text", [message("a", 0), message("b", 1, { media: [], kind: "text", text: "hi" })]],
    ["a voice", [message("a", 0), message("b", 1, { media: [{ kind: "audio", id: "v" }] })]],
    ["a file of ours", [message("a", 0), message("b", 1, { direction: "outbound" })]],
  ])("ends before %s", (_, messages) => {
    expect(joined(...messages)).toEqual(["a", "b"]);
  });
});
