import { Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import type { ManifestVersion } from "../../../../contracts/daemon/agent-versions.ts";
import { DiffView } from "../../../editor/diff-view.tsx";
import { FormDialog } from "../../../parts/dialogs/form-dialog.tsx";
import { notify } from "../../../parts/notices.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { historyTexts as texts } from "../../../texts/studio/history.ts";
import { useDaemon } from "../../use-daemon.ts";

/** Addresses an agent's versions in the cache. A change of any agent refetches them. */
export const historyKey = (name: string) => ["daemon", "agents", name, "versions"];

interface RestoreDialogProps {
  name: string;
  version: ManifestVersion;
  close: () => void;
}

/** Shows the change from the present manifest to an earlier one, and saves it. */
export function RestoreDialog({ name, version: { number }, close }: RestoreDialogProps) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: [...historyKey(name), "restore", number],
    async queryFn() {
      const [now, earlier] = await Promise.all([
        daemon.readManifest(name),
        daemon.getManifestVersion(name, number),
      ]);
      return { now, earlier: earlier.manifest };
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <FormDialog
      size="xl"
      title={texts.restoreTitle(number)}
      action={texts.restoreAction}
      isComplete={query.data !== undefined}
      close={close}
      send={async () => {
        try {
          await daemon.restoreManifestVersion(name, number, query.data?.now.tag);
        } catch (thrown) {
          // The comparison is made anew, so that the user sees what would be replaced.
          await query.refetch();
          throw thrown;
        }
        await queries.invalidateQueries({ queryKey: ["daemon", "agents"] });
        notify(texts.restored(number));
      }}
    >
      <Text>{texts.restoreText(number)}</Text>
      <Loaded query={query}>
        {({ now, earlier }) => (
          <div className="ar-conflict-diff">
            <DiffView before={now.value} after={earlier} language="yaml" label={texts.restoreTitle(number)} />
          </div>
        )}
      </Loaded>
    </FormDialog>
  );
}
