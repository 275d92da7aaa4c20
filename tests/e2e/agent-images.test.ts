import { expect, test } from "bun:test";
import { startGatewayProgram } from "../support/gateway-program.ts";
import { socketTurns } from "../support/socket-turns.ts";

const customer = "5215550002222";
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3]);

/** A customer sends a picture and a voice message. Returns what the model of the agent got of each. */
async function sendFilesTo(model: string): Promise<string[]> {
  const asked: string[] = [];
  await using gateway = await startGatewayProgram(({ body }) => {
    asked.push(JSON.stringify(body.messages.findLast(({ role }) => role === "user")?.content));
    return { text: `Answer ${asked.length}` };
  });
  gateway.provider.files.set("IMG1", { bytes: png, mimeType: "image/png" });
  await gateway.setUp({ model: { primary: { provider: "lab", model } } });
  const image = { id: "IMG1", mime_type: "image/png", caption: "Is it broken?" };
  const audio = { id: "AUD1", mime_type: "audio/ogg", voice: true };
  const files = [
    { from: customer, id: "wamid.1", type: "image", image },
    { from: customer, id: "wamid.2", type: "audio", audio },
  ];
  for (const [index, file] of files.entries()) {
    expect(await gateway.deliverMessage(file)).toBe(200);
    while (gateway.textsTo(customer).length <= index) await socketTurns(4);
  }
  expect(gateway.textsTo(customer)).toEqual(["Answer 1", "Answer 2"]);
  return asked;
}

test("an agent whose model sees gets the picture; a voice message is named to it", async () => {
  const [picture, voice] = await sendFilesTo("gpt-4o");
  expect(picture).toContain(`data:image/png;base64,${Buffer.from(png).toString("base64")}`);
  expect(picture).toContain("Is it broken?");
  expect(voice).toContain("[voice message: audio/ogg]");
  expect(voice).not.toContain("base64");
});

test("an agent whose model doesn't see gets the picture's name", async () => {
  const [picture, voice] = await sendFilesTo("text-only");
  expect(picture).not.toContain("base64");
  expect(picture).toContain("Is it broken?");
  expect(picture).toContain("[image: image/png]");
  expect(voice).toContain("[voice message: audio/ogg]");
});
