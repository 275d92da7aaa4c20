import { expect, test } from "bun:test";
import { type ChannelDaemon, deliverText, startChannelDaemon } from "../../../support/channel-daemon.ts";
import { deliveryOf, textMessage } from "../../../support/message-provider.ts";

let reactions = 0;

/** Delivers a reaction, by default after the ones before; `emoji` undefined removes it. */
const react = (channel: ChannelDaemon, about: string, emoji: string | undefined, at?: number) =>
  channel.deliver(
    deliveryOf([
      {
        from: "5215550002222",
        id: `wamid.r${++reactions}`,
        timestamp: String(at ?? 1_759_999_000 + reactions),
        type: "reaction",
        reaction: { message_id: about, ...(emoji !== undefined && { emoji }) },
      },
    ]),
  );

const verdicts = async ({ daemon }: ChannelDaemon, query = "feedback=any&feedback_source=channel") => {
  const { body } = await daemon.call("GET", `/v1/traces?spans=false&${query}`);
  return body.traces.map((trace: { channel_feedback?: object }) => trace.channel_feedback);
};

test("a reaction to an answer judges its run, until it is changed or removed", async () => {
  await using channel = await startChannelDaemon();
  await deliverText(channel, textMessage("wamid.1", "hi"));
  await channel.idle();
  expect(channel.provider.sent).toHaveLength(1);

  expect(await react(channel, "wamid.OUT1", "👎🏿")).toMatchObject({ status: 200, body: { queued: 0 } });
  expect(await verdicts(channel)).toMatchObject([
    { rating: "down", channel: "phone_messenger", emoji: "👎🏿" },
  ]);
  expect(await verdicts(channel, "feedback=down")).toHaveLength(1);
  expect(await verdicts(channel, "feedback=up")).toHaveLength(0);
  expect(await verdicts(channel, "feedback=any&feedback_source=person")).toHaveLength(0);

  await react(channel, "wamid.OUT1", "❤️");
  expect(await verdicts(channel, "feedback=up&feedback_source=channel")).toMatchObject([{ emoji: "❤️" }]);
  // Older than the heart.
  await react(channel, "wamid.OUT1", "👎", 1);
  expect(await verdicts(channel)).toMatchObject([{ rating: "up" }]);
  await react(channel, "wamid.OUT1", undefined);
  expect(await verdicts(channel)).toEqual([]);
  // Older than the removal.
  await react(channel, "wamid.OUT1", "👍", 2);
  expect(await verdicts(channel)).toEqual([]);
  // The user's own message, and one of another program.
  await react(channel, "wamid.1", "👍");
  await react(channel, "wamid.other", "👍");
  expect(await verdicts(channel)).toEqual([]);
  expect(await channel.counted("messages")).toMatchObject({
    reaction_counted: 3,
    reaction_older: 2,
    reaction_unknown: 2,
  });
  expect(channel.provider.sent).toHaveLength(1);
});

test("of an answer in several messages, the newest reaction counts, and a person's verdict stays", async () => {
  const long = `${"A long answer. ".repeat(300)}End.`;
  await using channel = await startChannelDaemon({ models: { lab: [{ text: long }] } });
  await deliverText(channel, textMessage("wamid.1", "hi"));
  await channel.idle();
  const [trace] = (await channel.daemon.call("GET", "/v1/traces")).body.traces;
  const path = `/v1/traces/${trace.trace_id}/feedback`;
  await channel.daemon.call("PUT", path, { body: { rating: "up", label: "mine" } });
  expect(channel.provider.sent).toHaveLength(2);
  await react(channel, "wamid.OUT1", "👍");
  await react(channel, "wamid.OUT2", "👎");
  expect(await verdicts(channel)).toMatchObject([{ rating: "down" }]);
  const { body } = await channel.daemon.call("GET", `/v1/traces/${trace.trace_id}`);
  expect(body.feedback).toMatchObject({ rating: "up", label: "mine" });
  await react(channel, "wamid.OUT2", undefined);
  expect(await verdicts(channel)).toMatchObject([{ rating: "up", emoji: "👍" }]);
});

test("a notice of the channel is of no run", async () => {
  await using channel = await startChannelDaemon();
  await deliverText(channel, {
    from: "5215550002222",
    id: "wamid.2",
    timestamp: "1760000000",
    type: "sticker",
    sticker: {},
  });
  await channel.idle();
  expect(channel.provider.sent).toHaveLength(1);
  await react(channel, "wamid.OUT1", "👎");
  expect(await verdicts(channel)).toEqual([]);
});
