import { Alert, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Icon } from "../../parts/icon.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { modelTexts as texts } from "../../texts/studio/monitoring.ts";
import { providerTexts } from "../../texts/studio/providers.ts";
import { useDaemon } from "../use-daemon.ts";
import { LocalServersDialog } from "./local-servers-dialog.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";
import { ProviderView } from "./provider-view.tsx";

export default function ModelsPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const stored = useQuery({
    queryKey: ["daemon", "providers", "stored"],
    queryFn: daemon.listStoredProviders,
  });
  const [isAdding, setAdding] = useState(false);
  const [isDetecting, setDetecting] = useState(false);
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
        <Button variant="default" onClick={() => setDetecting(true)}>
          {providerTexts.detect}
        </Button>
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          {providerTexts.add}
        </Button>
      </PageHeader>
      <Loaded query={query}>
        {({ providers, rehearsing }) => (
          <div className="ar-stack">
            {rehearsing && (
              <Alert variant="outline" color="brass" icon={<Icon name="warn" />} className="ar-warning">
                {texts.rehearsing}
              </Alert>
            )}
            {providers.length === 0 && <EmptyState text={texts.none} />}
            {providers.map((provider) => (
              <ProviderView
                key={provider.name}
                provider={provider}
                stored={stored.data?.providers.find(({ name }) => name === provider.name)}
              />
            ))}
          </div>
        )}
      </Loaded>
      {isDetecting && <LocalServersDialog close={() => setDetecting(false)} />}
      {isAdding && (
        <ProviderDialog
          taken={[...(query.data?.providers ?? []), ...(stored.data?.providers ?? [])].map(
            ({ name }) => name,
          )}
          close={() => setAdding(false)}
        />
      )}
    </>
  );
}
