import { learnNamed, learnSecret, learnSecretsIn } from "../../../kit/secrets/learn-secret.ts";
import { channelSecrets } from "../channel-settings.ts";
import type { Config } from "../config.ts";
import { gatewaySecrets } from "../gateway-settings.ts";
import type { AccountConfig } from "../translator-settings.ts";

/** Registers every configured secret for masking, and all secrets in the environment, even those that are not used. */
export function learnConfigured(config: Config, environment: NodeJS.ProcessEnv): void {
  const { knownSecrets, runtime, providers, observability } = config;
  for (const [name, value] of Object.entries(environment)) {
    if (!shellFolders.has(name)) learnNamed(name, value, knownSecrets);
  }
  for (const secret of secretsOf(config)) knownSecrets.add(secret);
  for (const value of Object.values(observability.otlp?.headers ?? {})) learnSecret(value, knownSecrets);
  for (const account of config.translator.accounts)
    if (account.driver === "api") learnNamed("credentials_secret", secretOf(account), knownSecrets);
  learnSecretsIn([runtime, providers], knownSecrets);
}

/** Variables that contain a shell's folders. Any other name with PWD means a password. */
const shellFolders: ReadonlySet<string> = new Set(["PWD", "OLDPWD"]);

const secretOf = (account: Extract<AccountConfig, { driver: "api" }>): string =>
  account.provider === "gcp" ? account.settings.key.privateKey : account.settings.secretAccessKey;

/** Returns every configured secret. Key rings are split into their keys. */
function secretsOf(config: Config): string[] {
  const { access, secrets, databaseUrl, redisUrl, models, providers, observability, channels, variable } =
    config;
  const { runtimeToken, platform, gateway, cloud } = config;
  const keyVariables = Object.values(providers.providers).map((entry) => entry.api_key_env);
  const passwordOf = (url: string | undefined) =>
    url === undefined ? undefined : decodeURIComponent(new URL(url).password);
  const rings = [secrets.sealingKeys, secrets.jwtKeys].flatMap((ring) => ring?.split(",") ?? []);
  const values = [
    access.apiToken,
    runtimeToken,
    platform.operatorToken,
    config.mesh?.secret,
    config.peers?.secret,
    ...gatewaySecrets(gateway),
    cloud.google?.clientSecret,
    cloud.github?.clientSecret,
    models.hostedKey,
    models.openAiKey,
    passwordOf(databaseUrl),
    passwordOf(redisUrl),
    ...Object.values(observability.otlp?.headers ?? {}),
    ...channelSecrets(channels),
    ...rings.map((entry) => entry.slice(entry.indexOf(":") + 1)),
    ...keyVariables.map((name) => (name === undefined ? undefined : variable(name))),
  ];
  return values.filter((value) => value !== undefined && value !== "") as string[];
}
