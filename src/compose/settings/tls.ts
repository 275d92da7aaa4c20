import { readFileSync } from "node:fs";
import { AppError } from "../../kit/app-error.ts";
import type { Config } from "./config.ts";

/** Certificate and key as PEM texts. */
export interface TlsFiles {
  cert: string;
  key: string;
}

/** Reads the certificate and key for the services; undefined without TLS. Throws AppError `invalid_config` if they can't be used. */
export function readTls({ tls }: Config): TlsFiles | undefined {
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
