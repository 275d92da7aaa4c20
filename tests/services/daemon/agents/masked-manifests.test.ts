import { expect, test } from "bun:test";
import { agentFile, startDaemon } from "../../../support/daemon.ts";

const secret = "x7Qz9kLm/w+p";
const manifest = (password: string) =>
  agentFile("mailer", {
    tools: [
      {
        name: "send_email",
        type: "builtin",
        config: {
          smtp_host: "mail.example.com",
          smtp_user: "ann",
          smtp_password: password,
          from_address: "a@example.com",
        },
      },
    ],
  });

test("a manifest that was sent is shown without its secrets, and sending back the masked text is 400", async () => {
  await using daemon = await startDaemon();
  const headers = { "content-type": "application/json" };
  const created = await daemon.call("POST", "/v1/agents", { body: manifest(secret), headers });
  expect([created.status, created.text.slice(0, 400)]).toEqual([201, expect.any(String)]);
  for (const query of ["", "?format=json"]) {
    const { status, text } = await daemon.call("GET", `/v1/agents/mailer/manifest${query}`);
    expect(status).toBe(200);
    expect(text).toContain("[redacted]");
    expect(text).not.toContain(secret);
  }
  const refused = await daemon.call("PUT", "/v1/agents/mailer", { body: manifest("[redacted]"), headers });
  expect(refused.status).toBe(400);
  expect(refused.body.problems).toEqual([
    { path: "spec.tools[0].config", message: expect.stringContaining("enter the secret itself") },
  ]);
  expect(
    (await daemon.call("PUT", "/v1/agents/mailer", { body: manifest(`${secret}2`), headers })).status,
  ).toBe(200);
});
