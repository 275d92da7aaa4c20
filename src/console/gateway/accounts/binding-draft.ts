import { stringify } from "yaml";
import type { Account } from "../../../contracts/gateway/accounts.ts";
import type { Binding, BindingChange, BindingInput } from "../../../contracts/gateway/bindings.ts";

/** The fields of the binding's form. Secrets are empty to keep what is stored. */
export interface BindingDraft {
  kind: "agent" | "callback";
  agent: string;
  apiKey: string;
  fallback: string;
  asksContact: boolean;
  callbackUrl: string;
  callbackSecret: string;
}

export const draftOf = (binding: Binding | null): BindingDraft => ({
  kind: binding?.config.callback_url === undefined ? "agent" : "callback",
  agent: binding?.entry_agent ?? "",
  apiKey: "",
  fallback: binding?.fallback_message ?? "",
  asksContact: binding?.config.pedir_contacto === true,
  callbackUrl: binding?.config.callback_url ?? "",
  callbackSecret: "",
});

/** Returns the request for a new binding. */
export function bindingInput(account: Pick<Account, "id" | "tenant_id">, draft: BindingDraft): BindingInput {
  const of = { tenant_id: account.tenant_id, account_id: account.id };
  if (draft.kind === "callback") {
    const { callbackSecret: secret } = draft;
    return {
      ...of,
      config: { callback_url: draft.callbackUrl.trim(), ...(secret !== "" && { callback_secret: secret }) },
    };
  }
  return {
    ...of,
    entry_agent: draft.agent.trim(),
    fallback_message: draft.fallback,
    config: { platform_api_key: draft.apiKey, ...(draft.asksContact && { pedir_contacto: true }) },
  };
}

/** Returns the change of a binding. What the other kind of binding needs is removed. */
export function bindingChange({ config }: Pick<Binding, "config">, draft: BindingDraft): BindingChange {
  if (draft.kind === "callback") {
    const { callbackSecret: secret } = draft;
    return {
      config: { callback_url: draft.callbackUrl.trim(), ...(secret !== "" && { callback_secret: secret }) },
    };
  }
  return {
    entry_agent: draft.agent.trim(),
    fallback_message: draft.fallback,
    config: {
      ...(draft.apiKey !== "" && { platform_api_key: draft.apiKey }),
      ...(config.callback_url !== undefined && { callback_url: null }),
      ...(config.callback_secret !== undefined && { callback_secret: null }),
      ...((draft.asksContact || config.pedir_contacto !== undefined) && {
        pedir_contacto: draft.asksContact ? true : null,
      }),
    },
  };
}

/** The draft as text, for a comparison. A new secret is told, but not shown. */
export function draftText({ kind, ...draft }: BindingDraft): string {
  const secret = (typed: string) => (typed === "" ? "unchanged" : "new, hidden");
  if (kind === "callback") {
    return stringify({
      callback_url: draft.callbackUrl.trim(),
      callback_secret: secret(draft.callbackSecret),
    });
  }
  return stringify({
    entry_agent: draft.agent.trim(),
    platform_api_key: secret(draft.apiKey),
    fallback_message: draft.fallback,
    pedir_contacto: draft.asksContact,
  });
}
