import { readFileSync } from "node:fs";
import type { DoctorCheck } from "../../contracts/daemon/system.ts";
import { AppError } from "../../kit/app-error.ts";
import type { Clock } from "../../kit/clock.ts";
import type { Config } from "./config.ts";

/** Certificate and key as PEM texts. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** Reads the certificate and key for the services; undefined without TLS. Throws AppError `invalid_config` if they can't be used. */
export function readTls({ tls }: Pick<Config, "tls">): TlsFiles | undefined {
  if (tls === undefined) return undefined;
  const files = {
    cert: readPem("ARGOSY_TLS_CERT", tls.certFile),
    key: readPem("ARGOSY_TLS_KEY", tls.keyFile),
  };
  try {
    // Only an installation with certificates loads the module.
    process.getBuiltinModule("node:tls").createSecureContext(files);
  } catch (cause) {
    throw invalidTls(
      "ARGOSY_TLS_CERT and ARGOSY_TLS_KEY must name a certificate and its own key, both PEM, the key without a passphrase",
      cause,
    );
  }
  return files;
}

/** Time before its end in which a certificate should be renewed. */
const renewalDays = 14;
const dayMs = 24 * 60 * 60_000;

/**
 * The doctor's check of the certificate: that of the listeners, `inUse`, and that of the files, which the next start takes. Throws AppError
 * `invalid_config` if the files can't be used.
 */
export function checkTls(
  config: Pick<Config, "tls">,
  inUse: TlsFiles | undefined,
  clock: Clock,
): Omit<DoctorCheck, "name"> {
  const files = readTls(config);
  if (files === undefined) return { status: "healthy", message: "Argosy serves without TLS." };
  const presented = inUse ?? files;
  const now = clock.now();
  const validity = validityOf(presented.cert, "The certificate", now);
  if (files.cert === presented.cert && files.key === presented.key) {
    const mend = "renew the certificate, then restart Argosy";
    return validity.status === "healthy" ? validity : { ...validity, mend };
  }
  const renewed = validityOf(files.cert, "The new one", now);
  return {
    status: [validity, renewed].some(({ status }) => status === "failing") ? "failing" : "degraded",
    message: `The files of ARGOSY_TLS_CERT and ARGOSY_TLS_KEY have changed since the start. ${validity.message} ${renewed.message}`,
    mend: renewed.status === "failing" ? "renew the certificate, then restart Argosy" : "restart Argosy",
  };
}

/** Judges the first certificate of a PEM text, which is the server's own. */
function validityOf(pem: string, name: string, now: Date): Pick<DoctorCheck, "status" | "message"> {
  const { X509Certificate } = process.getBuiltinModule("node:crypto");
  const { validFrom, validTo } = new X509Certificate(pem);
  const begin = new Date(validFrom);
  const end = new Date(validTo);
  const until = end.toISOString();
  if (end <= now) return { status: "failing", message: `${name} expired at ${until}.` };
  if (begin > now)
    return { status: "failing", message: `${name} is valid only from ${begin.toISOString()} on.` };
  const isEnding = end.getTime() - now.getTime() <= renewalDays * dayMs;
  return { status: isEnding ? "degraded" : "healthy", message: `${name} is valid until ${until}.` };
}

function readPem(variable: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
    throw invalidTls(`${variable} names ${path}, which can't be read${code}`, cause);
  }
}

function invalidTls(fault: string, cause: unknown): AppError {
  return new AppError("invalid", "invalid_config", `The configuration is not valid: ${fault}.`, { cause });
}
