import { Button, Group, Stack } from "@mantine/core";
import { Link } from "wouter";
import type { GalleryAgent } from "../../../contracts/daemon/gallery.ts";
import { CodeEditor } from "../../editor/code-editor.tsx";
import { Dialog } from "../../parts/dialogs/dialog.tsx";
import { galleryTexts as texts } from "../../texts/studio/gallery.ts";
import { agentPaths } from "../agents/agent-paths.ts";

interface ManifestDialogProps {
  /** Absent if the dialog is closed. */
  agent: GalleryAgent | undefined;
  onClose: () => void;
}

/** The manifest of a gallery agent, read-only. */
export function ManifestDialog({ agent, onClose }: ManifestDialogProps) {
  return (
    <Dialog
      opened={agent !== undefined}
      onClose={onClose}
      size="xl"
      title={agent && texts.manifestOf(agent.name)}
    >
      {agent !== undefined && (
        <Stack gap="sm">
          <CodeEditor
            language="yaml"
            value={agent.manifest}
            label={texts.manifestOf(agent.name)}
            maxHeight="62vh"
          />
          <Group justify="flex-end">
            <Button component={Link} href={agentPaths.fromGallery(agent.name)}>
              {texts.use}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
