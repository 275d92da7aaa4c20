import { Code, Group, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { CopyButton } from "../../parts/text/copy-button.tsx";
import { meshTexts as texts } from "../../texts/studio/mesh.ts";
import { useDaemon } from "../use-daemon.ts";

/** Begins to answer a new machine, and shows the command to run there. */
export function InviteDialog({ close }: { close: () => void }) {
  const daemon = useDaemon();
  const query = useQuery({
    queryKey: ["daemon", "mesh-invite"],
    queryFn: () => daemon.inviteToMesh(),
    // Each code is asked for once.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
  return (
    <Dialog opened onClose={close} title={texts.inviteTitle}>
      <Loaded query={query} rows={2}>
        {({ code, expires_in }) => {
          const command = `argosy mesh find ${code}`;
          return (
            <Stack gap="sm">
              <Text>{texts.inviteText}</Text>
              <Group gap={6} wrap="nowrap">
                <Code block className="ar-break">
                  {command}
                </Code>
                <CopyButton value={command} label={texts.copy} />
              </Group>
              <Text size="sm" className="ar-soft">
                {texts.inviteUntil(Math.round(expires_in / 60))}
              </Text>
            </Stack>
          );
        }}
      </Loaded>
    </Dialog>
  );
}
