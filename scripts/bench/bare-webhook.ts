import { Database } from "bun:sqlite";
import { createHmac, timingSafeEqual } from "node:crypto";
import { join } from "node:path";

/**
 * The least that a gateway does with a delivery, written by hand: it checks the signature, stores the message, answers, asks for a run, sends
 * its answer and notes that. `gateway-webhook.ts --bare` starts it:
 *
 *   bun scripts/bench/bare-webhook.ts <folder> <app secret> <address of runs> <address of the provider>
 */
const [folder = "", appSecret = "", platform = "", provider = ""] = process.argv.slice(2);

const db = new Database(join(folder, "bare.db"), { create: true });
// A commit is on the disk before it returns, as the answer to a provider promises.
db.run("PRAGMA journal_mode = WAL");
db.run("PRAGMA synchronous = FULL");
db.run("CREATE TABLE inbound (id TEXT PRIMARY KEY, body TEXT NOT NULL, answered INTEGER NOT NULL) STRICT");
const insert = db.query("INSERT INTO inbound VALUES (?, ?, 0) ON CONFLICT DO NOTHING");
const note = db.query("UPDATE inbound SET answered = 1 WHERE id = ?");

const post = (url: string, body: object, headers: Record<string, string>) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

async function answer(
  account: string,
  { id, from, text }: { id: string; from: string; text: { body: string } },
) {
  const headers = { "x-api-key": "k", "idempotency-key": id };
  const run = await post(`${platform}/api/v1/agents/support/run`, { query: text.body }, headers);
  const { answer } = (await run.json()) as { answer: string };
  const message = { messaging_product: "whatsapp", to: from, type: "text", text: { body: answer } };
  const sent = await post(`${provider}/${account}/messages`, message, { authorization: "Bearer t" });
  await sent.json();
  note.run(id);
}

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const body = await request.text();
    const expected = `sha256=${createHmac("sha256", appSecret).update(body).digest("hex")}`;
    const signature = request.headers.get("x-hub-signature-256") ?? "";
    if (
      signature.length !== expected.length ||
      !timingSafeEqual(Buffer.from(signature), Buffer.from(expected))
    )
      return new Response("", { status: 401 });
    const { metadata, messages } = JSON.parse(body).entry[0].changes[0].value;
    const [message] = messages;
    insert.run(message.id, body);
    void answer(metadata.phone_number_id, message);
    return Response.json({ queued: 1 });
  },
});
console.info(server.port);
