import { expect, test } from "bun:test";
import type { PlatformDeps } from "../../../../src/services/platform/deps.ts";
import { noticeWorkers } from "../../../../src/services/platform/notices/notice-workers.ts";
import { asOperator, startPlatform, type TestPlatform } from "../../../support/platform.ts";
import { type ReceivedMail, type SmtpScript, startSmtpServer } from "../../../support/smtp-server.ts";
import { onEachEngine } from "../../../support/storage-engines.ts";

onEachEngine("links of accounts by e-mail", (engine) => {
  const start = async (
    script: SmtpScript = {},
    publicUrl: string | undefined = "https://argosy.example.com",
  ) => {
    const server = await startSmtpServer(script);
    const platform = await startPlatform(
      engine,
      (deps): PlatformDeps => ({
        ...deps,
        publicUrl,
        noticeMail: {
          server: { host: "127.0.0.1", port: server.port, tls: "auto" },
          from: { address: "argosy@example.com", name: "Argosy" },
        },
      }),
    );
    return {
      ...platform,
      platform,
      mails: server.mails,
      async [Symbol.asyncDispose]() {
        await platform[Symbol.asyncDispose]();
        await server[Symbol.asyncDispose]();
      },
    };
  };
  /** Lets the worker of notices send until the outbox has nothing open, or all of it has failed so often. */
  const send = async ({ deps, clock }: TestPlatform, attemptsMax = Number.POSITIVE_INFINITY) => {
    const stopping = new AbortController();
    const run = noticeWorkers(deps)[0]?.run(stopping.signal);
    const { outbox } = deps.storage.tables;
    for (;;) {
      const rows = await deps.storage.read.select().from(outbox);
      if (rows.every((row) => row.status === "sent" || row.attempts >= attemptsMax)) break;
      if (rows.every(({ status }) => status !== "sending")) await clock.advance(2_000);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    stopping.abort();
    await run;
    return deps.storage.read.select().from(outbox);
  };
  /** Decodes quoted-printable text, as far as these mails have it. */
  const textOf = (mail: ReceivedMail | undefined) =>
    mail?.text.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=") ?? "";
  const addressOf = ({ userId }: { userId: string }) => `${userId}@example.com`;
  const asked = (platform: TestPlatform, headers: Record<string, string>, email: string) =>
    platform.call("POST", "/api/v1/me/email", { headers, body: { email, current: "long enough" } });
  /** A person with a password, signed in. */
  const register = async (platform: TestPlatform, email: string) => {
    const body = { email, password: "long enough", displayName: "Ann" };
    const answer = await platform.call("POST", "/auth/register", { body });
    return { authorization: `Bearer ${answer.body.accessToken}` };
  };

  test("an operator's password link arrives, works, and stands nowhere in the clear", async () => {
    await using world = await start();
    const { platform, mails } = world;
    const tenant = await platform.tenant();
    const body = { email: addressOf(tenant) };
    const link = await platform.call("POST", "/api/v1/admin/password-links", { headers: asOperator, body });
    expect(link).toMatchObject({ status: 201, body: { mailed: true } });
    const [row] = await send(platform);
    expect(row?.status).toBe("sent");
    expect(JSON.stringify(row)).not.toContain(link.body.token);
    expect(mails).toHaveLength(1);
    expect(mails[0]).toMatchObject({ from: "argosy@example.com", to: [addressOf(tenant)] });
    const text = textOf(mails[0]);
    expect(text).toContain("Subject: Argosy: choose a password");
    expect(text).toContain(`https://argosy.example.com${link.body.path}`);
    const used = { token: link.body.token, password: "my own password" };
    expect((await platform.call("POST", "/auth/password", { body: used })).status).toBe(200);
  });

  test("a new address gets its link without an operator; a taken one gets none, and the answer doesn't tell", async () => {
    await using world = await start();
    const { platform, mails, clock } = world;
    const headers = await register(platform, "ann@example.com");
    await register(platform, "bob@example.com");
    const taken = await asked(platform, headers, "bob@example.com");
    expect(taken).toMatchObject({ status: 202, body: { mailed: true } });
    expect(await send(platform)).toEqual([]);
    expect((await asked(platform, headers, "ann@new.example.com")).status).toBe(429);
    await clock.advance(60_000);
    expect((await asked(platform, headers, "ann@new.example.com")).body).toEqual({
      ...taken.body,
      email: "ann@new.example.com",
      expires_at: expect.any(String),
    });
    await send(platform);
    expect(mails.map(({ to }) => to)).toEqual([["ann@new.example.com"]]);
    const token = /#email=(\S+)/.exec(textOf(mails[0]))?.[1];
    const confirmed = await platform.call("POST", "/api/v1/me/email/confirm", { headers, body: { token } });
    expect(confirmed).toMatchObject({ status: 200, body: { email: "ann@new.example.com" } });
  });

  test("a mail server that refuses for now is tried again", async () => {
    await using world = await start({ answers: [{ to: "MAIL", reply: "451 try later" }] });
    const { platform, mails } = world;
    const tenant = await platform.tenant();
    const body = { email: addressOf(tenant) };
    await platform.call("POST", "/api/v1/admin/password-links", { headers: asOperator, body });
    const [row] = await send(platform, 2);
    expect(row).toMatchObject({ status: "pending", attempts: 2 });
    expect(mails).toEqual([]);
  });

  test("without the console's address, an operator passes the link on", async () => {
    await using world = await start({}, "");
    const { platform } = world;
    platform.deps.publicUrl = undefined;
    const tenant = await platform.tenant();
    const body = { email: addressOf(tenant) };
    const link = await platform.call("POST", "/api/v1/admin/password-links", { headers: asOperator, body });
    expect(link.body.mailed).toBe(false);
    expect(await send(platform)).toEqual([]);
  });

  test("the account of these e-mails is no webhook that an operator or a tenant sees", async () => {
    await using world = await start();
    const { platform } = world;
    const tenant = await platform.tenant();
    const body = { email: addressOf(tenant) };
    await platform.call("POST", "/api/v1/admin/password-links", { headers: asOperator, body });
    const list = await platform.call("GET", "/api/v1/admin/webhooks", { headers: asOperator });
    expect(list.body.webhooks).toEqual([]);
    const path = "/api/v1/admin/webhooks/account-mail";
    expect((await platform.call("DELETE", path, { headers: asOperator })).status).toBe(404);
    expect((await platform.call("GET", `${path}/deliveries`, { headers: asOperator })).status).toBe(404);
  });
});
