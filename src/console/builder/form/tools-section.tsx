import { ActionIcon, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { AddSelect } from "../../parts/inputs/add-select.tsx";
import { StatusBadge } from "../../parts/text/status-badge.tsx";
import { toolTypeText } from "../../studio/tools/tool-type-text.ts";
import { builderTexts as texts } from "../../texts/builder.ts";
import { useHost } from "../host.ts";
import { schemaAt } from "../manifest/schema-at.ts";
import { EntryProblems } from "./entry-problems.tsx";
import { useFormContent } from "./form-context.ts";
import { AddOtherTool, OtherToolFields } from "./other-tools.tsx";

const path = ["spec", "tools"];

interface ToolEntry {
  name?: unknown;
  type?: unknown;
  requires_approval?: unknown;
}

/** The agent's tools, and those to add. */
export function ToolsSection() {
  const { tools: offer } = useHost();
  const { schema, value, change, append } = useFormContent();
  const { data } = useQuery({ queryKey: offer.key, queryFn: offer.read });
  const present = valueAt(value, path);
  const tools: ToolEntry[] = Array.isArray(present) ? present.map((entry) => entry ?? {}) : [];
  const names = new Set(tools.map(({ name }) => name));
  const offered = new Map((data ?? []).map((tool) => [tool.name, tool]));
  const free = [...offered.keys()].filter((name) => !names.has(name));
  const hasApprovals = schemaAt(schema, [...path, 0, "requires_approval"], value) !== undefined;
  return (
    <>
      {tools.length === 0 && <span className="ar-soft">{texts.noTools}</span>}
      <ul className="ar-edit-entries" aria-label={texts.tools}>
        {tools.map(({ name, type, requires_approval }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an entry is known by its place alone
          <li key={at}>
            <div className="ar-edit-entry">
              <span className="ar-edit-entry-name">
                <strong className="ar-mono">{String(name ?? "")}</strong>{" "}
                <span className="ar-soft">{toolTypeText(String(type ?? ""))}</span>
                {offered.get(String(name))?.writes && <StatusBadge tone="warn">{texts.writes}</StatusBadge>}
                <Text size="xs" className="ar-soft">
                  {offered.get(String(name))?.description}
                </Text>
              </span>
              {hasApprovals && (
                <Switch
                  size="xs"
                  label={texts.toolApproval}
                  checked={requires_approval === true}
                  onChange={({ currentTarget: { checked } }) =>
                    change([...path, at, "requires_approval"], checked ? true : undefined)
                  }
                />
              )}
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={texts.remove(String(name ?? ""))}
                onClick={() => change([...path, at], undefined)}
              >
                <Icon name="trash" />
              </ActionIcon>
            </div>
            <OtherToolFields at={at} type={type} />
            <EntryProblems path={`spec.tools[${at}]`} />
          </li>
        ))}
      </ul>
      <AddSelect
        label={texts.addTool}
        placeholder={texts.addToolPlaceholder}
        data={free}
        renderOption={({ option }) => (
          <div>
            <span className="ar-mono">{option.value}</span>{" "}
            {offered.get(option.value)?.writes && <StatusBadge tone="warn">{texts.writes}</StatusBadge>}
            <Text size="xs" className="ar-soft">
              {offered.get(option.value)?.description}
            </Text>
          </div>
        )}
        add={(name) => append(path, { name, type: offered.get(name)?.type ?? "builtin" })}
      />
      <AddOtherTool taken={names} />
    </>
  );
}
