import { Text } from "@mantine/core";
import { useDebouncedValue, useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConflictDialog, isConflict } from "../../editor/conflict-dialog.tsx";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { phoneTexts as texts } from "../../texts/gateway/phone.ts";
import { ApiKeyField } from "../accounts/api-key-field.tsx";
import { AgentField } from "../accounts/binding-dialog.tsx";
import { TenantField } from "../accounts/tenant-field.tsx";
import { useGateway } from "../use-gateway.ts";
import { answeringAgents, type Phone, phonesText, readPhones, savePhones } from "./set-up-phones.ts";

interface SetUpDialogProps {
  /** Tenant and agent to begin with; empty if none is chosen yet. */
  begun: { tenant: string; agent: string };
  close: () => void;
}

/** Creates an emulated account for each channel, answered by one agent. Accounts that exist keep their credentials. */
export function SetUpDialog({ begun, close }: SetUpDialogProps) {
  const gateway = useGateway();
  const queries = useQueryClient();
  const [tenant, setTenant] = useState(begun.tenant);
  const [agent, setAgent] = useState(begun.agent);
  const [key, setKey] = useState("");
  const [isHeld, setHeld] = useState(false);
  const [isConflicting, conflict] = useDisclosure(false);
  const answer = { tenant: tenant.trim(), agent: agent.trim(), key };
  const [typed] = useDebouncedValue(answer.tenant, 300);
  // Read once: a save refuses to replace a binding that was changed since.
  const queryKey = ["gateway-phones", typed];
  const phones = useQuery({
    queryKey,
    queryFn: () => readPhones(gateway, typed),
    enabled: typed !== "",
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    retry: false,
  });
  const found = typed === answer.tenant ? phones.data : undefined;
  const save = async (read: readonly Phone[]) => {
    await savePhones(gateway, read, answer);
    await queries.invalidateQueries({ queryKey: ["gateway"] });
    notify(texts.created);
  };
  const send = async () => {
    try {
      await save(found ?? (await readPhones(gateway, answer.tenant)));
    } catch (thrown) {
      if (isConflict(thrown)) conflict.open();
      // A part may be saved: the next try begins with what there is.
      else await phones.refetch();
      throw thrown;
    }
  };
  const replaced = answeringAgents(found ?? []).filter((name) => name !== answer.agent);
  if (isConflicting) {
    return (
      <ConflictDialog<Phone[]>
        mine={phonesText(found ?? [], answer.agent)}
        textOf={(theirs) => phonesText(theirs)}
        language="yaml"
        read={async () => ({ value: await readPhones(gateway, answer.tenant), tag: "" })}
        keepMine={async ({ value }) => {
          await save(value);
          close();
        }}
        takeTheirs={({ value }) => {
          queries.setQueryData(queryKey, value);
          setAgent(answeringAgents(value)[0] ?? "");
        }}
        close={conflict.close}
      />
    );
  }
  return (
    <FormDialog
      title={texts.setUp}
      action={texts.setUpAction}
      isComplete={answer.tenant !== "" && answer.agent !== "" && key !== ""}
      isDirty={key !== ""}
      isHeld={isHeld}
      close={close}
      send={send}
    >
      <Text className="ar-soft">{texts.setUpHint}</Text>
      <TenantField value={tenant} change={setTenant} />
      <AgentField tenant={answer.tenant} value={agent} change={setAgent} />
      {replaced.length > 0 && (
        <Text role="status" size="sm" className="ar-break">
          {texts.setUpReplaces(replaced.join(", "))}
        </Text>
      )}
      <ApiKeyField tenant={answer.tenant} value={key} change={setKey} hold={setHeld} />
    </FormDialog>
  );
}
