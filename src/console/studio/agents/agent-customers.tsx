import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Panel } from "../../parts/layout/panel.tsx";
import { useSession } from "../../session/session.tsx";
import { copyToTenantTexts as texts } from "../../texts/studio/agents.ts";
import { CopyToTenantDialog } from "./copy-to-tenant-dialog.tsx";

/** The way from the Studio to customers: a tenant of the platform. Renders nothing for a session without an account there. */
export function AgentCustomers({ name }: { name: string }) {
  const { state, signedIn } = useSession();
  const [isOpen, dialog] = useDisclosure(false);
  if (signedIn.person === undefined || !state.services.includes("platform")) return null;
  return (
    <Panel
      title={texts.title}
      actions={
        <Button size="xs" variant="default" onClick={dialog.open}>
          {texts.open}
        </Button>
      }
    >
      <p className="ar-soft ar-flat">{texts.lead}</p>
      {isOpen && <CopyToTenantDialog agent={name} close={dialog.close} />}
    </Panel>
  );
}
