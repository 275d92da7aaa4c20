import { Button, Group, PasswordInput, Select, Switch, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { ProviderSetup, StoredProvider } from "../../../contracts/daemon/models/stored-providers.ts";
import { FormDialog } from "../../parts/dialogs/form-dialog.tsx";
import { Icon } from "../../parts/icon.tsx";
import { areReadable } from "../../parts/inputs/number-entry.ts";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { providerTexts as texts } from "../../texts/studio/providers.ts";
import { useDaemon } from "../use-daemon.ts";
import { ConnectionTestView } from "./connection-test-view.tsx";
import { PriceRows, pricesOf, pricesToSend } from "./price-rows.tsx";

interface ProviderDialogProps {
  /** The stored provider; for an entry from elsewhere only its name, kind and address. Absent: a new provider. */
  provider?: Pick<StoredProvider, "name" | "type"> & Partial<StoredProvider>;
  /** Names of the listed providers; a new one can't have any of them. */
  taken?: readonly string[];
  close: () => void;
}

/** Sets up a provider: kind, address, key and prices, with a test of the connection before it is stored. */
export function ProviderDialog({ provider, taken = [], close }: ProviderDialogProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [name, setName] = useState(provider?.name ?? "");
  const [type, setType] = useState(provider?.type ?? "openai");
  const [endpoint, setEndpoint] = useState(provider?.endpoint ?? "");
  const [key, setKey] = useState("");
  const [dropsKey, setDropsKey] = useState(false);
  const [prices, setPrices] = useState(() => pricesOf(provider?.prices ?? {}));
  // The new provider itself is listed before the dialog closes.
  const [isSaved, setSaved] = useState(false);
  const isTaken = provider === undefined && !isSaved && taken.includes(name.trim());
  const hasKey = provider?.has_key === true;
  const place = {
    type,
    ...(endpoint.trim() === "" ? {} : { endpoint: endpoint.trim() }),
    ...(key.trim() === "" ? {} : { api_key: key.trim() }),
  };
  const testing = useMutation({ mutationFn: () => daemon.testProvider(name.trim() || type, place) });
  const isComplete =
    name.trim() !== "" && !isTaken && areReadable(prices.flatMap(({ input, output }) => [input, output]));
  const changed = () => testing.reset();
  return (
    <FormDialog
      title={provider === undefined ? texts.addTitle : texts.editTitle(provider.name)}
      action={texts.save}
      size="lg"
      close={close}
      isComplete={isComplete}
      send={async () => {
        const setup: ProviderSetup = {
          ...place,
          ...(dropsKey && key.trim() === "" ? { api_key: null } : {}),
          ...(provider?.context_window === undefined ? {} : { context_window: provider.context_window }),
          prices: pricesToSend(prices),
        };
        await daemon.setUpProvider(name.trim(), setup);
        setSaved(true);
        notify(texts.saved(name.trim()));
        await queries.invalidateQueries({ queryKey: ["daemon"] });
      }}
    >
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        error={isTaken ? texts.nameTaken(name.trim()) : undefined}
        required
        data-autofocus={provider === undefined || undefined}
        disabled={provider !== undefined}
        autoComplete="off"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <Select
        label={texts.kind}
        allowDeselect={false}
        value={type}
        data={[...texts.kinds]}
        onChange={(value) => {
          setType(value ?? type);
          changed();
        }}
      />
      <TextInput
        label={texts.endpoint}
        description={texts.endpointHint}
        placeholder={texts.endpointDefault}
        type="url"
        autoComplete="off"
        value={endpoint}
        onChange={(event) => {
          setEndpoint(event.currentTarget.value);
          changed();
        }}
      />
      <PasswordInput
        label={texts.key}
        description={hasKey ? texts.keyKept : texts.keyHint}
        autoComplete="off"
        disabled={dropsKey}
        value={key}
        onChange={(event) => {
          setKey(event.currentTarget.value);
          changed();
        }}
      />
      {hasKey && (
        <Switch
          label={texts.dropKey}
          checked={dropsKey}
          onChange={(event) => {
            setDropsKey(event.currentTarget.checked);
            setKey("");
          }}
        />
      )}
      <Group gap="sm">
        <Button
          variant="default"
          leftSection={<Icon name="play" />}
          loading={testing.isPending}
          onClick={() => testing.mutate()}
        >
          {texts.test}
        </Button>
        <Text size="xs" className="ar-soft">
          {texts.testHint}
        </Text>
      </Group>
      {testing.data !== undefined && <ConnectionTestView result={testing.data} />}
      {testing.isError && <FailureView thrown={testing.error} />}
      <PriceRows prices={prices} change={setPrices} />
    </FormDialog>
  );
}
