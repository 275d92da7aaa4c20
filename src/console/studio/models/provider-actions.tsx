import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Provider } from "../../../contracts/daemon/models/providers.ts";
import type { StoredProvider } from "../../../contracts/daemon/models/stored-providers.ts";
import { Confirm } from "../../parts/dialogs/confirm.tsx";
import { notify } from "../../parts/notices.tsx";
import { FailureView } from "../../parts/states/failure-view.tsx";
import { providerTexts as texts } from "../../texts/studio/providers.ts";
import { useDaemon } from "../use-daemon.ts";
import { ConnectionTestView } from "./connection-test-view.tsx";
import { ProviderDialog } from "./provider-dialog.tsx";

/** Tests, edits and deletes one provider; what the console did not store can be tested alone. */
export function ProviderActions({
  provider,
  stored,
}: {
  provider: Provider;
  stored: StoredProvider | undefined;
}) {
  const daemon = useDaemon();
  const queries = useQueryClient();
  const [open, setOpen] = useState<"edit" | "delete">();
  const { name } = provider;
  const testing = useMutation({
    mutationFn: () => daemon.testProvider(name, {}),
    // The test colours nothing by itself; the list is what calls and probes have found.
    onSettled: () => queries.invalidateQueries({ queryKey: ["daemon", "providers"] }),
  });
  const close = () => setOpen(undefined);
  return (
    <>
      <div className="ar-provider-actions">
        <Button
          size="xs"
          variant="default"
          loading={testing.isPending}
          aria-label={texts.testOf(name)}
          onClick={() => testing.mutate()}
        >
          {texts.test}
        </Button>
        {stored !== undefined && (
          <>
            <Button size="xs" variant="default" aria-label={texts.edit(name)} onClick={() => setOpen("edit")}>
              {texts.editAction}
            </Button>
            <Button
              size="xs"
              variant="default"
              className="ar-danger"
              aria-label={`${texts.delete} ${name}`}
              onClick={() => setOpen("delete")}
            >
              {texts.delete}
            </Button>
          </>
        )}
      </div>
      {testing.data !== undefined && <ConnectionTestView result={testing.data} />}
      {testing.isError && <FailureView thrown={testing.error} />}
      {open === "edit" && stored !== undefined && <ProviderDialog provider={stored} close={close} />}
      <Confirm
        opened={open === "delete"}
        title={texts.deleteTitle(name)}
        text={texts.deleteText}
        action={texts.deleteAction}
        onClose={close}
        onConfirm={async () => {
          await daemon.deleteProvider(name);
          notify(texts.deleted(name));
          await queries.invalidateQueries({ queryKey: ["daemon"] });
        }}
      />
    </>
  );
}
