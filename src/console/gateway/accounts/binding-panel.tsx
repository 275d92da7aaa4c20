import { Button, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Binding } from "../../../contracts/gateway/bindings.ts";
import type { DirectoryEntry } from "../../../contracts/gateway/directory.ts";
import { useUrlState } from "../../parts/address/use-url-state.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { type Fact, Facts } from "../../parts/layout/facts.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { notify } from "../../parts/notices.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { bindingTexts as texts } from "../../texts/gateway/accounts.ts";
import { useGateway } from "../use-gateway.ts";
import { BindingDialog } from "./binding-dialog.tsx";

/** The binding of an account, and the forms that change it. */
export function BindingPanel({ entry: { account, binding } }: { entry: DirectoryEntry }) {
  const gateway = useGateway();
  const queries = useQueryClient();
  /** The agent that somebody came here to bind. */
  const [wanted, want] = useUrlState("agent");
  const [isEditing, setEditing] = useState(wanted !== "" && binding === null);
  const [isRemoving, setRemoving] = useState(false);
  const changed = async (text: string) => {
    await queries.invalidateQueries({ queryKey: ["gateway"] });
    notify(text);
  };
  return (
    <Panel
      title={texts.title}
      actions={
        <>
          {binding !== null && (
            <Button size="xs" variant="default" className="ar-danger" onClick={() => setRemoving(true)}>
              {texts.unbind}
            </Button>
          )}
          <Button
            size="xs"
            variant={binding === null ? "filled" : "default"}
            onClick={() => setEditing(true)}
          >
            {binding === null ? texts.bind : texts.change}
          </Button>
        </>
      }
    >
      {binding === null ? (
        <Text className="ar-soft">{texts.noneText}</Text>
      ) : (
        <Facts facts={factsOf(binding)} />
      )}
      {isEditing && (
        <BindingDialog
          account={account}
          binding={binding}
          saved={() => changed(texts.saved)}
          agent={wanted}
          close={() => {
            setEditing(false);
            want("");
          }}
        />
      )}
      {binding !== null && (
        <Confirm
          opened={isRemoving}
          title={texts.unbindTitle(account.external_id)}
          text={texts.unbindText}
          action={texts.unbindAction}
          onClose={() => setRemoving(false)}
          onConfirm={async () => {
            await gateway.deleteBinding(binding.id);
            await changed(texts.unbound);
          }}
        />
      )}
    </Panel>
  );
}

function factsOf({ entry_agent, fallback_message, config, updated_at }: Binding): Fact[] {
  const secret = (masked: string | undefined) => <span className="ar-mono">{masked ?? texts.none}</span>;
  return [
    ...(config.callback_url === undefined
      ? [
          { label: texts.entryAgent, value: entry_agent ?? texts.none },
          { label: texts.apiKey, value: secret(config.platform_api_key) },
          { label: texts.fallback, value: fallback_message === "" ? texts.none : fallback_message },
        ]
      : [
          { label: texts.callbackUrl, value: config.callback_url },
          { label: texts.callbackSecret, value: secret(config.callback_secret) },
        ]),
    { label: texts.updated, value: <Instant iso={updated_at} /> },
  ];
}
