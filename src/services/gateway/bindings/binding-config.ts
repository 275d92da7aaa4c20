import type { BindingConfigChange, BindingConfigInput } from "../../../contracts/gateway/bindings.ts";
import { type ChannelName, secretMask } from "../../../contracts/gateway/channels.ts";
import { AppError } from "../../../kit/app-error.ts";
import type { SealContext } from "../../../storage/sealing/seal.ts";
import { masked } from "../accounts/credentials.ts";

/** Config of a binding, opened. */
export type BindingConfig = BindingConfigInput;
/** Config with its secrets masked. */
export type ShownConfig = BindingConfigInput;

const secretKeys = ["platform_api_key", "callback_secret"] as const;

/** Sealing context of a binding's config. It opens only for the same tenant and binding. */
export const bindingSeal = (tenant: string, id: string): SealContext => ({
  purpose: "gateway_binding",
  tenant,
  name: id,
});

/** Returns the stored config with a change merged in; null removes a key. Throws 400 for a masked value. */
export function mergeConfig(stored: BindingConfig, change: BindingConfigChange = {}): BindingConfig {
  for (const key of secretKeys) {
    if (change[key]?.startsWith(secretMask)) {
      throw invalid(`config.${key}`, "is a masked value; send the secret itself, or leave it out to keep it");
    }
  }
  const merged = Object.entries({ ...stored, ...change }).filter(
    ([, value]) => value !== null && value !== undefined,
  );
  return Object.fromEntries(merged);
}

export function showConfig(config: BindingConfig): ShownConfig {
  const shown = { ...config };
  for (const key of secretKeys) {
    const secret = config[key];
    if (secret !== undefined) shown[key] = masked(secret);
  }
  return shown;
}

export interface ConfigRules {
  channel: ChannelName;
  entryAgent: string | undefined;
  allowsHttpCallbacks: boolean;
}

/** Checks a whole config. Throws `invalid_request` (400). */
export function requireConfig(
  config: BindingConfig,
  { channel, entryAgent, allowsHttpCallbacks }: ConfigRules,
): void {
  const { callback_url, callback_secret, platform_api_key, pedir_contacto } = config;
  if (callback_url === undefined) {
    if (entryAgent === undefined) {
      throw invalid("entry_agent", "is required unless config.callback_url is set");
    }
    if (platform_api_key === undefined) {
      throw invalid("config.platform_api_key", "is required: the platform runs the agent by this key");
    }
    if (callback_secret !== undefined) {
      throw invalid("config.callback_secret", "has no use without config.callback_url");
    }
  } else {
    const fault = callbackFault(callback_url, allowsHttpCallbacks);
    if (fault !== undefined) throw invalid("config.callback_url", fault);
  }
  if (platform_api_key !== undefined && !/^[\x21-\x7e]+$/.test(platform_api_key)) {
    throw invalid("config.platform_api_key", "must be ASCII without spaces");
  }
  if (pedir_contacto === true && channel !== "bot_messenger") {
    throw invalid("config.pedir_contacto", "is for bot_messenger only");
  }
}

function callbackFault(text: string, allowsHttp: boolean): string | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== "https:" && !(allowsHttp && url?.protocol === "http:")) {
    return allowsHttp ? "must be an http or https address" : "must be an https address";
  }
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  return undefined;
}

const invalid = (path: string, message: string) =>
  new AppError("invalid", "invalid_request", `The body is not valid: ${path} ${message}.`, {
    details: { problems: [{ path, message }] },
  });
