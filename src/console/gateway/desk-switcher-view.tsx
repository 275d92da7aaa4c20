import { Select } from "@mantine/core";
import { useSession } from "../session/session.tsx";
import { gatewayTexts as texts } from "../texts/gateway/gateway.ts";
import { gatewayPaths } from "./gateway-paths.ts";
import { showDesk, useDesk } from "./use-gateway.ts";

/** The tenant whose desk a person shows; a choice if they are the desk of several. */
export default function DeskSwitcher() {
  const { desk: desks = [] } = useSession().signedIn;
  const desk = useDesk();
  if (desk === undefined) return null;
  if (desks.length === 1) {
    return (
      <p className="ar-gw-desk ar-break">
        <bdi>{desk.name}</bdi>
      </p>
    );
  }
  return (
    <Select
      className="ar-gw-desk"
      size="xs"
      aria-label={texts.tenant}
      allowDeselect={false}
      data={desks.map(({ id, name }) => ({ value: id, label: name }))}
      value={desk.id}
      onChange={(id) => {
        if (id !== null && id !== desk.id) showDesk(id, gatewayPaths.inbox);
      }}
    />
  );
}
