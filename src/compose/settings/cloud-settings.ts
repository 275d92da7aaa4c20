import type { OrgLimits } from "../../contracts/cloud/orgs.ts";
import type { RuntimeFile } from "../../manifest/files/runtime-file.ts";
import { asFlag, asHttpUrl, asText, type SettingReader } from "./setting.ts";

/** Settings of the managed cloud. */
export interface CloudConfig {
  /** CLOUD_DEV_LOGIN; if undefined, only callers on this machine may use the development login. */
  devLogin?: boolean;
  google?: {
    clientId: string;
    clientSecret?: string;
    authorizationUrl: string;
    tokenUrl: string;
    jwksUrl: string;
    issuer: string;
  };
  github?: {
    clientId: string;
    clientSecret: string;
    authorizationUrl: string;
    tokenUrl: string;
    apiUrl: string;
  };
  /** Plans of runtime.yaml, besides the built-in ones or in their place. */
  plans: Readonly<Record<string, OrgLimits>>;
}

/** Reads the cloud's settings from variables and `spec.cloud` of runtime.yaml. */
export function readCloud(reader: SettingReader, { spec }: RuntimeFile): CloudConfig {
  const devLogin = reader.find({
    key: "cloud.dev_login",
    variables: ["CLOUD_DEV_LOGIN"],
    read: asFlag,
    expects: "true or false",
  });
  const google = readGoogle(reader);
  const github = readGithub(reader);
  return {
    ...(devLogin === undefined ? {} : { devLogin }),
    ...(google === undefined ? {} : { google }),
    ...(github === undefined ? {} : { github }),
    plans: spec.cloud?.plans ?? {},
  };
}

function readGoogle(reader: SettingReader): CloudConfig["google"] {
  const clientId = readText(reader, "google.client_id", "CLOUD_GOOGLE_CLIENT_ID");
  const clientSecret = readSecret(reader, "google.client_secret", "CLOUD_GOOGLE_CLIENT_SECRET");
  if (clientId === undefined) return undefined;
  const url = (name: string, fallback: string) => readUrl(reader, "google", name, fallback);
  return {
    clientId,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    authorizationUrl: url("authorization_url", "https://accounts.google.com/o/oauth2/v2/auth"),
    tokenUrl: url("token_url", "https://oauth2.googleapis.com/token"),
    jwksUrl: url("jwks_url", "https://www.googleapis.com/oauth2/v3/certs"),
    issuer: url("issuer", "https://accounts.google.com"),
  };
}

function readGithub(reader: SettingReader): CloudConfig["github"] {
  const clientId = readText(reader, "github.client_id", "CLOUD_GITHUB_CLIENT_ID");
  const clientSecret = readSecret(reader, "github.client_secret", "CLOUD_GITHUB_CLIENT_SECRET");
  if (clientId === undefined && clientSecret === undefined) return undefined;
  if (clientId === undefined || clientSecret === undefined) {
    reader.fault("CLOUD_GITHUB_CLIENT_ID", "and CLOUD_GITHUB_CLIENT_SECRET must be set together");
    return undefined;
  }
  const url = (name: string, fallback: string) => readUrl(reader, "github", name, fallback);
  return {
    clientId,
    clientSecret,
    authorizationUrl: url("authorization_url", "https://github.com/login/oauth/authorize"),
    tokenUrl: url("token_url", "https://github.com/login/oauth/access_token"),
    apiUrl: url("api_url", "https://api.github.com"),
  };
}

const readText = (reader: SettingReader, key: string, variable: string) =>
  reader.find({ key: `cloud.${key}`, variables: [variable], read: asText, expects: "text" });

const readSecret = (reader: SettingReader, key: string, variable: string) =>
  reader.find({
    key: `cloud.${key}`,
    variables: [variable],
    secret: true,
    read: asText,
    expects: "a secret",
  });

const readUrl = (reader: SettingReader, provider: "google" | "github", name: string, fallback: string) =>
  reader.get(
    {
      key: `cloud.${provider}.${name}`,
      variables: [`CLOUD_${provider}_${name}`.toUpperCase()],
      read: (text) => asHttpUrl(text)?.replace(/\/+$/, ""),
      expects: "an http or https address",
    },
    fallback,
  );
