import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "./temp-folder.ts";

/** Why tests that need a certificate are skipped; undefined if they can run. */
export const opensslMissing = Bun.which("openssl") === null ? "openssl not installed" : undefined;

/** Creates a key and a self-signed certificate for localhost and 127.0.0.1, as PEM. */
export function makeCertificate(): { key: string; cert: string } {
  using folder = temporaryFolder();
  const [key, cert] = [join(folder.path, "key.pem"), join(folder.path, "cert.pem")];
  const kind = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
  const made = Bun.spawnSync(["openssl", "req", ...kind, "-keyout", key, "-out", cert, ...subject]);
  if (!made.success) throw new Error(made.stderr.toString());
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
}
