import { Button, Group, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { LocalServer } from "../../../contracts/daemon/models/stored-providers.ts";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { providerTexts as texts } from "../../texts/studio/providers.ts";
import { useDaemon } from "../use-daemon.ts";

const shownMax = 12;

/** Looks for model servers on the daemon's machine, once it is opened, and sets one up with one click. */
export function LocalServersDialog({ close }: { close: () => void }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: ["daemon", "providers", "detected"],
    queryFn: daemon.detectProviders,
    // Only a click asks again.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    gcTime: 0,
  });
  return (
    <Dialog opened onClose={close} title={texts.detectTitle} size="lg">
      <div className="ar-stack">
        <Text size="sm" className="ar-soft">
          {texts.detectLead}
        </Text>
        <Loaded query={query}>
          {({ servers, looked_at }) =>
            servers.length === 0 ? (
              <Text>{texts.detectedNone(looked_at.join(", "))}</Text>
            ) : (
              servers.map((server) => <LocalServerView key={server.endpoint} server={server} />)
            )
          }
        </Loaded>
        <Group justify="flex-end">
          <Button variant="default" loading={query.isFetching} onClick={() => void query.refetch()}>
            {texts.detectAgain}
          </Button>
        </Group>
      </div>
    </Dialog>
  );
}

function LocalServerView({ server }: { server: LocalServer }) {
  const { program, name, type, endpoint, models, set_up } = server;
  const daemon = useDaemon();
  const queries = useQueryClient();
  const adding = useMutation({
    mutationFn: () => daemon.setUpProvider(name, { type, endpoint }),
    onSuccess: async () => {
      notify(texts.saved(name));
      await queries.invalidateQueries({ queryKey: ["daemon"] });
    },
  });
  return (
    <section>
      <Group justify="space-between" gap="sm">
        <strong className="ar-break">{texts.detected(program, endpoint)}</strong>
        {set_up ? (
          <StatusBadge tone="good">{texts.isSetUp(name)}</StatusBadge>
        ) : (
          <Button size="xs" loading={adding.isPending} onClick={() => adding.mutate()}>
            {texts.addDetected(name)}
          </Button>
        )}
      </Group>
      <p className="ar-soft ar-flat ar-break">
        {models.length === 0
          ? texts.noModels
          : `${texts.lists(models.length)} ${models.slice(0, shownMax).join(", ")}`}
        {models.length > shownMax && " …"}
      </p>
      {adding.isError && <FailureView thrown={adding.error} />}
    </section>
  );
}
