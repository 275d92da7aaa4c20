import { describe, expect, test } from "bun:test";
import { MessageSigner, skewMaxMs } from "../../src/mesh/message-signature.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { refusal } from "../support/refusal.ts";

const secret = "s".repeat(32);
const sender = { nodeId: "n1", incarnation: 7 };
const path = "/v1/mesh/gossip";
const body = '{"sender":"n1","state":[]}';

function pair(otherSecret = secret) {
  const clock = new FakeClock();
  return { clock, from: new MessageSigner(otherSecret, clock), to: new MessageSigner(secret, clock) };
}

describe("a message's signature", () => {
  test("proves name and incarnation of the sender", async () => {
    const { from, to } = pair();
    expect(to.verify(from.sign(sender, path, body), path, body)).toMatchObject(sender);
  });

  test("is wrong with another secret, path, body or field", async () => {
    const { from, to } = pair();
    const stranger = pair("t".repeat(32)).from;
    const header = from.sign(sender, path, body);
    const forged: [string, string, string][] = [
      [stranger.sign(sender, path, body), path, body],
      [header, "/v1/mesh/election", body],
      [header, path, `${body} `],
      [header.replace("n1", "n2"), path, body],
      [header.replace(",7,", ",8,"), path, body],
    ];
    for (const given of forged)
      expect((await refusal(() => to.verify(...given))).code).toBe("mesh_signature_invalid");
  });

  test.each([null, "", "v1", "v1,n1,1,aaaaaaaaaaaaaaaa,1,1,short", "v2,n1,1,a,1,1,b", "x".repeat(10_000)])(
    "of another form is missing: %p",
    async (header) => {
      expect((await refusal(() => pair().to.verify(header, path, body))).code).toBe("mesh_signature_missing");
    },
  );

  test("is accepted once, in any order", async () => {
    const { from, to } = pair();
    const headers = Array.from({ length: 50 }, () => from.sign(sender, path, body));
    for (const header of headers.toReversed()) to.verify(header, path, body);
    for (const header of headers) {
      expect((await refusal(() => to.verify(header, path, body))).code).toBe("mesh_message_repeated");
    }
  });

  test("is refused when a thousand later ones have come", async () => {
    const { from, to } = pair();
    const early = from.sign(sender, path, body);
    for (let sent = 0; sent < 1024; sent++) to.verify(from.sign(sender, path, body), path, body);
    expect((await refusal(() => to.verify(early, path, body))).code).toBe("mesh_message_repeated");
  });

  test("is refused when the clocks differ by more than five minutes, so old windows may be forgotten", async () => {
    const { clock, from, to } = pair();
    const header = from.sign(sender, path, body);
    to.verify(from.sign(sender, path, body), path, body);
    await clock.advance(skewMaxMs + 1);
    expect((await refusal(() => to.verify(header, path, body))).code).toBe("mesh_clock");
  });
});

describe("after a restart of the receiver", () => {
  /** A receiver that may restart, with what it kept every second. */
  function restarting() {
    const { clock, from } = pair();
    let kept: Readonly<Record<string, number>> = {};
    const open = () =>
      new MessageSigner(secret, clock, {
        read: () => kept,
        write(times) {
          kept = times;
        },
      });
    return { clock, from, open };
  }

  test.each(["in order", "killed within a second of its last keeping"])(
    "a message that it received is repeated, and later ones are accepted: %s",
    async (end) => {
      const { clock, from, open } = restarting();
      const first = open();
      const early = from.sign(sender, path, body);
      first.verify(early, path, body);
      first.keep();
      await clock.advance(900);
      const header = from.sign(sender, path, body);
      first.verify(header, path, body);
      if (end === "in order") first.keep();
      await clock.advance(2_000);
      const second = open();
      for (const old of [early, header])
        expect((await refusal(() => second.verify(old, path, body))).code).toBe("mesh_message_repeated");
      second.verify(from.sign(sender, path, body), path, body);
      second.verify(from.sign({ nodeId: "n9", incarnation: 1 }, path, body), path, body);
    },
  );

  test("it goes by the sender's clock, also through several restarts, and forgets what is too old in any case", async () => {
    const { clock, open } = restarting();
    const behind = new FakeClock(new Date(clock.now().getTime() - skewMaxMs + 60_000).toISOString());
    const from = new MessageSigner(secret, behind);
    const header = from.sign(sender, path, body);
    const first = open();
    first.verify(header, path, body);
    first.keep();
    const second = open();
    await behind.advance(5_000);
    second.verify(from.sign({ nodeId: "n2", incarnation: 1 }, path, body), path, body);
    second.keep();
    const third = open();
    expect((await refusal(() => third.verify(header, path, body))).code).toBe("mesh_message_repeated");
    third.verify(from.sign(sender, path, body), path, body);
  });
});

describe("an answer's signature", () => {
  test("belongs to one message", async () => {
    const { from, to } = pair();
    const [first, second] = [from.sign(sender, path, body), from.sign(sender, path, body)];
    const { mac } = to.verify(first, path, body);
    const answer = to.signAnswer(mac, "{}");
    from.verifyAnswer(first, answer, "{}");
    for (const [header, given, text] of [
      [first, answer, "[]"],
      [second, answer, "{}"],
      [first, null, "{}"],
    ] as const) {
      expect((await refusal(() => from.verifyAnswer(header, given, text))).code).toBe("mesh_answer_unsigned");
    }
  });
});
