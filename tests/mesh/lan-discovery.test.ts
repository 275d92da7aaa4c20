import { describe, expect, test } from "bun:test";
import { systemClock } from "../../src/kit/clock.ts";
import {
  answerTo,
  invitationIn,
  newJoinCode,
  newNonce,
  question,
  readJoinCode,
} from "../../src/mesh/join-code.ts";
import { answerNewcomers, findMesh } from "../../src/mesh/lan-discovery.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { freePort } from "../support/free-port.ts";

const invitation = { address: "10.0.0.1:8000", secret: "mesh-secret-of-at-least-32-bytes-!", port: "" };

describe("a join code", () => {
  const code = newJoinCode();
  const nonce = newNonce();
  const answer = answerTo(question(code, nonce), code, invitation) ?? "";

  test("opens the invitation, however it is typed", () => {
    expect(code).toMatch(/^[A-Z2-9]{4}(-[A-Z2-9]{4}){3}$/);
    expect(invitationIn(answer, code.toLowerCase().replaceAll("-", " "), nonce)).toEqual(invitation);
    expect(readJoinCode("not a code")).toBeUndefined();
  });

  test("neither the code nor the secret is in a packet", () => {
    for (const packet of [question(code, nonce), answer]) {
      expect(packet).not.toContain(invitation.secret);
      expect(packet).not.toContain(code);
    }
  });

  test.each<[string, string]>([
    ["another code", question(newJoinCode(), nonce)],
    ["a proof for another question", question(code, nonce).replace(nonce, newNonce())],
    ["no JSON", "{"],
    ["a list", "[]"],
    ["a nonce of another form", JSON.stringify({ argosy: "mesh-question", nonce: 5, proof: "x" })],
    ["an answer", answer],
  ])("gets no answer: %s", (_, packet) => {
    expect(answerTo(packet, code, invitation)).toBeUndefined();
  });

  test("an answer to another question, and a changed one, are not believed", () => {
    expect(invitationIn(answer, code, newNonce())).toBeUndefined();
    const { sealed, ...rest } = JSON.parse(answer);
    const changed = JSON.stringify({ ...rest, sealed: `${sealed.slice(0, -2)}AA` });
    expect(invitationIn(changed, code, nonce)).toBeUndefined();
    expect(invitationIn(answer, newJoinCode(), nonce)).toBeUndefined();
  });
});

describe("on the network", () => {
  // The loopback interface: no packet leaves this machine.
  const point = () => ({ group: "239.255.80.77", port: freePort(), interface: "127.0.0.1" });

  test("a new machine with the code finds the mesh; one with another code does not", async () => {
    const code = newJoinCode();
    const place = point();
    const over = new AbortController();
    await answerNewcomers(place, { code, invitation }, over.signal);
    expect(await findMesh(place, code, { clock: systemClock, waitMs: 60_000 })).toEqual(invitation);
    const clock = new FakeClock();
    const stranger = findMesh(place, newJoinCode(), { clock, waitMs: 5_000 });
    await clock.advance(6_000);
    expect(await stranger).toBeUndefined();
    over.abort();
  });
});
