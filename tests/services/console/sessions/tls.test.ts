import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeCertificate, opensslMissing } from "../../../support/certificate.ts";
import { startConsole } from "../../../support/console-server.ts";
import { temporaryFolder } from "../../../support/temp-folder.ts";

test.skipIf(opensslMissing !== undefined)(
  "over TLS the cookie is for this host alone, and another origin than https is 403",
  async () => {
    using folder = temporaryFolder();
    const { cert, key } = makeCertificate();
    const files = { certFile: join(folder.path, "cert.pem"), keyFile: join(folder.path, "key.pem") };
    writeFileSync(files.certFile, cert);
    writeFileSync(files.keyFile, key);
    await using argosy = await startConsole({
      services: ["daemon"],
      configure: (config) => ({ ...config, tls: files }),
    });
    const origin = argosy.url("daemon");
    const begin = (from: string) =>
      fetch(`${origin}/console/session`, {
        method: "POST",
        headers: { origin: from, "content-type": "application/json" },
        body: "{}",
        tls: { ca: cert },
      });
    expect(origin).toStartWith("https://");
    const begun = await begin(origin);
    expect(begun.status).toBe(201);
    expect(begun.headers.get("set-cookie")).toMatch(
      /^__Host-argosy_console_\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/,
    );
    expect((await begin(origin.replace("https", "http"))).status).toBe(403);
  },
);
