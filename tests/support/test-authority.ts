import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

/** Files of a certificate authority, created by openssl. */
export interface TestAuthority {
  caFile: string;
  /** Issues a key and a certificate for these names. */
  issue(label: string, names: readonly string[]): { keyFile: string; certFile: string };
}

export const hasOpenssl = spawnSync("openssl", ["version"]).status === 0;

/** Creates an authority in a folder. */
export function makeAuthority(folder: string): TestAuthority {
  const file = (name: string) => join(folder, name);
  const openssl = (...argv: string[]) => {
    const { status, stderr } = spawnSync("openssl", argv);
    if (status !== 0) throw new Error(String(stderr));
  };
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
  const caFile = file("ca.pem");
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    file("ca.key"),
    "-out",
    caFile,
    "-days",
    "2",
    "-subj",
    "/CN=Test",
  );
  return {
    caFile,
    issue(label, names) {
      const [keyFile, certFile] = [file(`${label}.key`), file(`${label}.pem`)];
      openssl("req", ...key, "-keyout", keyFile, "-out", file(`${label}.csr`), "-subj", `/CN=${label}`);
      writeFileSync(file(`${label}.ext`), `subjectAltName=${names.map((name) => `DNS:${name}`).join(",")}`);
      const signed = ["-CA", caFile, "-CAkey", file("ca.key"), "-CAcreateserial", "-days", "2"];
      openssl(
        "x509",
        "-req",
        "-in",
        file(`${label}.csr`),
        ...signed,
        "-out",
        certFile,
        "-extfile",
        file(`${label}.ext`),
      );
      return { keyFile, certFile };
    },
  };
}
