import { readFileSync, statSync } from "node:fs";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import type { AwsSettings } from "../../services/translator/accounts/aws/aws-api.ts";
import type { ServiceAccountKey } from "../../services/translator/accounts/gcp/access-token.ts";
import type { GoogleApiSettings } from "../../services/translator/accounts/gcp/google-api.ts";
import type { SettingReader } from "./setting.ts";

/** An account of runtime.yaml, with its credentials. */
export type AccountConfig = { name: string } & (
  | { provider: "gcp" | "aws"; driver: "embedded" }
  | { provider: "gcp"; driver: "api"; settings: GoogleApiSettings }
  | { provider: "aws"; driver: "api"; settings: AwsSettings }
);

/** Settings of the manifest translator. */
export interface TranslatorConfig {
  /** Cloud accounts in the order of runtime.yaml; the first of a provider is its default. */
  accounts: readonly AccountConfig[];
}

type Account = NonNullable<NonNullable<RuntimeFile["spec"]["translator"]>["accounts"]>[string];
type Variable = (name: string) => string | undefined;

/** Records a fault of an account. */
type Fault = (key: string, message: string) => void;

/** Reads `spec.translator` of runtime.yaml; without accounts, there is the embedded account `local` of Google Cloud. */
export function readTranslator(
  reader: SettingReader,
  { spec }: RuntimeFile,
  variable: Variable,
): TranslatorConfig {
  const accounts = Object.entries(spec.translator?.accounts ?? {}).flatMap(([name, account]) => {
    const fault: Fault = (key, message) =>
      reader.fault(`runtime.yaml spec.translator.accounts.${name}${key === "" ? "" : `.${key}`}`, message);
    return readAccount(name, account, variable, fault) ?? [];
  });
  return {
    accounts: accounts.length > 0 ? accounts : [{ name: "local", provider: "gcp", driver: "embedded" }],
  };
}

const keysOfApi = ["project", "location", "region", "credentials_env", "endpoint"] as const;

function readAccount(
  name: string,
  account: Account,
  variable: Variable,
  fault: Fault,
): AccountConfig | undefined {
  const { provider, driver, endpoint } = account;
  const needed: readonly (typeof keysOfApi)[number][] =
    driver === "embedded"
      ? []
      : provider === "gcp"
        ? ["project", "location", "credentials_env"]
        : ["region", "credentials_env"];
  const missing = needed.filter((key) => account[key] === undefined);
  const allowed = driver === "embedded" ? needed : [...needed, "endpoint"];
  for (const key of keysOfApi) {
    if (missing.includes(key)) fault(key, `is needed for an account of ${provider} with driver api`);
    else if (account[key] !== undefined && !allowed.includes(key))
      fault(key, `has no meaning for an account of ${provider} with driver ${driver}`);
  }
  if (driver === "embedded") return { name, provider, driver };
  const { project = "", location = "", region = "", credentials_env: credentials = "" } = account;
  for (const [key, value] of Object.entries({ project, location, region }))
    if (value !== "" && !/^[a-z0-9.:-]+$/.test(value))
      fault(key, `must have lower-case letters, digits and - only, got ${JSON.stringify(value)}`);
  if (missing.length > 0) return undefined;
  const place = endpoint === undefined ? {} : { endpoint };
  if (provider === "gcp") {
    const key = readKeyFile(credentials, variable, fault);
    return key && { name, provider, driver, settings: { project, location, key, ...place } };
  }
  const keys = readAwsKeys(credentials, variable, fault);
  return keys && { name, provider, driver, settings: { region, ...keys, ...place } };
}

/** Reads the service account's key file that a variable names. */
function readKeyFile(name: string, variable: Variable, fault: Fault): ServiceAccountKey | undefined {
  const path = variable(name);
  const needs = "path of the service account's key file in JSON";
  if (path === undefined || path === "") {
    fault("credentials_env", `names ${name}, which isn't set: set it to the ${needs}`);
    return undefined;
  }
  let text: string;
  try {
    if (statSync(path).mode & 0o004) {
      fault("credentials_env", `names ${name}, whose key file everybody may read: change its mode to 600`);
      return undefined;
    }
    text = readFileSync(path, "utf8");
  } catch {
    fault("credentials_env", `names ${name}, whose file can't be read: set it to the ${needs}`);
    return undefined;
  }
  const key = keyIn(text);
  if (key === undefined)
    fault(
      "credentials_env",
      `names ${name}, whose file is not a key of a service account: set it to the ${needs}`,
    );
  return key;
}

function keyIn(text: string): ServiceAccountKey | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { type, client_email, private_key, private_key_id, token_uri } = value as Record<string, unknown>;
  const parts = [client_email, private_key, private_key_id, token_uri];
  if (type !== "service_account" || !parts.every((part) => typeof part === "string")) return undefined;
  if (!/^https?:\/\//.test(String(token_uri)) || URL.parse(String(token_uri)) === null) return undefined;
  const [clientEmail, privateKey, privateKeyId, tokenUri] = parts as [string, string, string, string];
  return { clientEmail, privateKey, privateKeyId, tokenUri };
}

function readAwsKeys(
  prefix: string,
  variable: Variable,
  fault: Fault,
): Pick<AwsSettings, "accessKeyId" | "secretAccessKey" | "sessionToken"> | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [
    "ACCESS_KEY_ID",
    "SECRET_ACCESS_KEY",
    "SESSION_TOKEN",
  ].map((rest) => variable(`${prefix}_${rest}`) || undefined);
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  const unset = [
    ...(accessKeyId === undefined ? [`${prefix}_ACCESS_KEY_ID`] : []),
    ...(secretAccessKey === undefined ? [`${prefix}_SECRET_ACCESS_KEY`] : []),
  ];
  fault(
    "credentials_env",
    `is ${prefix}, but ${unset.join(" and ")} ${unset.length > 1 ? "aren't" : "isn't"} set`,
  );
  return undefined;
}
