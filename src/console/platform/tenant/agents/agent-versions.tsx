import { Button, Group, Radio, Table, VisuallyHidden } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PlatformAgentDetail } from "../../../../contracts/platform/agents.ts";
import { usePlatform } from "../../../api/use-server.tsx";
import { Confirm } from "../../../parts/confirm.tsx";
import { Instant } from "../../../parts/instant.tsx";
import { Loaded } from "../../../parts/loaded.tsx";
import { Panel } from "../../../parts/panel.tsx";
import { say } from "../../../parts/say.ts";
import { StatusBadge } from "../../../parts/status-badge.tsx";
import { useUrlState } from "../../../parts/use-url-state.ts";
import { useSession } from "../../../session/session.tsx";
import { versionTexts as texts } from "../../../texts/platform-tenant.ts";
import { authorName } from "../author-name.ts";
import { comparedVersions } from "./compared-versions.ts";
import { VersionDiff } from "./version-diff.tsx";

/** Every version of an agent; any two compared, any one made the current one again. */
export function AgentVersions({ tenantId, agent }: { tenantId: string; agent: PlatformAgentDetail }) {
  const platform = usePlatform(tenantId);
  const { signedIn } = useSession();
  const queries = useQueryClient();
  const [fromText, setFrom] = useUrlState("from");
  const [toText, setTo] = useUrlState("to");
  const [restored, restore] = useState<number>();
  const { name, current_version: current } = agent;
  const query = useQuery({
    queryKey: ["platform", tenantId, "agents", name, "versions"],
    queryFn: () => platform.listVersions(name),
  });
  const { from, to } = comparedVersions({ from: fromText, to: toText, current });
  return (
    <div className="ar-stack">
      <Panel title={texts.title} flush>
        <Loaded query={query} rows={3}>
          {({ versions }) => (
            <Table>
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{texts.from}</Table.Th>
                  <Table.Th>{texts.to}</Table.Th>
                  <Table.Th>{texts.version}</Table.Th>
                  <Table.Th visibleFrom="sm">{texts.createdAt}</Table.Th>
                  <Table.Th visibleFrom="sm">{texts.author}</Table.Th>
                  <Table.Th visibleFrom="md">{texts.checksum}</Table.Th>
                  <Table.Th>
                    <VisuallyHidden>{texts.actions}</VisuallyHidden>
                  </Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {versions.map(({ number, created_at, author, checksum }) => (
                  <Table.Tr key={number}>
                    <Table.Td>
                      <Radio
                        size="xs"
                        name="from"
                        checked={number === from}
                        aria-label={texts.compareFrom(number)}
                        onChange={() => setFrom(String(number))}
                      />
                    </Table.Td>
                    <Table.Td>
                      <Radio
                        size="xs"
                        name="to"
                        checked={number === to}
                        aria-label={texts.compareTo(number)}
                        onChange={() => setTo(String(number))}
                      />
                    </Table.Td>
                    <Table.Td>
                      <Group gap={6} wrap="nowrap">
                        {number}
                        {number === current && <StatusBadge tone="good">{texts.current}</StatusBadge>}
                      </Group>
                    </Table.Td>
                    <Table.Td visibleFrom="sm">
                      <Instant iso={created_at} />
                    </Table.Td>
                    <Table.Td visibleFrom="sm" title={author}>
                      {authorName(author, signedIn.person?.id)}
                    </Table.Td>
                    <Table.Td visibleFrom="md" className="ar-mono" title={checksum}>
                      {checksum.slice(0, 12)}
                    </Table.Td>
                    <Table.Td className="ar-end">
                      {number !== current && (
                        <Button
                          size="compact-xs"
                          variant="subtle"
                          aria-label={texts.restoreTitle(number)}
                          onClick={() => restore(number)}
                        >
                          {texts.restore}
                        </Button>
                      )}
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          )}
        </Loaded>
      </Panel>
      {current > 1 && <VersionDiff tenantId={tenantId} name={name} from={from} to={to} />}
      {restored !== undefined && (
        <Confirm
          opened
          title={texts.restoreTitle(restored)}
          text={texts.restoreText(restored, current + 1)}
          action={texts.restoreAction}
          onClose={() => restore(undefined)}
          onConfirm={async () => {
            const saved = await platform.restoreVersion(name, restored);
            await queries.invalidateQueries({ queryKey: ["platform", tenantId, "agents"] });
            say(texts.restored(restored, saved.current_version));
          }}
        />
      )}
    </div>
  );
}
